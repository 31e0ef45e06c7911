// ONNX models made of the bytes: read, folded and lowered.
#include "compiler/onnx/read.hpp"
#include "tests/fuzz/lower.hpp"
#include "tests/fuzz/random_model.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void onnx(const std::string& bytes) {
    if (bytes.empty()) return;
    ir::PassOptions options;  // the first byte chooses
    const auto choice = static_cast<unsigned char>(bytes[0]);
    options.default_df = choice % 4 == 0   ? DataFormat::Float32
                         : choice % 4 == 1 ? DataFormat::Float16
                                           : DataFormat::Float16_b;
    options.stable_softmax = choice % 8 < 4;
    options.host_fallback = choice % 16 < 12;
    options.wide_dest = choice % 32 < 16;
    answer([&] { lower(ir::parse_onnx(random_model(bytes.substr(1)), "fuzz.onnx", {}), options); });
}

}  // namespace ttsim::impl::fuzz
