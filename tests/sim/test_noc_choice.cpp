#include <catch2/catch.hpp>

#include "netlist/device/device.hpp"
#include "sim/machine/noc_choice.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;

namespace {
const ChipParams& wormhole_chip() { return chip("wormhole_b0"); }  // 10 x 12 nodes
}  // namespace

TEST_CASE("queues in DRAM are read and written by the NoC with fewer links") {
    CHECK(shorter_noc(wormhole_chip(), {0, 11}, {1, 1}) == 0);  // 3 right and down
    CHECK(shorter_noc(wormhole_chip(), {1, 1}, {0, 11}) == 1);  // 3 left and up
    CHECK(shorter_noc(wormhole_chip(), {0, 0}, {5, 6}) == 0);   // as many either way
}

TEST_CASE("the places of two grids decide by which NoC tiles go from one op to the other") {
    // no row or column in common: from the last core on, or back from the first
    CHECK(noc_between(wormhole_chip(), {{1, 1}, {1, 2}}, {{5, 7}, {5, 8}}) == 0);
    CHECK(noc_between(wormhole_chip(), {{5, 7}, {5, 8}}, {{1, 4}, {1, 5}}) == 1);
    // the same column: by rows alone
    CHECK(noc_between(wormhole_chip(), {{1, 8}, {1, 9}}, {{1, 1}, {1, 2}}) == 0);
    CHECK(noc_between(wormhole_chip(), {{1, 8}, {1, 9}}, {{1, 5}, {1, 7}}) == 1);
    // ranges of columns that overlap in part
    CHECK(noc_between(wormhole_chip(), {{2, 1}, {3, 1}}, {{1, 3}, {2, 3}}) == 1);
    CHECK(noc_between(wormhole_chip(), {{2, 1}, {3, 1}}, {{3, 3}, {4, 3}}) == 0);
}

TEST_CASE("multicasts along a row take NoC 0, along a column NoC 1, and begin at their first core") {
    const NocEnd row({1, 1}, {3, 1}), column({1, 1}, {1, 3});
    CHECK(noc_to_receivers({}, 1, row) == 0);
    CHECK(noc_to_receivers({}, 0, column) == 1);
    CHECK(multicast_core(row, 0) == NocCoord{1, 1});
    CHECK(multicast_core(column, 1) == NocCoord{1, 3});
}
