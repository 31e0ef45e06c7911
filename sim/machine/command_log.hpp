// What affects the simulation about the commands of a program, to find out whether those to come repeat earlier ones.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "netlist/program/queue_state.hpp"

namespace ttsim::impl::sim {

/// The properties of a command that affect the simulation: numbers that must be equal in each iteration, and entry
/// numbers of queues, which advance by the same step.
struct IssuedCommand {
    std::vector<std::int64_t> same;
    std::vector<std::pair<const Queue*, std::int64_t>> entries;
    bool jumped = false;  ///< entries depend on launches of other chips before it (QueueAccess::jumped)
};
/// `access`: the entries that a launch uses, as the pointers gave them; empty for other commands.
IssuedCommand describe(const EpochCommand& command, const std::map<const Queue*, QueueAccess>& access,
                       PointerTable& pointers);

/// Popped entries of each queue at two points of a run, and so the step of its entry numbers between them.
using Popped = std::map<const Queue*, std::int64_t>;
class EntrySteps {
public:
    EntrySteps(const Popped& from, const Popped& to);
    /// Whether `later` is `earlier` with entry numbers advanced by one step.
    bool repeats(const IssuedCommand& earlier, const IssuedCommand& later) const;

private:
    Popped steps_;
};

/// The commands that were issued last, by their number in program order. They are issued as soon as they may, and not
/// always in that order.
class CommandLog {
public:
    void add(std::size_t number, IssuedCommand command);
    /// nullptr: it is not issued yet, or too long ago.
    const IssuedCommand* find(std::size_t number) const;
    void restart(std::size_t from);

private:
    static constexpr std::size_t longest = 65'536;  ///< longer loop iterations are not recognized
    std::deque<IssuedCommand> commands_;            // from number from_; an empty one is not issued yet
    std::size_t from_ = 0;
};

}  // namespace ttsim::impl::sim
