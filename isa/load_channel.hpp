// The DRAM channel from which a core reads its programs.
#pragma once

#include <cstdint>

#include "isa/arch.hpp"

namespace ttsim::impl {

/// The channel of the nearest port above the core (with wrap-around); if several, the nearest to its left.
std::int64_t load_channel(const ChipParams& chip, NocCoord core);

}  // namespace ttsim::impl
