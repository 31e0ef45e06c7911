// Values in .npy files.
#include "compiler/onnx/value_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace tt::fuzz {

void npy(const std::string& bytes) {
    answer([&] { ir::parse_npy(bytes, "fuzz.npy"); });
}

}  // namespace tt::fuzz
