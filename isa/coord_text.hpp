// Parses NoC coordinates of configuration files and soc descriptors: "x-y", alone or in lists.
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

/// Parses "4-10". Throws Error(Input) at the node's place; `what` names the value.
NocCoord read_coord(const YamlNode& node, const std::string& file, std::string_view what, CoordBound bound = {});
/// Parses a list of coordinates, or a single one as a list of one.
std::vector<NocCoord> read_coords(const YamlNode& node, const std::string& file, std::string_view what,
                                  CoordBound bound = {});

}  // namespace ttsim::impl
