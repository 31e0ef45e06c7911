// Netlists whose program is a loop over graphs on several chips.
#pragma once

#include <cstdint>
#include <string>

namespace ttsim::impl::test {

/// Each chip copies queues of its own. `last`: executed once more behind the loop.
std::string separate_chips(int chips, int loops, int entries, const std::string& last = "");
/// Each chip reads the queue that the one before writes.
std::string chain_over_chips(int chips, int loops, int entries, int inputs);
/// Chains of graphs on random chips, with queues of the host, of other graphs and constants, in loops and loops in
/// loops, with pointers of their own or common ones.
std::string random_chip_loops(std::uint32_t seed, int chips);

}  // namespace ttsim::impl::test
