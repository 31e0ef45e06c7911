// What one input takes through runs of ops that follow each other, level by level of a scale of targets: the search for
// epochs asks for millions of runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compiler/backend/input_time.hpp"
#include "compiler/backend/levels.hpp"

namespace ttsim::impl::ir {

/// Runs that begin at one op and grow are counted on, not anew: of each level and of so many ops in a row as a run can
/// have, the last run that began there is kept.
class RunTimes {
public:
    /// `edges`: what handing over takes; null: nothing.
    RunTimes(const OpTimes& times, EdgeTimes* edges, const Levels& levels, std::size_t longest)
        : times_(&times), edges_(edges), levels_(&levels), longest_(longest), known_(levels.size() * longest) {}

    struct Time {
        double clocks = 0, pace = 0;  ///< of InputTime
    };
    /// Or less: no op is counted on once `enough` is true of what is known.
    template <class Enough>
    Time of(std::size_t first, std::size_t end, std::size_t level, Enough enough) {
        InputTime& time = known_[level * longest_ + first % longest_];
        if (time.first() != first || time.end() > end) time.begin(first);
        const std::vector<std::size_t>& chosen = levels_->chosen(level);
        for (Time known{time.clocks(), time.pace()};; known = {time.clocks(), time.pace()}) {
            if (time.end() == end || enough(known)) return known;
            time.add(*times_, chosen, 0, edges_);
        }
    }

private:
    const OpTimes* times_;
    EdgeTimes* edges_;
    const Levels* levels_;
    std::size_t longest_;
    std::vector<InputTime> known_;
};

/// What runs take at the least. Edges take no time here, and a level's ops no more than those of a later one: so more
/// ops and later levels take no less, and what is counted of one run is known of many.
class RunBounds {
public:
    RunBounds(const OpTimes& times, const Levels& levels, std::size_t ops, std::size_t longest);
    /// From here on runs with this end are asked for; each begins no later than the one before it.
    void begin(std::size_t end) {
        end_ = end;
        std::fill(most_.begin(), most_.end(), 0.0);
    }
    /// Clocks of runs with this end that begin where one was counted, or before: with this level or a later one.
    double known(std::size_t level) const { return most_[level]; }
    void count(std::size_t first, std::size_t level);

private:
    const OpTimes* times_;
    std::size_t ops_, longest_, end_ = 0;
    std::vector<OpTimes::Time> least_;  // by level and op: with that level or a later one
    std::vector<InputTime> runs_;       // by level and so many ops in a row as a run can have
    std::vector<double> most_;          // by level
};

}  // namespace ttsim::impl::ir
