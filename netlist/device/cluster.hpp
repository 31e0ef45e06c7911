// Which chips a machine has and how they are linked: from a cluster descriptor, or the default mesh.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "netlist/device/device.hpp"

namespace ttsim::impl {

struct Cluster {
    std::vector<std::int64_t> chips;                     ///< ascending ids
    std::vector<EthLink> links;                          ///< each once
    std::set<std::int64_t> mmio;                         ///< chips with a host link
    std::map<std::int64_t, std::vector<int>> harvested;  ///< noc0 y per chip, where the descriptor says so
};

/// Reads a cluster descriptor of either form (chip positions as lists or "x-y"). A link given in both directions
/// counts once. Throws Error(Input) with every problem at its place.
Cluster read_cluster(const std::string& file, const ChipParams& chip);
/// `name`: what messages call the text.
Cluster read_cluster_text(const std::string& text, const std::string& name, const ChipParams& chip);

/// Chips 0..count-1 on a mesh of `width` columns (0: nearest to a square), four links per neighbour; two chips: the
/// n300 links 8<->0 and 9<->1. Chips without Ethernet have no links and a host link each.
Cluster default_cluster(std::int64_t count, std::int64_t width, const ChipParams& chip);

/// Columns of the default mesh: the smallest divisor not below the root, unless that makes a line of more than twice
/// the root; then the root rounded up, and the last row is shorter.
std::int64_t mesh_width(std::int64_t count);

}  // namespace ttsim::impl
