// Positions of a chip's nodes on its two NoCs, and routes of packets.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "isa/arch.hpp"

namespace ttsim::impl::noc {

using Node = std::uint16_t;  ///< y * grid_x + x, in NoC 0 coordinates
/// A resource that carries flits: a link between routers, or the port from a NIU into its router or back. See Topology.
using Port = std::uint16_t;

constexpr int noc_count = 2;

enum class NodeKind : std::uint8_t { Worker, Dram, Ethernet, Pcie, Arc, Router };

/// One step of a route: the port, and whether the packet has crossed the dateline (edge of the torus) on this axis. It
/// then uses the other half of the virtual channels, which prevents deadlock in rings.
struct Hop {
    Port port;
    std::uint8_t dateline;
};

/// A route from the source's NIU to the destination's. A transfer to the same node has no links: it stays in the NIU.
struct Route {
    std::span<const Hop> hops;  ///< NIU port, links, NIU port; the NIU ports alone when source and destination agree
    int links = 0;
    std::size_t number = 0;  ///< of the routes that were asked for
};

/// Tori of NoC 0 (right, then down) and NoC 1 (up, then left). Coordinates are those of NoC 0 throughout.
/// For one thread at a time, since routes are created on first use; each thread takes a copy.
class Topology {
public:
    /// block_ports: per DRAM channel the ports that serve its second, third .. block; its other ports serve the first.
    explicit Topology(const ChipParams& chip, const std::vector<std::vector<NocCoord>>& block_ports = {});

    int grid_x() const { return grid_x_; }
    int grid_y() const { return grid_y_; }
    int nodes() const { return grid_x_ * grid_y_; }
    bool inside(NocCoord at) const { return at.x >= 0 && at.y >= 0 && at.x < grid_x_ && at.y < grid_y_; }
    Node node(NocCoord at) const { return static_cast<Node>(at.y * grid_x_ + at.x); }
    NocCoord coord(Node node) const { return {node % grid_x_, node / grid_x_}; }
    NodeKind kind(Node node) const { return kinds_[node]; }
    /// The memory behind a DRAM node, numbered over all blocks of all channels; -1 for other nodes.
    int dram_block(Node node) const { return dram_block_[node]; }
    int dram_blocks() const { return dram_blocks_; }
    const std::vector<Node>& workers() const { return workers_; }

    int ports() const { return noc_count * nodes() * ports_per_node; }
    Port link(int noc, Node from, bool along_y) const { return port(noc, from, along_y ? 1 : 0); }
    Port inject(int noc, Node node) const { return port(noc, node, 2); }
    Port eject(int noc, Node node) const { return port(noc, node, 3); }
    /// The link that ends at the node.
    Port link_into(int noc, Node node, bool along_y) const;
    Node node_of(Port p) const { return static_cast<Node>(p / ports_per_node % nodes()); }
    bool is_link(Port p) const { return p % ports_per_node < 2; }
    bool is_along_y(Port p) const { return p % ports_per_node == 1; }
    bool is_inject(Port p) const { return p % ports_per_node == 2; }
    int noc_of(Port p) const { return p / (nodes() * ports_per_node); }

    /// Valid as long as the topology exists.
    const Route& route(int noc, Node from, Node to) const;
    /// The routes asked for so far are numbered from 0 on.
    std::size_t routes_made() const { return routes_.made.size(); }
    const Route& route_made(std::size_t number) const { return routes_.made[number].route; }
    /// The tree of a multicast to the Tensix tiles of a rectangle: the trunk along the first axis, a branch along the
    /// second per column or row. Corners are given in the direction the NoC flows, so a rectangle may wrap.
    struct Tree {
        std::vector<Hop> hops;
        std::vector<Node> leaves;  ///< without the source
        int depth = 0;             ///< links to the farthest leaf
        Node farthest = 0;
    };
    Tree tree(int noc, Node from, NocCoord start, NocCoord end) const;

private:
    static constexpr int ports_per_node = 4;
    Port port(int noc, Node node, int which) const {
        return static_cast<Port>((noc * nodes() + node) * ports_per_node + which);
    }
    /// Appends the links from one node to another along one axis; returns the last node.
    NocCoord walk(int noc, NocCoord at, int target, bool along_y, std::vector<Hop>& out) const;

    int grid_x_, grid_y_;
    std::vector<NodeKind> kinds_;
    std::vector<std::int16_t> dram_block_;
    int dram_blocks_ = 0;
    std::vector<Node> workers_;
    /// Routes that were asked for. A copy is empty: a route refers to the memory of its own cache.
    struct RouteCache {
        struct Made {
            Route route;
            std::vector<Hop> hops;
        };
        /// By NoC and source: for each target 1 + index in `made`, 0: not created. Empty: no route from there is.
        std::vector<std::vector<std::uint32_t>> index;
        std::deque<Made> made;

        explicit RouteCache(std::size_t sources) : index(sources) {}
        RouteCache(const RouteCache& other) : index(other.index.size()) {}
        RouteCache& operator=(const RouteCache&) = delete;
    };
    mutable RouteCache routes_;
};

}  // namespace ttsim::impl::noc
