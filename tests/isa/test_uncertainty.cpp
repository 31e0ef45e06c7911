#include <catch2/catch.hpp>

#include "isa/uncertainty.hpp"

using namespace ttsim::impl;

TEST_CASE("an op has the error of its kind, and of the worst one if its type has several") {
    Uncertainty table;
    table.ops = {{"matmul", 0.03}, {"matmul_sparse", 0.07}, {"reduce_r", 0.02}, {"reduce_z", 0.1}};
    table.unmeasured = 0.12;
    table.waits = 0.2;
    CHECK(table.of_op("matmul") == 0.03);
    CHECK(table.of_op("reduce") == 0.1);
    CHECK(table.of_op("fused_op") == 0.12);
    CHECK(table.measured("reduce"));
    CHECK_FALSE(table.measured("fused_op"));
    CHECK_FALSE(table.measured("red"));
    // busy for a quarter of the time, waits in the rest
    CHECK(table.of_graph("matmul", 0.25) == Approx(0.25 * 0.03 + 0.75 * 0.2));
    // an operand that arrives by a pipe with a larger error
    table.connections = {{Connection::Direct, 0.1}, {Connection::DramRead, 0.4}};
    CHECK(table.of_graph("matmul", 0.25, {Connection::Direct}) == Approx(0.25 * 0.03 + 0.75 * 0.2));
    CHECK(table.of_graph("matmul", 0.25, {Connection::Direct, Connection::DramRead}) ==
          Approx(0.25 * 0.03 + 0.75 * 0.4));
}

TEST_CASE("only chips that were compared with cards have errors") {
    CHECK(uncertainty_of("wormhole_b0")->measured("matmul"));
    CHECK(uncertainty_of("grayskull")->waits > 0);
    CHECK(uncertainty_of("grayskull")->connections.at(Connection::Gather) > 0);
    CHECK_FALSE(uncertainty_of("blackhole"));
}
