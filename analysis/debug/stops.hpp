// Stops (breakpoints) of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/watched_run.hpp"

namespace ttsim::impl::debug {

struct Stop {
    enum class Kind : std::uint8_t { Cycle, Input, Full, Nan, Golden } kind = Kind::Cycle;
    std::string name;          ///< of the op or queue; "*": every op
    std::int64_t number = 0;   ///< cycle, or input of the run
    std::int64_t id = 0;       ///< id for 'delete'
    bool held = false;         ///< the condition held at the last check; the stop triggers when it becomes true
    std::string text() const;  ///< "input 2 of op 'x'"
};

class Stops {
public:
    /// Returns its id.
    std::int64_t add(Stop stop);
    bool remove(std::int64_t id);
    const std::vector<Stop>& all() const { return stops_; }
    /// Records the current state of all conditions, so that only later changes stop the run.
    void arm(sim::WatchedRun& run);
    /// Called once after every instant: text of the stops that trigger; "" = none.
    std::string reached(sim::WatchedRun& run);
    /// The next cycle at which a stop is set, from `now` on.
    std::uint64_t next_cycle(std::uint64_t now) const;
    sim::WatchedRun::Checks checks() const;

private:
    std::vector<Stop> stops_;
    std::int64_t next_id_ = 1;
};

}  // namespace ttsim::impl::debug
