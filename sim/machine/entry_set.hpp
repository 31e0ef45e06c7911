// A set of entry numbers, stored as intervals. Queues are filled and emptied in order, so there is usually one
// interval.
#pragma once

#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <optional>

#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

class EntrySet {
public:
    void insert(std::int64_t n) { runs_.insert(Run(n, n + 1)); }
    void erase_below(std::int64_t n) { runs_.erase(Run(0, n)); }
    void clear() { runs_.clear(); }
    bool contains(std::int64_t n) const { return boost::icl::contains(runs_, n); }
    /// End (exclusive) of the interval that contains n; n when it is not in the set.
    std::int64_t run_end(std::int64_t n) const;
    /// The smallest element >= n.
    std::optional<std::int64_t> next(std::int64_t n) const;
    std::size_t runs() const { return runs_.iterative_size(); }
    /// Walks the bounds of the intervals as totals. save_from() saves the part that affects behaviour.
    void walk_bounds(StateWalk& walk);
    /// Saves the elements >= `first`, relative to `first`.
    void save_from(StateWalk& walk, std::int64_t first) const;

private:
    using Run = boost::icl::right_open_interval<std::int64_t>;
    boost::icl::interval_set<std::int64_t, std::less, Run> runs_;  // adjacent intervals are joined
};

}  // namespace ttsim::impl::sim
