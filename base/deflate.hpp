// Compression and base64 encoding for data embedded in HTML pages.
#pragma once

#include <string>
#include <string_view>

namespace ttsim::impl {

/// Compresses into the zlib format (RFC 1950), which DecompressionStream("deflate") of browsers reads.
std::string zlib_compress(std::string_view bytes);
/// Base64 with padding (RFC 4648).
std::string base64(std::string_view bytes);

}  // namespace ttsim::impl
