// A non-cryptographic checksum (XXH3, 64 bits) against accidental damage. An attacker can forge it, so it does not
// prove where data comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ttsim::impl {

std::uint64_t checksum(std::string_view bytes);
/// The checksum as 16 hexadecimal digits.
std::string checksum_text(std::string_view bytes);

}  // namespace ttsim::impl
