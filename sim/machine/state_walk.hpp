// One walk over everything that decides what the machine does next.
//
// Every part lists its state once, in a walk() function. Saving, the walk writes it down relative to the present: times
// as "from now", counts as "beyond the input its epoch is at". Two walks that agree word for word are two moments after
// which the same happens, only later and with later inputs. Advancing, the same walk moves the state on by whole
// periods: times and counts by what a period adds.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

namespace ttsim::impl::sim {

using Cycle = std::uint64_t;

/// What one saving walk found.
struct Snapshot {
    std::vector<std::uint64_t> words;   ///< must agree
    std::vector<std::uint64_t> totals;  ///< grow linearly, decide nothing
    std::uint64_t hash = 0;             ///< of words
    Cycle now = 0;
};

class StateWalk {
public:
    /// What the counts of one epoch are taken from.
    struct Scope {
        std::int64_t base = 0;   ///< inputs that are over
        std::int64_t moved = 0;  ///< inputs a period adds
    };

    /// Saves.
    explicit StateWalk(Cycle now) : mode_(Mode::Save) { snapshot_.now = now; }
    /// Finds how many periods may be skipped. A period is what lay between `from` and `to`, which is the present.
    StateWalk(const Snapshot& from, const Snapshot& to) : mode_(Mode::Limit), from_(&from), to_(&to) {}
    /// Advances from `to` by `periods`.
    StateWalk(const Snapshot& from, const Snapshot& to, std::uint64_t periods)
        : mode_(Mode::Advance), from_(&from), to_(&to), periods_(periods), cycles_((to.now - from.now) * periods) {}

    bool saving() const { return mode_ == Mode::Save; }
    bool limiting() const { return mode_ == Mode::Limit; }
    bool advancing() const { return mode_ == Mode::Advance; }
    std::uint64_t periods() const { return periods_; }                 ///< to be skipped; limiting: at most so many
    Cycle cycles() const { return cycles_; }                           ///< to be skipped
    Cycle now() const { return saving() ? snapshot_.now : to_->now; }  ///< advancing: before the skip

    /// A moment; the past is all alike.
    void time(Cycle& when) {
        if (saving()) word(when > snapshot_.now ? when - snapshot_.now : 0);
        if (advancing()) when += cycles_;
    }
    /// A moment of which the distance from the present matters, past or future.
    void moment(Cycle& when) {
        if (saving()) word(when - snapshot_.now);
        if (advancing()) when += cycles_;
    }
    /// Something of which every input of the epoch has `per_input`.
    template <class Int>
    void count(Int& n, std::int64_t per_input, const Scope& scope) {
        const auto value = static_cast<std::int64_t>(n);
        if (saving()) word(static_cast<std::uint64_t>(value - scope.base * per_input));
        if (advancing()) n = static_cast<Int>(value + static_cast<std::int64_t>(periods_) * scope.moved * per_input);
    }
    /// The same, of something that behaves differently once it has reached `end`.
    void count_below(std::int64_t& n, std::int64_t per_input, const Scope& scope, std::int64_t end) {
        if (limiting()) keep_below(n, scope.moved * per_input, end);
        count(n, per_input, scope);
    }
    /// Something that must be the same.
    template <std::integral Int>
    void fixed(Int value) {
        if (saving()) word(static_cast<std::uint64_t>(value));
    }
    void fixed(const void* part) { fixed(reinterpret_cast<std::uintptr_t>(part)); }
    /// Something that grows by the same amount in every period, and by itself decides nothing. Returns that amount
    /// (not when saving).
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
    /// No more periods than that.
    void limit(std::int64_t periods) {
        periods_ = std::min(periods_, static_cast<std::uint64_t>(std::max<std::int64_t>(0, periods)));
    }
    /// `value`, which a period moves by `growth`, has to stay below `end`.
    void keep_below(std::int64_t value, std::int64_t growth, std::int64_t end) {
        if (growth > 0) limit((end - 1 - value) / growth);
        if (value >= end && growth != 0) limit(0);
    }
    /// This moment cannot be compared with another.
    void give_up() { comparable_ = false; }
    bool comparable() const { return comparable_; }

    /// The result of saving.
    Snapshot take() {
        std::uint64_t hash = 0xcbf29ce484222325U;
        for (const std::uint64_t w : snapshot_.words) hash = (hash ^ w) * 0x100000001b3U;
        snapshot_.hash = hash;
        return std::move(snapshot_);
    }

private:
    void word(std::uint64_t value) { snapshot_.words.push_back(value); }

    enum class Mode : std::uint8_t { Save, Limit, Advance };
    Mode mode_;
    bool comparable_ = true;
    Snapshot snapshot_;
    const Snapshot *from_ = nullptr, *to_ = nullptr;
    std::uint64_t periods_ = std::numeric_limits<std::int64_t>::max();
    Cycle cycles_ = 0;
    std::size_t at_ = 0;
};

}  // namespace ttsim::impl::sim
