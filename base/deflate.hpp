// Bytes made small, and as text: what a page carries inside itself.
#pragma once

#include <string>
#include <string_view>

namespace ttsim::impl {

/// In the zlib format (RFC 1950), as DecompressionStream("deflate") of browsers reads it.
std::string deflated(std::string_view bytes);
/// With padding (RFC 4648).
std::string base64(std::string_view bytes);

}  // namespace ttsim::impl
