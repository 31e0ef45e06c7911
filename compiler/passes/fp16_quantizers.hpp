// Work that a format of 5 exponent bits would do with more digits, and is right in it: integer-gemm and
// decompose-elementwise call what makes and rounds the steps of a quantizer so (Node::kind), and fp16-quantizers gives
// it Float16.
#pragma once

#include <string_view>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

inline constexpr std::string_view fp16_quantizers = "fp16_quantizers";

/// Where Dst holds 16 bits, and nobody says the formats of ops, which would be of both families then.
inline bool works_in_fp16_quantizers(const PassOptions& options) {
    return options.fp16_quantizers && !options.wide_dest && !options.accumulate_df && options.rules.empty() &&
           options.default_df == DataFormat::Float16_b;
}

}  // namespace ttsim::impl::ir
