// Launches that golden advances together, some inputs at a time: queues between their graphs then hold the entries of
// some inputs, not of all.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "netlist/program/queue_state.hpp"

namespace ttsim::impl {

/// Launches in program order, and how far each is. Their order does not matter to results: a later launch takes from
/// earlier ones only entries of FIFOs, which never change, and waits for them.
class LaunchGroup {
public:
    using Uses = std::vector<const std::vector<QueueUse>*>;  ///< of each graph of a launch
    using Access = std::map<const Queue*, QueueAccess>;
    struct Member {
        Uses uses;
        const Access* access = nullptr;
        std::int64_t inputs = 0, next = 0;  ///< `next`: inputs done
        bool done() const { return next == inputs; }
    };

    explicit LaunchGroup(const Netlist& netlist) : netlist_(&netlist) {}

    /// Whether the launch may follow those of the group before they end.
    bool accepts(const EpochLaunch& launch, const Uses& uses) const;
    /// `access` must outlive the group's next clear().
    void add(const EpochLaunch& launch, Uses uses, const Access& access);
    void clear();

    std::size_t size() const { return members_.size(); }
    Member& at(std::size_t k) { return members_[k]; }
    bool done() const;
    /// Whether the next input of member k reads an entry that an earlier member has yet to write. `has`: whether an
    /// entry exists.
    bool waits(std::size_t k, const std::function<bool(const Queue&, std::int64_t)>& has) const;
    /// The lowest entry of a FIFO that inputs to come read; the highest number if there is none.
    std::int64_t first_needed(const Queue& queue) const;
    /// Elements that pass from launch to launch for one input.
    std::int64_t passed_elements() const;

private:
    struct State {
        std::vector<std::size_t> readers, writers;  // members
        bool viewed = false;                        // through an alias
    };
    const Queue& base_of(const Queue& queue) const;

    const Netlist* netlist_;
    std::vector<Member> members_;
    std::set<const Graph*> graphs_;
    std::map<const Queue*, State> states_;  // by the queue that has the memory
};

}  // namespace ttsim::impl
