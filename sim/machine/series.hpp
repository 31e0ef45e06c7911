// A compressed list of rows, one row per input, in which repeated rows are stored once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

/// The row of `times` inputs: input, input + every, ...; each starts `shift` cycles after the previous one.
template <class Row>
struct Repeated {
    Row row;
    std::int64_t times = 1, every = 1;
    Cycle shift = 0;
    Cycle start(std::int64_t n) const { return row.start + static_cast<Cycle>(n) * shift; }
};

/// Row needs `input`, `start`, move_by(cycles), and same_as(row) and digest(), which compare and hash everything except
/// these two. Inputs are appended in order, without gaps.
template <class Row>
class Series {
public:
    static constexpr std::size_t longest_period = 8;

    void append(Row&& row) {
        if (period_ > 0) {
            const Repeated<Row>& expected = rows_[rows_.size() - period_ + phase_];
            if (row.same_as(expected.row) && row.start == expected.start(expected.times)) {
                if (++phase_ == period_) end_period();
                return;
            }
            end_repetition();
        }
        rows_.push_back({std::move(row)});
        ++singles_;
        begin_repetition();
    }
    /// Called after the last append(): stores the rows of an incomplete period separately.
    void close() {
        if (period_ > 0) end_repetition();
    }
    /// Walks the rows; `over` is the number of inputs that were appended. Over inputs, those that were appended within
    /// the period repeat. Over iterations, the rows of the next launch are the same, later.
    void walk(StateWalk& walk, std::int64_t& over) {
        if (!walk.over_iterations()) {
            const std::int64_t more = walk.total(over);
            if (walk.advancing() && more > 0) repeat(static_cast<std::size_t>(more), walk);
            return;
        }
        walk.fixed(over);
        walk.fixed(period_);
        walk.fixed(phase_);
        walk.fixed(singles_);
        walk.fixed(rows_.size());
        for (Repeated<Row>& seen : rows_) {
            walk.fixed(seen.times);
            walk.fixed(seen.every);
            walk.fixed(seen.shift);
            walk.fixed(seen.row.input);
            walk.fixed(walk.saving() ? seen.row.digest() : 0);
            walk.fixed(seen.row.start - walk.now());
            if (walk.advancing()) seen.row.move_by(walk.cycles());
        }
    }
    /// Repeats the last `period` rows as often, and at the distance, as the walk skips periods.
    void repeat(std::size_t period, const StateWalk& walk) {
        const auto periods = static_cast<std::int64_t>(walk.periods());
        const Cycle shift = walk.cycles() / walk.periods();
        const std::size_t covered = period_ == 0 ? 0 : period_ * static_cast<std::size_t>(rows_.back().times) + phase_;
        if (covered >= period && period % period_ == 0 && rows_.back().shift * (period / period_) == shift) {
            // The current repetition continues, in any phase.
            const auto rounds = periods * static_cast<std::int64_t>(period / period_);
            for (std::size_t i = rows_.size() - period_; i < rows_.size(); ++i) rows_[i].times += rounds;
            return;
        }
        std::vector<Row> last = last_rows(period);
        close();
        for (Row& row : last) {
            row.input += static_cast<std::int64_t>(period);
            row.move_by(shift);
            rows_.push_back({std::move(row), periods, static_cast<std::int64_t>(period), shift});
        }
        period_ = period;
        singles_ = phase_ = 0;
    }
    /// Calls `function` with every row and its count, including rows of an incomplete period.
    template <class Function>
    void each(Function&& function) const {
        for (const Repeated<Row>& seen : rows_) function(seen.row, seen.times);
        for (std::size_t i = rows_.size() - period_; i < rows_.size() - period_ + phase_; ++i)
            function(rows_[i].row, std::int64_t{1});
    }
    bool empty() const { return rows_.empty(); }
    const std::vector<Repeated<Row>>& rows() const { return rows_; }
    std::vector<Repeated<Row>>& rows() { return rows_; }

private:
    /// The last `count` rows, expanded, oldest first.
    std::vector<Row> last_rows(std::size_t count) const {
        std::vector<Row> last;
        std::size_t group_end = rows_.size(), phase = phase_;
        while (last.size() < count && group_end > 0) {
            // A group is the rows of one repetition, or a single row.
            const Repeated<Row>& tail = rows_[group_end - 1];
            const auto size = static_cast<std::size_t>(tail.every);
            for (std::int64_t n = static_cast<std::int64_t>(phase + size * static_cast<std::size_t>(tail.times)) - 1;
                 n >= 0 && last.size() < count; --n) {
                const Repeated<Row>& seen = rows_[group_end - size + static_cast<std::size_t>(n) % size];
                const std::int64_t round = n / static_cast<std::int64_t>(size);
                Row row = seen.row;
                row.input += round * seen.every;
                row.move_by(static_cast<Cycle>(round) * seen.shift);
                last.push_back(std::move(row));
            }
            group_end -= size;
            phase = 0;
        }
        std::reverse(last.begin(), last.end());
        return last;
    }
    void end_period() {
        for (std::size_t i = rows_.size() - period_; i < rows_.size(); ++i) ++rows_[i].times;
        phase_ = 0;
    }
    void end_repetition() {
        const std::size_t first = rows_.size() - period_;
        rows_.reserve(rows_.size() + phase_);  // keeps the references below valid
        for (std::size_t i = first; i < first + phase_; ++i) {
            const Repeated<Row>& seen = rows_[i];
            Row copy = seen.row;
            copy.move_by(seen.start(seen.times) - copy.start);
            copy.input += seen.times * seen.every;
            rows_.push_back({std::move(copy)});
        }
        singles_ = phase_;
        period_ = phase_ = 0;
    }
    /// Starts a repetition when the last rows are two equal periods.
    void begin_repetition() {
        for (std::size_t period = 1; period <= longest_period && 2 * period <= singles_; ++period) {
            const auto last = rows_.end() - static_cast<std::ptrdiff_t>(period);
            const auto before = last - static_cast<std::ptrdiff_t>(period);
            const Cycle shift = last->row.start - before->row.start;
            if (!std::equal(before, last, last, [&](const Repeated<Row>& a, const Repeated<Row>& b) {
                    return b.row.start - a.row.start == shift && b.row.same_as(a.row);
                }))
                continue;
            rows_.erase(last, rows_.end());
            for (auto it = rows_.end() - static_cast<std::ptrdiff_t>(period); it != rows_.end(); ++it) {
                it->times = 2;
                it->every = static_cast<std::int64_t>(period);
                it->shift = shift;
            }
            period_ = period;
            singles_ = 0;
            return;
        }
    }

    std::vector<Repeated<Row>> rows_;
    std::size_t singles_ = 0;  // rows at the end that belong to no repetition
    std::size_t
        period_ = 0,
        phase_ = 0;  // length of the current repetition (0: none); rows of it appended since the last complete period
};

}  // namespace ttsim::impl::sim
