// Latencies of one input through runs of consecutive ops, per level of targets. The search for epochs needs millions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "compiler/backend/input_time.hpp"
#include "compiler/backend/levels.hpp"

namespace ttsim::impl::ir {

/// Empty runs, which may have the memory of earlier ones: a search fills some megabytes, and one search follows
/// another.
std::vector<InputTime> blank_runs(std::size_t count);
/// Keeps the memory for the next blank_runs() of the thread.
void reuse_runs(std::vector<InputTime> runs);

/// Extends known runs instead of recomputing them: keeps the last run per level and first op (modulo the longest run).
class RunTimes {
public:
    /// `edges`: times of output streaming; null: ignored.
    RunTimes(const OpTimes& times, EdgeTimes* edges, const Levels& levels, std::size_t longest)
        : times_(&times),
          edges_(edges),
          levels_(&levels),
          longest_(longest),
          known_(blank_runs(levels.size() * longest)) {}
    RunTimes(const RunTimes&) = delete;
    RunTimes& operator=(const RunTimes&) = delete;
    ~RunTimes() { reuse_runs(std::move(known_)); }

    struct Time {
        double clocks = 0, pace = 0;  ///< of InputTime
    };
    /// The time of a run, or a lower bound of it as soon as `enough` accepts the bound.
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

/// Lower bounds of the times of runs, without edges and with the minimum over all higher levels per op. They increase
/// with more ops and higher levels, so one computed run bounds many.
class RunBounds {
public:
    RunBounds(const OpTimes& times, const Levels& levels, std::size_t ops, std::size_t longest);
    RunBounds(const RunBounds&) = delete;
    RunBounds& operator=(const RunBounds&) = delete;
    ~RunBounds() { reuse_runs(std::move(runs_)); }
    /// Starts queries for runs with this end, in order of decreasing begin.
    void begin(std::size_t end) {
        end_ = end;
        std::fill(most_.begin(), most_.end(), 0.0);
    }
    /// Lower bound for runs with this end that begin at or before a counted one, at this level or a higher one.
    double known(std::size_t level) const { return most_[level]; }
    void count(std::size_t first, std::size_t level);

private:
    const OpTimes* times_;
    std::size_t ops_, longest_, end_ = 0;
    std::vector<OpTimes::Time> least_;  // by level and op: minimum over this level and higher ones
    std::vector<InputTime> runs_;       // by level and first op modulo the longest run
    std::vector<double> most_;          // by level
};

}  // namespace ttsim::impl::ir
