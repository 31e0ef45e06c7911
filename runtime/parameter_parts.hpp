// Trained tensors of a model whose rows several parameters of the device hold.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/compiled_model.hpp"

namespace ttsim::impl::runtime {

/// One parameter, or those that hold the rows of the tensor, in their order.
using ParameterParts = std::vector<const ir::TrainedParameter*>;

/// Throws Error(Input) for a name that is not trained.
ParameterParts parts_of(const ir::CompiledModel& model, const std::string& name);

ir::Type whole_type(const ParameterParts& parts);

/// The tensor from the values of its parts.
ir::Literal joined_rows(std::vector<ir::Literal> parts);

/// The rows of a whole tensor that a parameter holds.
ir::Literal rows_of(const ir::Literal& whole, const ir::TrainedParameter& parameter);

}  // namespace ttsim::impl::runtime
