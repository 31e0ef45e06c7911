// One part of a chip's description: instruction set, kernel times, memory or NoC, a YAML file of its own.
//
//   like: wormhole_b0        # or the path of another file; what it says holds where this file says nothing
//   constants:
//     unpack_bytes: 32
//
// Maps are laid over each other key by key, everything else is replaced whole.
#pragma once

#include <string>

#include "base/yaml_map.hpp"

namespace ttsim::impl {

/// Which part a file is, for `like`, which names a chip.
enum class ChipPart { Isa, Timing, Memory, Noc };

/// The file with all it is like, without `like`. A file that is like nothing is read as it is.
/// Throws Error(Input) at the place of the mistake.
YamlMap read_chip_part(const std::string& file, ChipPart part);

}  // namespace ttsim::impl
