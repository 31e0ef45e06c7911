// The bytes of .onnx files as they are.
#include "compiler/onnx/read.hpp"
#include "tests/fuzz/lower.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void onnx_file(const std::string& bytes) {
    answer([&] { lower(ir::parse_onnx(bytes, "fuzz.onnx", {}), {}); });
}

}  // namespace ttsim::impl::fuzz
