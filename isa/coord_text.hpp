// NoC coordinates as configuration files and soc descriptors spell them: "x-y", alone or in lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/yaml_tree.hpp"
#include "isa/arch.hpp"

namespace ttsim::impl {

/// Exclusive upper bounds of a coordinate.
struct CoordBound {
    int x = 64, y = 64;
};

/// "4-10". Throws Error(Input) at the node's place, naming `what`.
NocCoord read_coord(const YamlNode& node, const std::string& file, std::string_view what, CoordBound bound = {});
/// A list of coordinates; a single one counts as a list of one.
std::vector<NocCoord> read_coords(const YamlNode& node, const std::string& file, std::string_view what,
                                  CoordBound bound = {});

}  // namespace ttsim::impl
