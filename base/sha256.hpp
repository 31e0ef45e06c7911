// SHA-256 (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace ttsim::impl {

std::string sha256(std::string_view bytes);  ///< 64 hexadecimal digits
/// Throws Error(Input) when the file cannot be read.
std::string sha256_of_file(const std::string& file);

}  // namespace ttsim::impl
