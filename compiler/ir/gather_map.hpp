// A table of row indices to gather, stored as runs of equal steps. Memory grows with the runs, not with the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ttsim::impl::ir {

/// Maps positions of a table to row indices; -1 where no row is gathered.
class GatherMap {
public:
    /// Row indices in equal steps at positions in equal steps.
    struct Run {
        std::int32_t at, row, count = 1, at_step = 1, row_step = 0;
        std::int32_t last() const { return at + (count - 1) * at_step; }
        friend bool operator==(const Run&, const Run&) = default;
    };

    /// Requires `at` beyond all present positions and row >= 0.
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
    /// Calls use(at, row) for present positions first <= at < end, in order.
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
    /// Equal maps have equal runs.
    friend bool operator==(const GatherMap&, const GatherMap&) = default;

private:
    void begin(std::int64_t at, std::int64_t row);

    std::vector<Run> runs_;
};

}  // namespace ttsim::impl::ir
