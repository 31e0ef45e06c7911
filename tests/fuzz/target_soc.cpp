// Soc descriptors, for both kinds of chips.
#include "netlist/device/soc_descriptor.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void soc(const std::string& bytes) {
    const std::string file = file_of(bytes);
    for (const char* name : {"grayskull", "wormhole_b0"})
        answer([&] {
            const SocDescriptor soc = read_soc_descriptor(file, chip(name));
            TT_CHECK(!soc.params.worker_x.empty() && !soc.params.dram.empty(), "a chip has cores and DRAM");
        });
}

}  // namespace ttsim::impl::fuzz
