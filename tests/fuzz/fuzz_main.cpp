// libFuzzer's entry for the target TT_FUZZ_TARGET; see scripts/fuzz.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ttsim::impl::fuzz::TT_FUZZ_TARGET(std::string(data, data + size));
    return 0;
}
