// Whole input files as text.
#pragma once

#include <cstdint>
#include <string>

namespace tt {

/// Throws Error(Input) when there is no such file, it is a folder or a device, cannot be read, or has more bytes than
/// `most`.
std::string read_file(const std::string& file, std::uint64_t most);

}  // namespace tt
