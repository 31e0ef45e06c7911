// Reads soc descriptors: the positions of a chip's cores, with harvesting and coordinate translation reversed.
#pragma once

#include <string>
#include <vector>

#include "isa/arch.hpp"

namespace ttsim::impl {

struct SocDescriptor {
    ChipParams params;                   ///< features and timing of the base chip, positions of the descriptor, in noc0
    std::vector<int> harvested_rows;     ///< noc0 y, ascending
    std::vector<int> harvested_columns;  ///< noc0 x, ascending; only of chips that harvest columns
};

/// Throws Error(Input) at the place of the mistake; Error(Unsupported) for an unsupported chip.
SocDescriptor read_soc_descriptor(const std::string& file, const ChipParams& base);
/// `name`: the file name in messages.
SocDescriptor read_soc_descriptor_text(const std::string& text, const std::string& name, const ChipParams& base);

}  // namespace ttsim::impl
