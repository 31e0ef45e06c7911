// Chips of the ops of a model that is trained on several chips.
#pragma once

#include <vector>

#include "compiler/backend/choices.hpp"

namespace ttsim::impl::ir {

/// Cuts the forward ops into runs, one for each chip, with about the same work of a step: of their own, of the backward
/// ops made from them, and of the optimizer. A backward op is on the chip of its forward op. A parameter, its summed
/// gradient and its state are on the chip of the first forward op that reads the parameter, with all other readers.
/// Sets OpChoices::training_chip, and sorts the ops of each program by chip as far as their operands allow. `ops`: by
/// program. Throws Error(Unsupported) if an op reads parameters of two chips.
void assign_training_chips(std::vector<OpChoices>& ops, const Graph& graph, std::int64_t chips);

}  // namespace ttsim::impl::ir
