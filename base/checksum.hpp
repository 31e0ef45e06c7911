// A checksum of bytes, against damage on the way: any change of a few neighbouring bits changes it. Whoever means to
// can make bytes of the same sum, so it proves nothing of where they come from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ttsim::impl {

std::uint64_t checksum(std::string_view bytes);
/// In 16 hexadecimal digits.
std::string checksum_text(std::string_view bytes);

}  // namespace ttsim::impl
