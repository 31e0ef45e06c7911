// The ops that copy their operand unchanged except for its format.
#pragma once

#include <string_view>

namespace ttsim::impl {

/// nop and datacopy: two names of one op, which copies on its cores.
constexpr bool is_core_copy(std::string_view op) { return op == "nop" || op == "datacopy"; }
/// Also the copy over Ethernet to another chip.
constexpr bool is_copy(std::string_view op) { return is_core_copy(op) || op == "ethernet_datacopy"; }

}  // namespace ttsim::impl
