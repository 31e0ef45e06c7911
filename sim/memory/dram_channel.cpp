#include "sim/memory/dram_channel.hpp"

#include <algorithm>

namespace ttsim::impl::sim {

double DramTiming::busy(bool write, std::uint64_t bytes) const {
    const double size = static_cast<double>(bytes);
    double clocks = size / peak_bytes / (1 - refresh_for / refresh_every);
    clocks += size / page_bytes * (write ? page_write : page_read);
    if (write && bytes <= small_bytes) clocks = std::max(clocks, small_write);
    return std::max(clocks, request);
}

}  // namespace ttsim::impl::sim
