// Extrapolation of repeated work. In timing mode the machine has no external input. When its whole state, relative to
// the present, equals an earlier state, it will repeat what followed. Inputs of an epoch and iterations of a program's
// loop are then skipped and accounted for without simulation.
//
//   end of an input, end of an epoch --save--> Snapshot --equal to an earlier one?--> limit --> advance
//
// Extrapolation is exact: a state that differs in one word is simulated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "sim/machine/state_walk.hpp"

namespace ttsim::impl {
class Queue;
}

namespace ttsim::impl::sim {

/// Which of a row of states are compared: all of the first ones, and fewer and fewer while none was equal to an earlier
/// one.
class Backoff {
public:
    bool due() {
        const std::uint64_t step = std::uint64_t{1} << std::min<std::uint64_t>(compared_ / per_step, 12);
        if (seen_++ % step != 0) return false;
        ++compared_;
        return true;
    }
    void reset() { compared_ = seen_ = 0; }

private:
    static constexpr std::uint64_t per_step = 64;
    std::uint64_t compared_ = 0, seen_ = 0;
};

/// The latest snapshots of one kind, searched by their words.
template <class Mark>
class History {
public:
    struct Entry {
        Snapshot snapshot;
        Mark mark;  ///< caller's data of the snapshot
    };
    /// The latest entry with the same words, or nullptr.
    const Entry* find(const Snapshot& snapshot) const {
        for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
            if (entry->snapshot.hash == snapshot.hash && entry->snapshot.words == snapshot.words) return &*entry;
        return nullptr;
    }
    void add(Snapshot snapshot, Mark mark) {
        if (entries_.size() == longest) entries_.pop_front();
        entries_.push_back({std::move(snapshot), std::move(mark)});
    }
    void clear() { entries_.clear(); }

private:
    static constexpr std::size_t longest = 32;  ///< snapshots kept
    std::deque<Entry> entries_;
};

}  // namespace ttsim::impl::sim
