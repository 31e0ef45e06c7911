// What one input takes through ops that follow each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ttsim::impl::ir {

struct Choices;
class EdgeTimes;

/// What InputTime needs of all ops and their candidates, close together: policies count millions of runs.
class OpTimes {
public:
    struct Time {
        double cycles = 0;    ///< of the op's own work
        double tail = 0;      ///< of them, what is left to do when the last of its operands is there
        double resident = 0;  ///< until what it keeps is there
    };
    OpTimes() = default;
    explicit OpTimes(const Choices& choices);
    const Time& of(std::size_t op, std::size_t candidate) const { return times_[first_time_[op] + candidate]; }
    /// What it reads of other ops, by their place.
    std::span<const std::uint32_t> producers(std::size_t op) const {
        return std::span(producers_).subspan(first_producer_[op], first_producer_[op + 1] - first_producer_[op]);
    }

private:
    std::vector<Time> times_;
    std::vector<std::size_t> first_time_;  // per op
    std::vector<std::uint32_t> producers_;
    std::vector<std::size_t> first_producer_;  // per op, and one more
};

/// One input alone through ops that follow each other, as far as they are known.
class InputTime {
public:
    /// Of none yet; `first`: the op that comes next.
    void begin(std::size_t first) {
        first_ = first;
        made_.clear();
        clocks_ = pace_ = 0;
    }
    /// The next op; `chosen`: the candidates of the ops from `from` on. `edges`: handing over takes time as well.
    void add(const OpTimes& times, std::span<const std::size_t> chosen, std::size_t from, EdgeTimes* edges = nullptr);
    /// The next op where edges take no time; `own`: its time.
    void add(std::span<const std::uint32_t> producers, const OpTimes::Time& own);
    std::size_t first() const { return first_; }
    std::size_t end() const { return first_ + made_.size(); }  ///< of the ops that are known
    double clocks() const { return clocks_; }                  ///< until the last of all their results is there
    double pace() const { return pace_; }                      ///< of the slowest edge between them

private:
    /// When the first of a result is there, and all of it.
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
