// A soc descriptor: where the cores of one chip are, with harvesting and coordinate translation undone.
#pragma once

#include <string>
#include <vector>

#include "isa/arch.hpp"

namespace ttsim::impl {

struct SocDescriptor {
    ChipParams params;                ///< features and timing of the base chip, places of the descriptor, in noc0
    std::vector<int> harvested_rows;  ///< noc0 y, ascending
};

/// Throws Error(Input) at the place of the mistake; Error(Unsupported) for a chip that is not modelled.
SocDescriptor read_soc_descriptor(const std::string& file, const ChipParams& base);
/// `name`: what messages call the text.
SocDescriptor read_soc_descriptor_text(const std::string& text, const std::string& name, const ChipParams& base);

}  // namespace ttsim::impl
