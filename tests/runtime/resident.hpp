// Memory of the process, for tests of what must not grow.
#pragma once

#include <cstdint>
#include <fstream>

namespace ttsim::impl::testing {

/// Bytes of memory the process holds.
inline std::int64_t resident() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t all = 0, pages = 0;
    statm >> all >> pages;
    return pages * 4096;
}

}  // namespace ttsim::impl::testing
