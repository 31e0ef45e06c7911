#include "compiler/schedule/ideal_time.hpp"

#include <algorithm>
#include <limits>

namespace ttsim::impl::ir {

std::int64_t tiles_per_core(std::int64_t tiles, std::int64_t cores) {
    std::int64_t parts = 1;
    for (std::int64_t d = 2; d <= cores; ++d)
        if (tiles % d == 0) parts = d;
    return tiles / parts;
}

double min_cycles(const OpChoices& op) {
    double minimum = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : op.choice.fitting) minimum = std::min(minimum, candidate.cycles);
    return minimum;
}

double min_core_cycles(const OpChoices& op) {
    double minimum = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : op.choice.fitting)
        minimum = std::min(minimum, candidate.cycles * static_cast<double>(candidate.blocking.cores()));
    return minimum;
}

double lower_bound_cycles(const Choices& choices, const OpBudget& budget) {
    double slowest_op = 0, total_work = 0;
    for (const OpChoices& op : choices.ops) {
        slowest_op = std::max(slowest_op, min_cycles(op));
        total_work += min_core_cycles(op);
    }
    return std::max(slowest_op, total_work / static_cast<double>(budget.rows * budget.cols));
}

}  // namespace ttsim::impl::ir
