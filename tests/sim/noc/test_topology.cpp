#include <catch2/catch.hpp>

#include "tests/sim/noc/noc_machine.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::noc;

namespace {

/// "3-1 > 4-1 > 4-2" of the links of a route.
std::string links(const Route& route) {
    std::string out;
    for (const Hop& hop : route.hops) {
        if (!wormhole().is_link(hop.port)) continue;
        const NocCoord from = wormhole().coord(wormhole().node_of(hop.port));
        out += fmt::format("{}{}-{}{}{}", out.empty() ? "" : " ", from.x, from.y,
                           wormhole().is_along_y(hop.port) ? 'y' : 'x', hop.dateline ? "'" : "");
    }
    return out;
}

}  // namespace

TEST_CASE("NoC 0 goes right, then down") {
    const Route& route = wormhole().route(0, at(1, 1), at(3, 3));
    CHECK(links(route) == "1-1x 2-1x 3-1y 3-2y");
    CHECK(route.links == 4);
    REQUIRE(route.hops.size() == 6);
    CHECK(route.hops.front().port == wormhole().inject(0, at(1, 1)));
    CHECK(route.hops.back().port == wormhole().eject(0, at(3, 3)));
}

TEST_CASE("NoC 1 goes up, then left") {
    CHECK(links(wormhole().route(1, at(3, 3), at(1, 1))) == "3-3y 3-2y 3-1x 2-1x");
}

TEST_CASE("Routes wrap at the edges and change to the other half of the virtual channels there") {
    CHECK(links(wormhole().route(0, at(8, 10), at(1, 1))) == "8-10x 9-10x 0-10x' 1-10y 1-11y 1-0y'");
    CHECK(links(wormhole().route(1, at(1, 1), at(9, 11))) == "1-1y 1-0y 1-11x 0-11x");
}

TEST_CASE("A request and its response go once round the torus on each axis on which the ends differ") {
    const auto both = [](int noc, Node a, Node b) {
        return wormhole().route(noc, a, b).links + wormhole().route(noc, b, a).links;
    };
    for (int noc = 0; noc < 2; ++noc) {
        CHECK(both(noc, at(1, 1), at(4, 1)) == 10);
        CHECK(both(noc, at(1, 1), at(1, 7)) == 12);
        CHECK(both(noc, at(2, 3), at(9, 8)) == 22);
        CHECK(both(noc, at(2, 3), at(2, 3)) == 0);
    }
}

TEST_CASE("The link into a node is the last one of a route to it") {
    for (int noc = 0; noc < 2; ++noc) {
        const Route& route = wormhole().route(noc, at(1, 1), at(4, 5));
        const bool ends_along_y = noc == 0;
        CHECK(route.hops[route.hops.size() - 2].port == wormhole().link_into(noc, at(4, 5), ends_along_y));
    }
}

TEST_CASE("Kinds of tiles and the memory behind each DRAM port") {
    CHECK(wormhole().kind(at(1, 1)) == NodeKind::Worker);
    CHECK(wormhole().kind(at(0, 3)) == NodeKind::Pcie);
    CHECK(wormhole().kind(at(0, 2)) == NodeKind::Router);
    CHECK(wormhole().kind(at(9, 0)) == NodeKind::Ethernet);
    CHECK(wormhole().dram_blocks() == 12);
    CHECK(wormhole().dram_block(at(0, 11)) == 0);
    CHECK(wormhole().dram_block(at(0, 0)) == 0);
    CHECK(wormhole().dram_block(at(0, 1)) == 1);
    CHECK(wormhole().dram_block(at(5, 9)) == 7);
    CHECK(wormhole().dram_block(at(1, 1)) == -1);
}

TEST_CASE("A multicast tree has each link once and skips tiles that are not Tensix") {
    const Topology::Tree tree = wormhole().tree(0, at(1, 1), {3, 1}, {6, 2});
    // trunk 1-1 .. 5-1 along x, a branch down at x = 3, 4 and 6; column 5 is DRAM
    CHECK(tree.leaves.size() == 6);
    std::size_t count = 0;
    for (const Hop& hop : tree.hops) count += wormhole().is_link(hop.port);
    CHECK(count == 5 + 3);
    CHECK(tree.depth == 6);
    CHECK(tree.farthest == at(6, 2));
}

TEST_CASE("A multicast does not come back to its source") {
    const Topology::Tree tree = wormhole().tree(0, at(1, 1), {1, 1}, {2, 2});
    CHECK(tree.leaves == std::vector<Node>{at(1, 2), at(2, 1), at(2, 2)});
}
