#include "sim/machine/entry_set.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tt::sim {

void EntrySet::insert(std::int64_t n) {
    auto after = runs_.upper_bound(n);
    if (after != runs_.begin()) {
        const auto before = std::prev(after);
        if (n < before->second) return;
        if (n == before->second) {
            ++before->second;
            if (after != runs_.end() && after->first == before->second) {
                before->second = after->second;
                runs_.erase(after);
            }
            return;
        }
    }
    std::int64_t end = n + 1;
    if (after != runs_.end() && after->first == end) {
        end = after->second;
        runs_.erase(after);
    }
    runs_.emplace(n, end);
}

void EntrySet::erase_below(std::int64_t n) {
    while (!runs_.empty() && runs_.begin()->first < n) {
        const std::int64_t end = runs_.begin()->second;
        runs_.erase(runs_.begin());
        if (end > n) runs_.emplace(n, end);
    }
}

std::int64_t EntrySet::run_end(std::int64_t n) const {
    const auto after = runs_.upper_bound(n);
    return after == runs_.begin() ? n : std::max(n, std::prev(after)->second);
}

std::optional<std::int64_t> EntrySet::next(std::int64_t n) const {
    const auto after = runs_.upper_bound(n);
    if (after != runs_.begin() && n < std::prev(after)->second) return n;
    return after == runs_.end() ? std::nullopt : std::optional(after->first);
}

void EntrySet::save_from(StateWalk& walk, std::int64_t first) const {
    for (auto run = runs_.begin(); run != runs_.end(); ++run) {
        if (run->second <= first) continue;
        walk.fixed(std::max(run->first, first) - first);
        walk.fixed(run->second - first);
    }
    walk.fixed(-1);
}

void EntrySet::walk_bounds(StateWalk& walk) {
    walk.fixed(runs_.size());
    std::map<std::int64_t, std::int64_t> moved;
    for (const auto& run : runs_) {
        std::int64_t first = run.first, end = run.second;
        walk.total(first);
        walk.total(end);
        if (walk.advancing()) moved.emplace(first, end);
    }
    if (walk.advancing()) runs_ = std::move(moved);
}

}  // namespace tt::sim
