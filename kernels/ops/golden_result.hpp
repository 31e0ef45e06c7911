// Golden's postprocessing of an op's result; the simulator uses pack_result() instead.
#pragma once

#include "kernels/op_config.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// Adds the previous output (gradient_op; nullptr otherwise), then applies relu, then rounds and saturates if out_df is
/// Int8, UInt8, UInt16 or Int32. Float formats are not rounded. Idempotent without `previous`.
void finish_golden(const OpConfig& op, const Tensor* previous, Tensor& result);

}  // namespace ttsim::impl
