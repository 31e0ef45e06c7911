// Cluster descriptors.
#include <algorithm>

#include "netlist/device/cluster.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void cluster(const std::string& bytes) {
    const std::string file = file_of(bytes);
    for (const char* name : {"grayskull", "wormhole_b0"})
        answer([&] {
            const Cluster read = read_cluster(file, chip(name));
            TT_CHECK(std::is_sorted(read.chips.begin(), read.chips.end()), "chips are in order");
        });
}

}  // namespace ttsim::impl::fuzz
