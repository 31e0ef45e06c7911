// Conversion of counts to double.
#pragma once

#include <cstdint>

namespace ttsim::impl::trace {

inline double real(std::int64_t n) { return static_cast<double>(n); }

}  // namespace ttsim::impl::trace
