// A set of entry numbers, kept as runs: queues are filled and emptied in order, so there is mostly one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sim/machine/state_walk.hpp"

namespace tt::sim {

class EntrySet {
public:
    void insert(std::int64_t n);
    void erase_below(std::int64_t n);
    void clear() { runs_.clear(); }
    bool contains(std::int64_t n) const { return run_end(n) > n; }
    /// One past the last of the run that holds n; n when it is not in the set.
    std::int64_t run_end(std::int64_t n) const;
    /// The first element from n on.
    std::optional<std::int64_t> next(std::int64_t n) const;
    std::size_t runs() const { return runs_.size(); }
    /// The bounds of the runs, as totals: what of them decides something is for save_from().
    void walk_bounds(StateWalk& walk);
    /// The part from `first` on, relative to it.
    void save_from(StateWalk& walk, std::int64_t first) const;

private:
    std::map<std::int64_t, std::int64_t> runs_;  // first -> one past the last
};

}  // namespace tt::sim
