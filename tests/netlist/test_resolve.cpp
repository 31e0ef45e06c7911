#include <catch2/catch.hpp>

#include "tests/netlist/small_netlist.hpp"

using namespace ttsim::impl;

static Netlist resolved(const std::string& text) { return resolve(read_netlist_text(text, "n.yaml")); }

TEST_CASE("operand shapes are the producers' after unpad, TMs and pad") {
    const Netlist n = resolved(test::with(test::small_netlist, "input_1_tms: [broadcast: {r: 1}]",
                                          "input_1_unpad: {rt: 1, ct: 0}, input_1_tms: [hslice: 2, broadcast: {r: 3}], "
                                          "input_1_pad: {rt: 0, ct: 4}"));
    const Op& sum = n.graphs[0].ops[1];
    CHECK(sum.cfg.in == std::vector<TileShape>{{1, 2, 2}, {2, 3, 5}});
}

TEST_CASE("a transposed operand has its tile dim swapped, two transposes leave it") {
    std::string text =
        test::with(test::small_netlist, "dram: [[1, 0x20000000]]", "dram: [[1, 0x20000000]], tile_dim: [16, 32]");
    const auto tile_after = [&](const std::string& tms) {
        const std::string changed = test::with(text, "input_1_tms: [broadcast: {r: 1}]", "input_1_tms: " + tms);
        return resolved(changed).graphs[0].ops[1].cfg.in_tile[1];
    };
    CHECK(tile_after("[]") == TileDim{16, 32});
    CHECK(tile_after("[transpose]") == TileDim{32, 16});
    CHECK(tile_after("[transpose, transpose]") == TileDim{16, 32});
}

TEST_CASE("queues and graphs on several chips become one copy a chip") {
    std::string text = test::with(test::small_netlist, "    target_device: 0\n", "    target_device: [1, 0]\n");
    for (int k = 0; k < 3; ++k) text = test::with(text, "target_device: 0, loc", "target_device: [1, 0], loc");
    const Netlist n = resolved(text);
    REQUIRE(n.queues.size() == 6);
    CHECK(n.queues[0].name == "in0.1");
    CHECK(n.queues[0].device() == 1);
    CHECK(n.queues[5].name == "out0.0");
    CHECK(n.queues[5].input == "sum.0");
    REQUIRE(n.graphs.size() == 2);
    CHECK(n.graphs[0].name == "g0.1");
    CHECK(n.graphs[0].ops[1].inputs == std::vector<std::string>{"e.1", "w.1"});
    REQUIRE(n.programs[0].instructions.size() == 5);
    CHECK(n.programs[0].instructions[1].graph == "g0.1");
    CHECK(n.programs[0].instructions[2].graph == "g0.0");
    CHECK(n.programs[0].instructions[2].settings[1].queue == "w.0");
    CHECK(test::complaints(text, "wormhole_b0", 2).empty());
    CHECK(test::complaints(text, "wormhole_b0", 1).find("queue 'in0.1' is on chip 1") != std::string::npos);
}

TEST_CASE("host buffers of later instances lie behind the first on the first chip") {
    std::string text = test::with(test::small_netlist, "target_device: 0, loc: dram, dram: [[0, 0x20000000]]",
                                  "target_device: [0, 1], loc: host, host: [0x1000]");
    text = test::with(text, "inputs: [in0]", "inputs: [in0.1]");
    const Netlist n = resolved(text);
    CHECK(n.queues[0].buffers[0].address == 0x1000);
    CHECK(n.queues[1].name == "in0.1");
    CHECK(n.queues[1].device() == 0);
    // Header 32 bytes, 2 entries of 4 tiles of 2048 + 16 bytes rounded up to 2080.
    CHECK(n.queues[1].buffers[0].address == 0x1000 + 32 + 2 * 4 * 2080);
    // A graph on one chip gets the settings of the instances it reads.
    REQUIRE(n.programs[0].instructions[1].settings.size() == 2);
    CHECK(n.programs[0].instructions[1].settings[0].queue == "in0.1");
}

TEST_CASE("a varinst into an undeclared name declares a variable") {
    const Netlist n =
        resolved(test::with(test::small_netlist, "- varinst: [$gptr, incwrap, 2, 4]", "- varinst: [$new, set, 2]"));
    const Instruction& declaration = n.programs[0].instructions[0];
    CHECK(declaration.kind == Instruction::Kind::Var);
    REQUIRE(declaration.variables.size() == 1);
    CHECK(declaration.variables[0].first == "$new");
}

TEST_CASE("resolving twice changes nothing") {
    const Netlist once = resolved(test::small_netlist);
    CHECK(equal(once, resolve(once)));
}

TEST_CASE("names are found after resolving, in copies, and after they changed") {
    const Netlist read = read_netlist_text(test::small_netlist, "n.yaml");
    CHECK_FALSE(read.places);
    Netlist copy;
    {
        const Netlist n = resolve(read);
        REQUIRE(n.places);
        copy = n;
    }
    const auto same = [](const Netlist& found, const Netlist& searched) {
        for (const char* name : {"in0", "w", "out0", "e", "sum", "g0", "nothing", ""}) {
            INFO(name);
            const auto number = [](const auto* item, const auto& list) { return item ? item - list.data() : -1; };
            CHECK(number(found.find_queue(name), found.queues) == number(searched.find_queue(name), searched.queues));
            CHECK(number(found.find_graph(name), found.graphs) == number(searched.find_graph(name), searched.graphs));
            CHECK(number(found.find_op(name), found.graphs[0].ops) ==
                  number(searched.find_op(name), searched.graphs[0].ops));
            REQUIRE(found.written_by(name).size() == searched.written_by(name).size());
            for (std::size_t k = 0; k < found.written_by(name).size(); ++k)
                CHECK(found.written_by(name)[k]->name == searched.written_by(name)[k]->name);
        }
    };
    same(copy, read);
    CHECK(copy.find_queue("out0") == &copy.queues[2]);
    CHECK(copy.written_by("sum") == std::vector<const Queue*>{&copy.queues[2]});
    std::swap(copy.queues[0], copy.queues[1]);
    copy.graphs[0].ops[0].cfg.name = "w2";
    copy.queues[0].name = "e";  // was an op's
    CHECK(copy.find_queue("in0") == &copy.queues[1]);
    CHECK(copy.find_queue("e") == &copy.queues[0]);
    CHECK(copy.find_op("w2") == &copy.graphs[0].ops[0]);
    CHECK(copy.find_op("e") == nullptr);
    copy.queues.pop_back();
    CHECK(copy.find_queue("out0") == nullptr);
    CHECK(copy.written_by("sum").empty());
}

TEST_CASE("fused ops are linked to their definitions") {
    std::string text = test::with(test::small_netlist, "type: exp", "type: fused_op");
    text = test::with(text, "approximate_mode: true", "fused_op_id: 3");
    text += R"(fused_ops:
  3:
    inputs: 1
    intermediates: 0
    schedules: [[{s: {type: exp, inputs: [input0], mblock: [1, 2], ublock: [2, 1], output: output}}]]
)";
    const Netlist n = resolved(text);
    REQUIRE(n.graphs[0].ops[0].cfg.fused);
    CHECK(n.graphs[0].ops[0].cfg.fused->schedules[0][0].type == "exp");
    CHECK(test::complaints(text).empty());
}
