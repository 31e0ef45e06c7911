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
    /// append() of a run's elements, `places` and `rows` further.
    void append(const Run& run, std::int64_t places, std::int64_t rows);
    /// Calls use(at, row) for present positions first <= at < end, in order.
    template <class Use>
    void each(std::int64_t first, std::int64_t end, const Use& use) const {
        each_run(first, end, [&](const Run& run) {
            for (std::int64_t k = 0; k < run.count; ++k) use(run.at + k * run.at_step, run.row + k * run.row_step);
        });
    }
    /// Calls use(run) for the runs of these positions, the first and the last perhaps shortened.
    template <class Use>
    void each_run(std::int64_t first, std::int64_t end, const Use& use) const {
        auto run = std::lower_bound(runs_.begin(), runs_.end(), first,
                                    [](const Run& r, std::int64_t place) { return r.last() < place; });
        for (; run != runs_.end() && run->at < end; ++run) {
            if (first <= run->at && run->last() < end) {
                use(*run);
                continue;
            }
            // a run of one element may have any step
            const auto rank = [&](std::int64_t place) {
                return place <= run->at      ? 0
                       : place > run->last() ? run->count
                                             : (place - run->at + run->at_step - 1) / run->at_step;
            };
            const auto begin = static_cast<std::int32_t>(rank(first)), stop = static_cast<std::int32_t>(rank(end));
            if (begin >= stop) continue;
            use(Run{run->at + begin * run->at_step, run->row + begin * run->row_step, stop - begin, run->at_step,
                    run->row_step});
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
