// Which commands of the window may be issued next. A command is not compared with those ahead of it: each chip and each
// queue knows the last commands that use it, and the others are over before those.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/machine/command_dependencies.hpp"

namespace ttsim::impl::sim {

/// A command that waits for earlier ones, or is waited for.
struct OrderedCommand {
    CommandUse use;
    std::size_t number = 0;  ///< in program order
    bool over = false;

private:
    friend class CommandOrder;
    std::size_t awaited = 0;               // earlier commands that are not over
    std::vector<OrderedCommand*> waiting;  // later ones that await this one
};

/// The order that conflict() demands. Commands must stay where they are until they are over.
class CommandOrder {
public:
    explicit CommandOrder(const Netlist& netlist);
    /// Adds a command behind all others. One that is issued already is only waited for.
    void add(OrderedCommand& command, bool issued = false);
    /// The first command in program order that awaits none, which counts as issued from now on; nullptr: there is none.
    OrderedCommand* take();
    void finish(OrderedCommand& command);  ///< it is over
    void clear();

private:
    /// The commands that use a queue's memory, as far as later ones must wait for them.
    struct QueueUsers {
        OrderedCommand *reader = nullptr, *writer = nullptr;  ///< the last; of a ram: only the writer
        std::vector<OrderedCommand*> since;                   ///< commands that read a ram after its last writer
    };
    void await(OrderedCommand& later, OrderedCommand* earlier);
    void use_last(OrderedCommand& command, OrderedCommand*& last);
    void use_ram(OrderedCommand& command, QueueUsers& users, bool written);
    QueueUsers& users(const Queue& owner);
    void unblock(OrderedCommand& command);

    const Netlist& netlist_;
    std::vector<QueueUsers> queues_;      // in the order of the netlist
    std::vector<OrderedCommand*> chips_;  // by id: the last command on the chip
    std::vector<OrderedCommand*> ready_;  // a heap, the first in program order on top
};

}  // namespace ttsim::impl::sim
