// One walk over all state that determines the machine's future behaviour.
//
// Every component lists its state once, in a walk() function. A saving walk records it relative to the present: times
// relative to now, counts relative to the current input of the epoch. Two snapshots with equal words have the same
// future, shifted in time and inputs. An advancing walk moves the state forward by whole periods, adding the growth of
// a period to times and counts.
//
// A period is some inputs of the epochs in flight, or some iterations of the program's loop. After iterations other
// launches are in flight, which have done as much as these had at the earlier snapshot. So their counts start at their
// own first input, their sums must be equal, and the times that they report at their end are part of the state.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace ttsim::impl::sim {

using Cycle = std::uint64_t;

/// What a period consists of.
enum class Period : std::uint8_t { Inputs, Iterations };

/// Result of a saving walk.
struct Snapshot {
    Period period = Period::Inputs;
    std::vector<std::uint64_t> words;   ///< state that must be equal
    std::vector<std::uint64_t> totals;  ///< values that grow linearly and do not affect behaviour
    std::uint64_t hash = 0;             ///< hash of words
    Cycle now = 0;
};

class StateWalk {
public:
    /// Base of the counts of one epoch.
    struct Scope {
        std::int64_t base = 0;   ///< finished inputs
        std::int64_t moved = 0;  ///< inputs per period
    };

    /// A saving walk.
    StateWalk(Cycle now, Period period) : mode_(Mode::Save), period_(period) {
        snapshot_.now = now;
        snapshot_.period = period;
    }
    /// A limiting walk: finds how many periods may be skipped. A period is the time between `from` and `to`, which is
    /// the present.
    StateWalk(const Snapshot& from, const Snapshot& to)
        : mode_(Mode::Limit), period_(to.period), from_(&from), to_(&to) {}
    /// An advancing walk, from `to` by `periods`.
    StateWalk(const Snapshot& from, const Snapshot& to, std::uint64_t periods)
        : mode_(Mode::Advance),
          period_(to.period),
          from_(&from),
          to_(&to),
          periods_(periods),
          cycles_((to.now - from.now) * periods) {}

    bool saving() const { return mode_ == Mode::Save; }
    bool limiting() const { return mode_ == Mode::Limit; }
    bool advancing() const { return mode_ == Mode::Advance; }
    bool over_iterations() const { return period_ == Period::Iterations; }
    std::uint64_t periods() const { return periods_; }                 ///< periods to skip; limiting: upper limit
    Cycle cycles() const { return cycles_; }                           ///< to be skipped
    Cycle now() const { return saving() ? snapshot_.now : to_->now; }  ///< advancing: before the skip

    /// A time whose value matters only while it is in the future.
    void time(Cycle& when) {
        if (saving()) append_word(when > snapshot_.now ? when - snapshot_.now : 0);
        if (advancing()) when += cycles_;
    }
    /// A time whose distance from the present matters, past or future.
    void moment(Cycle& when) {
        if (saving()) append_word(when - snapshot_.now);
        if (advancing()) when += cycles_;
    }
    /// A count that grows by `per_input` with every input of the epoch.
    template <class Int>
    void count(Int& n, std::int64_t per_input, const Scope& scope) {
        const auto value = static_cast<std::int64_t>(n);
        if (saving()) append_word(static_cast<std::uint64_t>(value - scope.base * per_input));
        if (advancing()) n = static_cast<Int>(value + static_cast<std::int64_t>(periods_) * scope.moved * per_input);
    }
    /// A count with a different behaviour from `end` on.
    void count_below(std::int64_t& n, std::int64_t per_input, const Scope& scope, std::int64_t end) {
        if (limiting()) keep_below(n, scope.moved * per_input, end);
        count(n, per_input, scope);
    }
    /// A value that must be equal.
    template <std::integral Int>
    void fixed(Int value) {
        if (saving()) append_word(static_cast<std::uint64_t>(value));
    }
    /// A part of the machine. Parts of an epoch are recorded by their names, since those of the next launch are others.
    void fixed(const void* part) {
        if (!saving()) return;
        const auto name = names_.find(part);
        append_word(name == names_.end() ? reinterpret_cast<std::uintptr_t>(part) : name->second);
    }
    /// Names the parts of epochs 1, 2, ... in the order of the calls; no part has such an address.
    void name(const void* part) {
        if (saving()) names_.emplace(part, names_.size() + 1);
    }
    /// A value that grows by the same amount in every period and does not affect behaviour. Returns that amount (0 when
    /// saving).
    template <class Int>
    std::int64_t total(Int& value) {
        if (saving()) {
            snapshot_.totals.push_back(static_cast<std::uint64_t>(value));
            return 0;
        }
        const std::uint64_t growth = to_->totals[at_] - from_->totals[at_];
        ++at_;
        if (advancing()) value = static_cast<Int>(static_cast<std::uint64_t>(value) + growth * periods_);
        return static_cast<std::int64_t>(growth);
    }
    /// The time at which something last happened, which does not affect behaviour. Periods are certain only if it
    /// happens once per period at the same place, or never.
    void last_time(Cycle& when) {
        const auto growth = static_cast<Cycle>(total(when));
        if (limiting() && growth != 0 && growth != to_->now - from_->now) limit(0);
    }
    /// A sum over the inputs of a launch, which does not affect behaviour.
    template <class Int>
    void launch_sum(Int& value) {
        if (over_iterations())
            fixed(value);
        else
            total(value);
    }
    /// A time that a launch records, which does not affect behaviour: it moves with the inputs.
    void launch_time(Cycle& when, Cycle unset = 0) {
        if (over_iterations())
            launch_mark(when, unset);
        else
            total(when);
    }
    /// The same of a time that is recorded once, and so stays where it is when inputs are skipped.
    void launch_mark(Cycle& when, Cycle unset = 0) {
        if (!over_iterations()) return;
        fixed(when == unset);
        if (when != unset) moment(when);
    }
    /// Limits the number of periods.
    void limit(std::int64_t periods) {
        periods_ = std::min(periods_, static_cast<std::uint64_t>(std::max<std::int64_t>(0, periods)));
    }
    /// Limits the periods so that `value`, which grows by `growth` per period, stays below `end`.
    void keep_below(std::int64_t value, std::int64_t growth, std::int64_t end) {
        if (growth > 0) limit((end - 1 - value) / growth);
        if (value >= end && growth != 0) limit(0);
    }
    /// The snapshot must not be compared with others.
    void mark_incomparable() { comparable_ = false; }
    bool comparable() const { return comparable_; }

    /// The result of saving.
    Snapshot take() {
        std::uint64_t hash = 0xcbf29ce484222325U;
        for (const std::uint64_t w : snapshot_.words) hash = (hash ^ w) * 0x100000001b3U;
        snapshot_.hash = hash;
        return std::move(snapshot_);
    }

private:
    void append_word(std::uint64_t value) { snapshot_.words.push_back(value); }

    enum class Mode : std::uint8_t { Save, Limit, Advance };
    Mode mode_;
    Period period_;
    bool comparable_ = true;
    Snapshot snapshot_;
    const Snapshot *from_ = nullptr, *to_ = nullptr;
    std::uint64_t periods_ = std::numeric_limits<std::int64_t>::max();
    Cycle cycles_ = 0;
    std::size_t at_ = 0;
    std::unordered_map<const void*, std::uint64_t> names_;
};

}  // namespace ttsim::impl::sim
