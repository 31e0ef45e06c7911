#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "netlist/program/parameters.hpp"

using namespace ttsim::impl;

namespace {

Netlist with_params(const std::vector<std::string>& names) {
    Netlist netlist;
    netlist.file = "n.yaml";
    Instruction param;
    param.kind = Instruction::Kind::Param;
    for (const std::string& name : names) param.variables.push_back({name, {}});
    Program program;
    program.name = "p";
    program.instructions.push_back(param);
    netlist.programs.push_back(program);
    for (const std::int64_t count : {2, 64, 8}) {
        Graph graph;
        graph.input_count = count;
        netlist.graphs.push_back(graph);
    }
    return netlist;
}

std::int64_t value_of(const Netlist& netlist, const std::string& name,
                      const std::map<std::string, std::int64_t>& given = {}) {
    for (const ChosenParameter& p : choose_parameters(netlist, netlist.programs[0], given))
        if (p.name == name) return p.value;
    FAIL("not chosen");
    return 0;
}

}  // namespace

TEST_CASE("parameters without a value are chosen by their names") {
    const Netlist n =
        with_params({"$p_microbatch_size", "$p_microbatch_count", "$p_loop_count", "$p_num_loops", "$p_zero_grad",
                     "$p_cache_write", "$p_outer_loop_rd_incr", "$p_inner_increment", "$p_other"});
    const std::vector<ChosenParameter> chosen = choose_parameters(n, n.programs[0], {});
    std::vector<std::int64_t> values;
    for (const ChosenParameter& p : chosen) values.push_back(p.value);
    CHECK(values == std::vector<std::int64_t>{64, 1, 1, 1, 1, 0, 0, 1, 1});
    CHECK(chosen[0].name == "$p_microbatch_size");
    CHECK(chosen[0].why == "largest input_count");
}

TEST_CASE("a test-arg of the same name decides, and related ones for loops, caches and increments") {
    Netlist n = with_params({"$p_microbatch_size", "$p_microbatch_count", "$p_loop_count", "$p_inner_loop_count",
                             "$p_cache_read", "$p_outer_loop_rd_incr", "$p_inner_loop_wr_incr"});
    n.test.args = {{"microbatch_size", 5},  {"microbatch_count", 3},  {"program_loop_count", 9},
                   {"inner_loop_count", 4}, {"cache_write_index", 6}, {"outer_increment", 7},
                   {"inner_increment", 8}};
    CHECK(value_of(n, "$p_microbatch_size") == 5);
    CHECK(value_of(n, "$p_microbatch_count") == 3);
    CHECK(value_of(n, "$p_loop_count") == 3);
    CHECK(value_of(n, "$p_inner_loop_count") == 4);
    CHECK(value_of(n, "$p_cache_read") == 6);
    CHECK(value_of(n, "$p_outer_loop_rd_incr") == 7);
    CHECK(value_of(n, "$p_inner_loop_wr_incr") == 8);
    n.test.args.erase("microbatch_count");
    CHECK(value_of(n, "$p_loop_count") == 9);
}

TEST_CASE("a given parameter beats everything, with or without its dollar") {
    Netlist n = with_params({"$p_loop_count"});
    n.test.args = {{"loop_count", 2}};
    CHECK(value_of(n, "$p_loop_count", {{"p_loop_count", 11}}) == 11);
    CHECK(value_of(n, "$p_loop_count", {{"$p_loop_count", 12}}) == 12);
    CHECK(choose_parameters(n, n.programs[0], {{"$p_loop_count", 12}})[0].why == "--param");
}

TEST_CASE("a given parameter that no program declares is refused") {
    const Netlist n = with_params({"$p_loop_count"});
    CHECK_THROWS_WITH(choose_parameters(n, n.programs[0], {{"p_loop_cuont", 1}}),
                      Catch::Contains("did you mean 'p_loop_count'?"));
}

TEST_CASE("a program without parameters needs none") {
    Netlist n = with_params({});
    n.programs[0].instructions.clear();
    CHECK(choose_parameters(n, n.programs[0], {}).empty());
}
