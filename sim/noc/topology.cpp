#include "sim/noc/topology.hpp"

#include <algorithm>
#include <set>

namespace ttsim::impl::noc {

Topology::Topology(const ChipParams& chip, const std::vector<std::vector<NocCoord>>& block_ports)
    : grid_x_(chip.grid_x),
      grid_y_(chip.grid_y),
      kinds_(static_cast<std::size_t>(nodes()), NodeKind::Router),
      dram_block_(static_cast<std::size_t>(nodes()), -1),
      routes_(static_cast<std::size_t>(noc_count * nodes())) {
    for (const int y : chip.worker_y)
        for (const int x : chip.worker_x) {
            workers_.push_back(node({x, y}));
            kinds_[workers_.back()] = NodeKind::Worker;
        }
    for (const NocCoord at : chip.eth) kinds_[node(at)] = NodeKind::Ethernet;
    kinds_[node(chip.pcie)] = NodeKind::Pcie;
    kinds_[node(chip.arc)] = NodeKind::Arc;
    for (std::size_t channel = 0; channel < chip.dram.size(); ++channel) {
        for (const NocCoord at : chip.dram[channel]) {
            kinds_[node(at)] = NodeKind::Dram;
            dram_block_[node(at)] = static_cast<std::int16_t>(dram_blocks_);
        }
        if (channel < block_ports.size())
            for (std::size_t i = 0; i < block_ports[channel].size(); ++i)
                dram_block_[node(block_ports[channel][i])] =
                    static_cast<std::int16_t>(dram_blocks_ + 1 + static_cast<int>(i));
        dram_blocks_ += chip.dram_blocks;
    }
}

Port Topology::link_into(int noc, Node at, bool along_y) const {
    NocCoord from = coord(at);
    int& moving = along_y ? from.y : from.x;
    const int size = along_y ? grid_y_ : grid_x_;
    moving = (moving + (noc == 0 ? size - 1 : 1)) % size;
    return link(noc, node(from), along_y);
}

NocCoord Topology::walk(int noc, NocCoord at, int target, bool along_y, std::vector<Hop>& out) const {
    int& moving = along_y ? at.y : at.x;
    const int size = along_y ? grid_y_ : grid_x_;
    const int step = noc == 0 ? 1 : size - 1;
    std::uint8_t dateline = 0;
    while (moving != target) {
        out.push_back({link(noc, node(at), along_y), dateline});
        const int next = (moving + step) % size;
        if (noc == 0 ? next < moving : next > moving) dateline = 1;
        moving = next;
    }
    return at;
}

const Route& Topology::route(int noc, Node from, Node to) const {
    std::vector<std::uint32_t>& targets = routes_.index[static_cast<std::size_t>(noc * nodes() + from)];
    if (targets.empty()) targets.resize(static_cast<std::size_t>(nodes()));
    std::uint32_t& index = targets[to];
    if (index) return routes_.made[index - 1].route;
    RouteCache::Made& made = routes_.made.emplace_back();
    index = static_cast<std::uint32_t>(routes_.made.size());
    const NocCoord start = coord(from), end = coord(to);
    made.hops.reserve(static_cast<std::size_t>(grid_x_ + grid_y_));
    made.hops.push_back({inject(noc, from), 0});
    const bool y_first = noc == 1;
    const NocCoord corner = walk(noc, start, y_first ? end.y : end.x, y_first, made.hops);
    walk(noc, corner, y_first ? end.x : end.y, !y_first, made.hops);
    made.route.links = static_cast<int>(made.hops.size()) - 1;
    made.hops.push_back({eject(noc, to), 0});
    made.route.hops = made.hops;
    made.route.number = index - 1;
    return made.route;
}

Topology::Tree Topology::tree(int noc, Node from, NocCoord start, NocCoord end) const {
    Tree tree;
    std::set<Port> used;
    const bool y_first = noc == 1;
    const auto along = [&](int first, int last, int size) {  // the coordinates on the way, in the direction of flow
        std::vector<int> passed{first};
        const int step = noc == 0 ? 1 : size - 1;
        while (passed.back() != last) passed.push_back((passed.back() + step) % size);
        return passed;
    };
    for (const int x : along(start.x, end.x, grid_x_))
        for (const int y : along(start.y, end.y, grid_y_)) {
            const Node leaf = node({x, y});
            if (kind(leaf) != NodeKind::Worker || leaf == from) continue;
            // trunk and branch follow the unicast route to the leaf
            std::vector<Hop> hops;
            const NocCoord corner = walk(noc, coord(from), y_first ? y : x, y_first, hops);
            walk(noc, corner, y_first ? x : y, !y_first, hops);
            for (const Hop& hop : hops)
                if (used.insert(hop.port).second) tree.hops.push_back(hop);
            tree.leaves.push_back(leaf);
            if (static_cast<int>(hops.size()) >= tree.depth) {
                tree.depth = static_cast<int>(hops.size());
                tree.farthest = leaf;
            }
        }
    tree.hops.insert(tree.hops.begin(), {inject(noc, from), 0});
    for (const Node leaf : tree.leaves) tree.hops.push_back({eject(noc, leaf), 0});
    return tree;
}

}  // namespace ttsim::impl::noc
