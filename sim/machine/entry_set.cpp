#include "sim/machine/entry_set.hpp"

#include <algorithm>

namespace ttsim::impl::sim {

std::int64_t EntrySet::run_end(std::int64_t n) const {
    const auto run = runs_.find(n);
    return run == runs_.end() ? n : run->upper();
}

std::optional<std::int64_t> EntrySet::next(std::int64_t n) const {
    const auto run = runs_.lower_bound(Run(n, n + 1));
    return run == runs_.end() ? std::nullopt : std::optional(std::max(n, run->lower()));
}

void EntrySet::save_from(StateWalk& walk, std::int64_t first) const {
    for (const Run& run : runs_) {
        if (run.upper() <= first) continue;
        walk.fixed(std::max(run.lower(), first) - first);
        walk.fixed(run.upper() - first);
    }
    walk.fixed(-1);
}

void EntrySet::walk_bounds(StateWalk& walk) {
    walk.fixed(runs());
    const auto before = runs_;
    if (walk.advancing()) runs_.clear();
    for (const Run& run : before) {
        std::int64_t first = run.lower(), end = run.upper();
        walk.total(first);
        walk.total(end);
        if (walk.advancing()) runs_.insert(Run(first, end));
    }
}

}  // namespace ttsim::impl::sim
