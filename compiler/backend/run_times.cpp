#include "compiler/backend/run_times.hpp"

namespace ttsim::impl::ir {

static std::vector<std::vector<InputTime>>& kept_runs() {
    static thread_local std::vector<std::vector<InputTime>> runs;
    return runs;
}

std::vector<InputTime> blank_runs(std::size_t count) {
    if (kept_runs().empty()) return std::vector<InputTime>(count);
    std::vector<InputTime> runs = std::move(kept_runs().back());
    kept_runs().pop_back();
    runs.resize(count);
    for (InputTime& run : runs) run.begin(0);
    return runs;
}

void reuse_runs(std::vector<InputTime> runs) {
    constexpr std::size_t most = 2;  // of a search: times and bounds
    if (kept_runs().size() < most) kept_runs().push_back(std::move(runs));
}

RunBounds::RunBounds(const OpTimes& times, const Levels& levels, std::size_t ops, std::size_t longest)
    : times_(&times),
      ops_(ops),
      longest_(longest),
      least_(levels.size() * ops),
      runs_(blank_runs(levels.size() * longest)),
      most_(levels.size(), 0.0) {
    for (std::size_t level = levels.size(); level-- > 0;)
        for (std::size_t op = 0; op < ops; ++op) {
            OpTimes::Time& least = least_[level * ops + op];
            least = times.of(op, levels.chosen(level)[op]);
            if (level + 1 == levels.size()) continue;
            const OpTimes::Time& later = least_[(level + 1) * ops + op];
            least = {std::min(least.cycles, later.cycles), std::min(least.tail, later.tail),
                     std::min(least.resident, later.resident)};
        }
}

void RunBounds::count(std::size_t first, std::size_t level) {
    InputTime& run = runs_[level * longest_ + first % longest_];
    if (run.first() != first || run.end() > end_) run.begin(first);
    while (run.end() < end_) run.add(times_->producers(run.end()), least_[level * ops_ + run.end()]);
    for (std::size_t k = level; k < most_.size() && most_[k] < run.clocks(); ++k) most_[k] = run.clocks();
}

}  // namespace ttsim::impl::ir
