// JSON of unknown origin whose numbers are counts: of cycles, bytes, cores.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace ttsim::impl {

/// Discarded (is_discarded()) where the text is no JSON, or holds a number beyond +-2^48, or numbers whose sum does not
/// fit into 64 bits.
nlohmann::json parse_bounded_json(std::string_view text);

}  // namespace ttsim::impl
