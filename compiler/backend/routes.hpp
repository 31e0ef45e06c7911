// Buffers between the ops of one epoch: where paths of different length meet again, the shorter one must hold what is
// under way on the longer.
#pragma once

#include <map>

#include "compiler/backend/edge_limits.hpp"

namespace ttsim::impl::ir {

/// An op of the epoch as it is made.
struct RoutedOp {
    const Op* op = nullptr;
    const Candidate* candidate = nullptr;
    std::size_t number = 0;  ///< of the candidate
};

/// An edge for which its producer has no room in L1.
struct NoRoom {
    std::size_t edge = 0;
    std::int64_t bytes_over = 0;
};

struct Routes {
    std::vector<std::int64_t> buffers;      ///< buf_size_mb of each op
    std::vector<NoRoom> no_room;            ///< by edge, in the order of consumers
    std::map<std::size_t, double> waiting;  ///< edge -> slices that wait there for another path, at full pace
    double output_streaming_cycles = 0;     ///< of the op whose output takes longest to hand over, per input
};

/// For the ops first .. first + ops.size() - 1 of the choices. `cut`: edges that go through DRAM; those of `no_room`
/// are taken to be cut as well from where they are met.
Routes route(const Choices& choices, const EdgeCosts& costs, const std::vector<RoutedOp>& ops, std::size_t first,
             const std::vector<bool>& cut);

}  // namespace ttsim::impl::ir
