// Forks whose readers block each other. A nop decouples a reader that waits for another path from the same fork.
#pragma once

#include <map>

#include "compiler/backend/choices.hpp"
#include "netlist/plan/output_streaming.hpp"

namespace ttsim::impl::ir {

/// An op that reads another without a queue, and the operand.
struct DirectReader {
    const Op* op = nullptr;
    std::size_t operand = 0;
};

/// The tiles that each reader reads, in order.
std::vector<OutputReader> direct_readers(const Op& producer, const std::vector<DirectReader>& readers);
/// Whether the planner streams the op's output in blocks to several readers. Then no reader gets the next block before
/// all have read the current one.
bool forks_in_blocks(const Op& producer, const std::vector<DirectReader>& readers, std::int64_t microbatch);

/// Whether readers deadlock: each reads the op's cores in its own order, and a core's next block is sent only after all
/// readers have read its current one.
bool has_circular_wait(const Op& producer, const std::vector<OutputReader>& readers);

/// Held forks of a schedule with its final ublock orders. `waiting`: direct edge -> slices that wait in its producer.
std::vector<HeldFork> held_forks(const Choices& choices, const std::map<std::size_t, double>& waiting,
                                 std::int64_t microbatch, const Schedule& schedule);

/// The graph with a nop before each of these operands.
Graph with_nops(const Graph& graph, const std::vector<HeldFork>& forks);

}  // namespace ttsim::impl::ir
