// Parses untrusted JSON whose numbers are counts of cycles, bytes or cores.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace ttsim::impl {

/// Returns a discarded value (is_discarded()) if the text is not valid JSON, if a number is beyond +-2^48, or if the
/// magnitudes add up to more than 2^62.
nlohmann::json parse_bounded_json(std::string_view text);

}  // namespace ttsim::impl
