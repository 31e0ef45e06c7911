// A set of entry numbers, kept as runs: queues are filled and emptied in order, so there is mostly one.
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
    /// One past the last of the run that holds n; n when it is not in the set.
    std::int64_t run_end(std::int64_t n) const;
    /// The first element from n on.
    std::optional<std::int64_t> next(std::int64_t n) const;
    std::size_t runs() const { return runs_.iterative_size(); }
    /// The bounds of the runs, as totals: what of them decides something is for save_from().
    void walk_bounds(StateWalk& walk);
    /// The part from `first` on, relative to it.
    void save_from(StateWalk& walk, std::int64_t first) const;

private:
    using Run = boost::icl::right_open_interval<std::int64_t>;
    boost::icl::interval_set<std::int64_t, std::less, Run> runs_;  // joined where they touch
};

}  // namespace ttsim::impl::sim
