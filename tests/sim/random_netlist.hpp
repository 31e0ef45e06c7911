// Random small netlists that a chip must be able to run: one or two graphs of copies, element-wise ops and matmuls
// with re-cut tensors, TMs, forks and joins.
#pragma once

#include <cstdint>
#include <string>

namespace ttsim::impl::test {

struct RandomNetlist {
    std::string text;
    bool may_hang = false;  ///< small buffers: a fork whose branches meet again can starve
};

/// `longer`: tens of inputs, and rounds of a loop.
RandomNetlist random_netlist(std::uint32_t seed, bool longer = false);

}  // namespace ttsim::impl::test
