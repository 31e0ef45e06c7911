// Sizes of buffers between the ops of one epoch. If paths of different length meet again, the shorter one must buffer
// the data in transit on the longer one.
#pragma once

#include <map>

#include "compiler/backend/edge_limits.hpp"

namespace ttsim::impl::ir {

/// An op of the epoch with its candidate.
struct RoutedOp {
    const Op* op = nullptr;
    const Candidate* candidate = nullptr;
    std::size_t number = 0;  ///< of the candidate
};

/// An edge whose buffer has no room in its producer's L1.
struct NoRoom {
    std::size_t edge = 0;
    std::int64_t bytes_over = 0;
};

struct Routes {
    std::vector<std::int64_t> buffers;      ///< buf_size_mb of each op
    std::vector<NoRoom> no_room;            ///< in the order of consumers
    std::map<std::size_t, double> waiting;  ///< edge -> slices that wait for another path, at full pace
    double output_streaming_cycles = 0;     ///< of the slowest output, per input
};

/// For the ops first .. first + ops.size() - 1 of the choices. `cut`: edges that go through DRAM. Edges in `no_room`
/// are treated as cut as soon as they are found.
Routes route(const Choices& choices, const EdgeCosts& costs, const std::vector<RoutedOp>& ops, std::size_t first,
             const std::vector<bool>& cut);

}  // namespace ttsim::impl::ir
