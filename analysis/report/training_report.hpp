// The figures of a training step (base/training_figures.hpp) as text and JSON, for all reports.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/training_figures.hpp"

namespace ttsim::impl::report {

/// A table with a row for each epoch type and one for the step.
std::string training_text(const TrainingUse& use, std::optional<std::size_t> width);
/// null for a netlist that does not train.
nlohmann::ordered_json training_json(const std::optional<TrainingUse>& use);

}  // namespace ttsim::impl::report
