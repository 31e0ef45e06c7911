// The chips of a machine and their links: from a cluster descriptor, or the default mesh.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "netlist/device/device.hpp"

namespace ttsim::impl {

struct Cluster {
    std::vector<std::int64_t> chips;  ///< ascending ids
    std::vector<EthLink> links;       ///< each link once
    std::set<std::int64_t> mmio;      ///< chips with a host link
    /// Per chip, if the descriptor lists them: rows (noc0 y), or columns (noc0 x) of chips that harvest these.
    std::map<std::int64_t, std::vector<int>> harvested;
};

/// Reads a cluster descriptor of either form (chip positions as lists or "x-y"). Links given in both directions count
/// once. Throws Error(Input) with every problem at its place.
Cluster read_cluster(const std::string& file, const ChipParams& chip);
/// `name`: the file name in messages.
Cluster read_cluster_text(const std::string& text, const std::string& name, const ChipParams& chip);

/// Chips 0..count-1 on a mesh of `width` columns (0: nearly square). A quarter of the chip's channels leads to each
/// neighbour, four of 16. Two chips: two links between the upper and the lower half, 8<->0 and 9<->1 of 16. Throws
/// Error(Input) for a mesh of chips with fewer than four channels. Chips without Ethernet have no links and one host
/// link each.
Cluster default_cluster(std::int64_t count, std::int64_t width, const ChipParams& chip);

/// Columns of the default mesh: the smallest divisor of at least the square root. If that exceeds twice the root: the
/// root rounded up, with a shorter last row.
std::int64_t mesh_width(std::int64_t count);

}  // namespace ttsim::impl
