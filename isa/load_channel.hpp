// Through which memory channel a core reads its programs.
#pragma once

#include <cstdint>

#include "isa/arch.hpp"

namespace ttsim::impl {

/// That of the port nearest above the core (round the edge), of several the nearest to its left.
std::int64_t load_channel(const ChipParams& chip, NocCoord core);

}  // namespace ttsim::impl
