// A table of rows that are picked, most of them regular or none: what it takes is by its runs, not by its places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ttsim::impl::ir {

/// At some places of a table a row, at all others -1.
class GatherMap {
public:
    /// Rows in equal steps, at places in equal steps.
    struct Run {
        std::int32_t at, row, count = 1, at_step = 1, row_step = 0;
        std::int32_t last() const { return at + (count - 1) * at_step; }
        friend bool operator==(const Run&, const Run&) = default;
    };

    /// `at` lies beyond all that are there; row >= 0.
    void append(std::int64_t at, std::int64_t row) {
        if (!runs_.empty()) {
            Run& run = runs_.back();
            if (run.count > 1 && at == std::int64_t{run.last()} + run.at_step &&
                row == std::int64_t{run.row} + std::int64_t{run.count} * run.row_step) {
                ++run.count;
                return;
            }
        }
        begin(at, row);
    }
    /// Calls use(at, row) for those with first <= at < end, by place.
    template <class Use>
    void each(std::int64_t first, std::int64_t end, const Use& use) const {
        auto run = std::lower_bound(runs_.begin(), runs_.end(), first,
                                    [](const Run& r, std::int64_t place) { return r.last() < place; });
        for (; run != runs_.end() && run->at < end; ++run) {
            std::int64_t k = first <= run->at ? 0 : (first - run->at + run->at_step - 1) / run->at_step;
            for (; k < run->count && run->at + k * run->at_step < end; ++k)
                use(run->at + k * run->at_step, run->row + k * run->row_step);
        }
    }
    std::int64_t at(std::int64_t place) const;
    const std::vector<Run>& runs() const { return runs_; }
    /// The same picks are the same runs.
    friend bool operator==(const GatherMap&, const GatherMap&) = default;

private:
    void begin(std::int64_t at, std::int64_t row);

    std::vector<Run> runs_;
};

}  // namespace ttsim::impl::ir
