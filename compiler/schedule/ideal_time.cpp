#include "compiler/schedule/ideal_time.hpp"

#include <algorithm>
#include <limits>

namespace ttsim::impl::ir {

std::int64_t share(std::int64_t tiles, std::int64_t cores) {
    std::int64_t most = 1;
    for (std::int64_t d = 2; d <= cores; ++d)
        if (tiles % d == 0) most = d;
    return tiles / most;
}

double least_cycles(const OpChoices& op) {
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : op.choice.fitting) least = std::min(least, candidate.cycles);
    return least;
}

double core_cycles(const OpChoices& op) {
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : op.choice.fitting)
        least = std::min(least, candidate.cycles * static_cast<double>(candidate.blocking.cores()));
    return least;
}

double ideal_cycles(const Choices& choices, const OpBudget& budget) {
    double longest = 0, all = 0;
    for (const OpChoices& op : choices.ops) {
        longest = std::max(longest, least_cycles(op));
        all += core_cycles(op);
    }
    return std::max(longest, all / static_cast<double>(budget.rows * budget.cols));
}

}  // namespace ttsim::impl::ir
