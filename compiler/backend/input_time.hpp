// The latency of one input through consecutive ops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ttsim::impl::ir {

struct Choices;
class EdgeTimes;

/// Compact table of the times of all ops and candidates, since policies evaluate millions of runs.
class OpTimes {
public:
    struct Time {
        double cycles = 0;    ///< of the op alone
        double tail = 0;      ///< cycles left after its last operand has arrived
        double resident = 0;  ///< cycles to load its resident constants
    };
    OpTimes() = default;
    explicit OpTimes(const Choices& choices);
    const Time& of(std::size_t op, std::size_t candidate) const { return times_[first_time_[op] + candidate]; }
    /// Ops that it reads, by index.
    std::span<const std::uint32_t> producers(std::size_t op) const {
        return std::span(producers_).subspan(first_producer_[op], first_producer_[op + 1] - first_producer_[op]);
    }

private:
    std::vector<Time> times_;
    std::vector<std::size_t> first_time_;  // per op
    std::vector<std::uint32_t> producers_;
    std::vector<std::size_t> first_producer_;  // per op, and one more
};

/// Latency of one input through a run of ops that is extended op by op.
class InputTime {
public:
    /// Starts an empty run; `first`: the next op.
    void begin(std::size_t first) {
        first_ = first;
        made_.clear();
        clocks_ = pace_ = 0;
    }
    /// Adds the next op. `chosen`: the candidates of the ops from `from` on. `edges`: times of output streaming.
    void add(const OpTimes& times, std::span<const std::size_t> chosen, std::size_t from, EdgeTimes* edges = nullptr);
    /// Adds the next op if edges take no time; `own`: its time.
    void add(std::span<const std::uint32_t> producers, const OpTimes::Time& own);
    std::size_t first() const { return first_; }
    std::size_t end() const { return first_ + made_.size(); }  ///< end of the run
    double clocks() const { return clocks_; }                  ///< until all results are complete
    double pace() const { return pace_; }                      ///< of the slowest edge between them

private:
    /// Times of the first part of a result and of the complete result.
    struct Span {
        double first = 0, last = 0;
    };
    void make(const OpTimes::Time& own, const Span& begin) {
        made_.push_back({begin.first + own.tail, std::max(begin.first + own.cycles, begin.last + own.tail)});
        clocks_ = std::max(clocks_, made_.back().last);
    }
    std::size_t first_ = 0;
    std::vector<Span> made_;  // per op
    double clocks_ = 0, pace_ = 0;
};

/// Clocks of one input alone through the ops from `first` on with these candidates.
double latency_of(const OpTimes& times, std::size_t first, std::span<const std::size_t> chosen,
                  EdgeTimes* edges = nullptr);

}  // namespace ttsim::impl::ir
