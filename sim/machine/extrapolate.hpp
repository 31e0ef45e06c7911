// Skips what repeats. In timing mode the machine is a finite thing that hears nothing from outside: once its whole
// state is one it had before, seen from the present, it will do the same again. The inputs of an epoch, and rounds of a
// program's loop, are then not simulated but added, as many as are surely alike.
//
//   end of an input, end of an epoch --save--> Snapshot --equal to an earlier one?--> limit --> advance
//
// Nothing is assumed: a state that differs in one word is simulated on.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "sim/machine/state_walk.hpp"

namespace ttsim::impl {
class Queue;
}

namespace ttsim::impl::sim {

/// The last snapshots of one kind, to be found again by their words.
template <class Mark>
class History {
public:
    struct Entry {
        Snapshot snapshot;
        Mark mark;  ///< what else belongs to the moment
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
    static constexpr std::size_t longest = 32;  ///< moments looked back
    std::deque<Entry> entries_;
};

}  // namespace ttsim::impl::sim
