// Reads one part of a chip's description (instruction set, kernel times, memory or NoC), which is a separate YAML file:
// like: wormhole_b0   # or a path: the file whose values this one inherits
// constants:
// unpack_bytes: 32
// Maps are merged key by key; every other value is replaced completely.
#pragma once

#include <string>

#include "base/yaml_map.hpp"

namespace ttsim::impl {

/// The part that a file describes. `like` names a chip and refers to the same part of it.
enum class ChipPart { Isa, Timing, Memory, Noc };

/// The file merged with the files it inherits from, without the key `like`. Throws Error(Input) at the place of the
/// mistake.
YamlMap read_chip_part(const std::string& file, ChipPart part);

}  // namespace ttsim::impl
