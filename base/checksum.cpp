#include "base/checksum.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace ttsim::impl {

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string checksum_text(std::string_view bytes) { return fmt::format("{:016x}", checksum(bytes)); }

}  // namespace ttsim::impl
