// Values in .npy files.
#include "compiler/onnx/value_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void npy(const std::string& bytes) {
    answer([&] { ir::parse_npy(bytes, "fuzz.npy"); });
}

}  // namespace ttsim::impl::fuzz
