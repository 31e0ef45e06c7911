// Residues of compensated updates. The value of a parameter is what the optimizer reads of it, plus its residue.
#pragma once

#include <map>
#include <span>
#include <string>

#include "compiler/backend/emit.hpp"
#include "kernels/tensor.hpp"

namespace ttsim::impl::ir {

/// The ram of a parameter's residue; null without one.
const std::string* residue_of(const TrainedParameter& parameter);

/// Names of the parameters' rams by the ram of the residue.
std::map<std::string, std::string> parameters_by_residue(std::span<const TrainedParameter> trained);

/// The name of a parameter that an op reads in a later epoch than the one that writes it, or whose average of squares
/// is; null: there is none. That op would take the whole change for what rounding took from it.
const std::string* overwritten_before_read(const Netlist& netlist, std::span<const TrainedParameter> trained);

/// Truncates elements in memory of the device as a register does where the optimizer reads them: Float32 to the digits
/// of Tf32, or on Grayskull of Float16_b. Other formats are unchanged.
void read_by_optimizer(const Netlist& netlist, const TrainedParameter& parameter, Tensor& stored);

/// The part of `exact` that is not in `stored`.
void subtract_stored(std::span<float> exact, std::span<const float> stored);

}  // namespace ttsim::impl::ir
