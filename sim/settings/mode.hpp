// What a run computes.
#pragma once

#include <cstdint>

namespace ttsim::impl::sim {

enum class Mode : std::uint8_t { Full, Timing, Functional };

}  // namespace ttsim::impl::sim
