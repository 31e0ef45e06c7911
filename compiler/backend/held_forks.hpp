// Forks that wait for each other: a nop between takes a reader that waits for another path out of the fork.
#pragma once

#include <map>

#include "compiler/backend/choices.hpp"
#include "netlist/plan/output_streaming.hpp"

namespace ttsim::impl::ir {

/// An op that reads another without a queue between, and as which operand.
struct DirectReader {
    const Op* op = nullptr;
    std::size_t operand = 0;
};

/// The tiles that each of them takes, and in what order.
std::vector<OutputReader> direct_readers(const Op& producer, const std::vector<DirectReader>& readers);
/// Whether the op hands its tiles to these readers, by the planner's rules, in blocks to several. Then none gets the
/// next block before all have taken this one.
bool forks_in_blocks(const Op& producer, const std::vector<DirectReader>& readers, std::int64_t microbatch);

/// Whether readers that take from the op's cores in turn, each in its order, stop for good: one waits for the next
/// block of a core, which another has to take this one for, which takes from another core before.
bool wait_in_a_circle(const Op& producer, const std::vector<OutputReader>& readers);

/// Of a schedule with its final orders. `waiting`: edge -> slices that wait in its producer, of direct edges inside
/// epochs.
std::vector<HeldFork> held_forks(const Choices& choices, const std::map<std::size_t, double>& waiting,
                                 std::int64_t microbatch, const Schedule& schedule);

/// The graph with a nop in front of each of these operands.
Graph with_nops(const Graph& graph, const std::vector<HeldFork>& forks);

}  // namespace ttsim::impl::ir
