// A mark for ops of quantizers that are correct with 5 exponent bits and more precise in Float16. integer-gemm and
// decompose-elementwise set it as Node::kind; fp16-quantizers then gives these ops Float16.
#pragma once

#include <string_view>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

inline constexpr std::string_view fp16_quantizers = "fp16_quantizers";

/// True if Dst holds 16 bits and no rule sets formats. With rules, ops could have operands of both exponent families.
inline bool uses_fp16_quantizers(const PassOptions& options) {
    return options.fp16_quantizers && !options.wide_dest && !options.accumulate_df && options.rules.empty() &&
           options.default_df == DataFormat::Float16_b;
}

}  // namespace ttsim::impl::ir
