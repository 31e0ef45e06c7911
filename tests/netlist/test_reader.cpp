#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "kernels/ops/op_def.hpp"
#include "netlist/text/read_parts.hpp"
#include "netlist/text/writer.hpp"
#include "tests/netlist/small_netlist.hpp"

using namespace ttsim::impl;

static Netlist read(const std::string& text) { return read_netlist_text(text, "n.yaml"); }

TEST_CASE("the fields of a netlist arrive in their places") {
    const Netlist n = read(test::small_netlist);
    CHECK(n.archs == std::vector<std::string>{"grayskull", "wormhole_b0"});
    REQUIRE(n.queues.size() == 3);
    const Queue& in0 = n.queues[0];
    CHECK(in0.name == "in0");
    CHECK(in0.from_host());
    CHECK(in0.entries == 2);
    CHECK(in0.shape() == TileShape{1, 2, 2});
    CHECK(in0.buffers == std::vector<BufferAddress>{{0, 0x20000000}});
    CHECK(n.queues[1].type == QueueType::Ram);
    REQUIRE(n.graphs.size() == 1);
    CHECK(n.graphs[0].input_count == 2);
    const Op& sum = n.graphs[0].ops[1];
    CHECK(sum.inputs == std::vector<std::string>{"e", "w"});
    CHECK(sum.grid_loc_c == 1);
    CHECK(sum.cfg.fidelity == Fidelity::HiFi3);
    CHECK(sum.tms[1].tms.size() == 1);
    CHECK(n.graphs[0].ops[0].cfg.attr.approximate_mode);
    REQUIRE(n.programs.size() == 1);
    const auto& program = n.programs[0].instructions;
    REQUIRE(program.size() == 4);
    CHECK(program[1].settings[0].rd_ptr_local->variable == "$lptr");
    CHECK(program[1].settings[1].prologue->literal == 1);
    CHECK(program[2].operands == std::vector<Operand>{{"", 2}, {"", 4}});
    CHECK(to_string(sum.cfg.loc) == "n.yaml:11:5");
}

TEST_CASE("repeated keys are all processed in order") {
    const std::string twice = "input_1_tms: [broadcast: {r: 1}], input_1_tms: [hslice: 2, vstack: 2]";
    std::string text = test::with(test::small_netlist, "input_1_tms: [broadcast: {r: 1}]", twice);
    text = test::with(text, "approximate_mode: true",
                      "kernel_broadcast: {input_0: 2}, kernel_broadcast_per_t: {input_1: 4}, approximate_mode: true");
    text = test::with(text, "entries: 2", "entries: 4, entries: 8");
    text = test::with(text, "dram: [[0, 0x20000000]]", "dram: [[3, 0x100]], dram: [[4, 0x200]]");
    const Netlist n = read(text);
    const std::vector<Tm>& tms = n.graphs[0].ops[1].tms[1].tms;
    REQUIRE(tms.size() == 3);
    CHECK(to_string(tms[2]) == "vstack: 2");
    CHECK(n.graphs[0].ops[0].cfg.attr.kernel_broadcast == std::map<int, std::int64_t>{{0, 2}});
    CHECK(n.queues[0].entries == 8);             // of a scalar the last wins
    CHECK(n.queues[0].buffers[0].channel == 3);  // of an address list the first
}

TEST_CASE("kernel broadcasts name inputs by numbers of any length") {
    const auto attributes = [](const std::string& text) {
        return read(test::with(test::small_netlist, "approximate_mode: true", text)).graphs[0].ops[0].cfg.attr;
    };
    CHECK(attributes("kernel_broadcast: {input_13: 2, input_9: 1}").kernel_broadcast ==
          std::map<int, std::int64_t>{{9, 1}, {13, 2}});
    CHECK(attributes("kernel_broadcast_per_t: {input_13: 2}").kernel_broadcast_per_t ==
          std::map<int, std::int64_t>{{13, 2}});
    CHECK(attributes("single_tile: [1, 13]").kernel_broadcast == std::map<int, std::int64_t>{{1, 1}, {13, 1}});
    for (const char* wrong : {"input_", "input_1x", "input_-1", "input_64", "input_99999999999", "in_1"})
        CHECK_THROWS_WITH(attributes(fmt::format("kernel_broadcast: {{{}: 2}}", wrong)),
                          Catch::Contains(fmt::format("'{}' of 'kernel_broadcast' must be input_0", wrong)));
}

TEST_CASE("None, null and an empty list all mean no TM") {
    for (const char* none : {"None", "null", "[]", "~"}) {
        const std::string text =
            test::with(test::small_netlist, "input_1_tms: [broadcast: {r: 1}]", std::string("input_1_tms: ") + none);
        CHECK(read(text).graphs[0].ops[1].tms[1].empty());
    }
}

TEST_CASE("numbers may be quoted, and the last of duplicate settings of a queue applies") {
    std::string text = test::with(test::small_netlist, "entries: 2", "entries: \"4\"");
    text = test::with(text, "queue_settings: {", "queue_settings: {in0: {rd_ptr_local: 3, rd_ptr_global: 3}, ");
    const Netlist n = read(text);
    CHECK(n.queues[0].entries == 4);
    const auto& settings = n.programs[0].instructions[1].settings;
    const auto of_in0 = [](const QueueSetting& s) { return s.queue == "in0"; };
    REQUIRE(std::count_if(settings.begin(), settings.end(), of_in0) == 1);
    CHECK(std::find_if(settings.begin(), settings.end(), of_in0)->rd_ptr_local->variable == "$lptr");
}

TEST_CASE("a var without names declares nothing") {
    const Netlist n = read(test::with(test::small_netlist, "- staticvar", "- var:\n      - staticvar"));
    CHECK(n.programs[0].instructions[0].variables.empty());
}

TEST_CASE("unknown keys at the top are errors with the nearest known one") {
    CHECK_THROWS_WITH(read(test::small_netlist + "test_config: {}\nanything: 5\n"),
                      Catch::Contains(":18:1: error: a netlist has no 'test_config'; did you mean 'test-config'?") &&
                          Catch::Contains(":19:1: error: a netlist has no 'anything'"));
}

TEST_CASE("a graph may have no ops") {
    CHECK(read("devices: {arch: Grayskull}\ngraphs: {g: {target_device: 0, input_count: 1}}\n").graphs[0].ops.empty());
}

TEST_CASE("queue settings take booleans in any case, numbers and variables") {
    std::string text = test::with(test::small_netlist, "prologue: false", "prologue: FALSE");
    text = test::with(text, "epilogue: false", "epilogue: 0");
    text = test::with(text, "zero: false", "zero: $lptr");
    const QueueSetting s = read(text).programs[0].instructions[1].settings[0];
    CHECK(s.prologue->literal == 0);
    CHECK(s.epilogue->literal == 0);
    CHECK(s.zero->variable == "$lptr");
}

TEST_CASE("one format in in_df applies to all inputs") {
    const Netlist n = read(test::with(test::small_netlist, "in_df: [Float16_b, Float16_b]", "in_df: [Float16_b]"));
    CHECK(n.graphs[0].ops[1].cfg.in_df.size() == 2);
}

TEST_CASE("the test configuration keeps its own stimulus and comparison for named queues") {
    const Netlist n = read(test::small_netlist + R"(test-config:
  test-args: {microbatch_count: 4}
  comparison-config: {type: allclosehw, atol: 0.5, check_pct: 0.25, overrides: {out0: {check_pcc: 0.5}}}
  stimulus-config:
    overrides:
      in0: {type: Normal, normal_mean: 1.5, set_tile_rows: [1, 4]}
)");
    CHECK(n.test.args.at("microbatch_count") == 4);
    CHECK(n.test.comparison->atol == Approx(0.5));
    REQUIRE(n.test.comparison_overrides.size() == 1);
    CHECK(n.test.comparison_overrides[0].second.check_pcc == Approx(0.5));
    CHECK(n.test.comparison_overrides[0].second.atol == Approx(0.5));
    CHECK_FALSE(n.test.stimulus.has_value());
    CHECK(n.test.stimulus_overrides[0].second.type == Stimulus::Type::Normal);
    CHECK(n.test.stimulus_overrides[0].second.rows_last == 4);
    CHECK(n.notes.empty());
}

TEST_CASE("unused keys of the test configuration are noted and ignored") {
    const Netlist n = read(test::small_netlist + R"(test-config:
  test-args: {microbatch_count: 4, model: bert, backends: [a, b]}
  comparison-config: {type: Exact, atoll: 1, overrides: {out0: {tolerance: 2}}}
  stimulus-config: {type: Normal, seed: 5}
  io-config: {inputs: [in0], layout: 3}
  hardware-settings: {x: 1}
)");
    const std::vector<std::string> expected{
        "line 19: 'model' of 'test-args' is 'bert', no number, and is ignored",
        "line 19: 'backends' of 'test-args' is a list, no number, and is ignored",
        "line 20: 'comparison-config' has no field 'atoll', it is ignored; did you mean 'atol'?",
        "line 20: override 'out0' of 'comparison-config' has no field 'tolerance', it is ignored",
        "line 21: 'stimulus-config' has no field 'seed', it is ignored",
        "line 22: 'io-config' has no field 'layout', it is ignored",
        "line 23: 'test-config' has no field 'hardware-settings', it is ignored"};
    CHECK(n.notes == expected);
    CHECK(n.test.args.size() == 1);
    CHECK(n.test.comparison->type == Comparison::Type::Exact);
    CHECK_THROWS_WITH(read(test::small_netlist + "test-config: {test-args: {microbatch_count: 4x}}\n"),
                      "n.yaml:18:45: error: 'microbatch_count' is '4x'; an integer is wanted");
    CHECK_THROWS_WITH(read(test::small_netlist + "test-config: {comparison-config: {overrides: 1}}\n"),
                      "n.yaml:18:46: error: 'overrides' is '1'; a map is wanted");
}

TEST_CASE("an attribute without meaning for an op is noted and ignored, an unknown one refused") {
    const Netlist n = read(test::with(test::small_netlist, "attributes: {approximate_mode: true}",
                                      "attributes: {approximate_mode: true, m_k: 2, bias: true}"));
    CHECK(n.notes ==
          std::vector<std::string>{"line 10: op 'e': attribute 'm_k' has no meaning for exp and is ignored",
                                   "line 10: op 'e': attribute 'bias' has no meaning for exp and is ignored"});
    CHECK(n.graphs[0].ops[0].cfg.attr.m_k == 0);
    CHECK_FALSE(n.graphs[0].ops[0].cfg.attr.bias);
    CHECK(n.graphs[0].ops[0].cfg.attr.approximate_mode);
}

TEST_CASE("pads may be infinite, other numbers may not") {
    const auto padded = [](const std::string& value) {
        return read(test::with(
            test::small_netlist, "input_1_tms: [broadcast: {r: 1}]",
            "input_1_tms: [pad: [0, 0, " + value + "]], input_0_pad: {rt: 0, ct: 0, pad_value: " + value + "}"));
    };
    for (const std::string word : {".inf", "inf", "+.Inf", "-.inf", "-inf"}) {
        INFO(word);
        const Netlist n = padded(word);
        const float wanted =
            word.starts_with('-') ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
        CHECK(n.graphs[0].ops[1].tms[1].tms[0].value == wanted);
        CHECK(n.graphs[0].ops[1].tms[0].pad_value == wanted);
        CHECK(equal(read(write_netlist(n)), n));
    }
    CHECK_THROWS_WITH(padded(".nan"), Catch::Contains("'pad' is '.nan'; a finite number is wanted"));
    CHECK_THROWS_WITH(read(test::small_netlist + "test-config: {comparison-config: {atol: .inf}}\n"),
                      Catch::Contains("'atol' is '.inf'; a finite number is wanted"));
}

TEST_CASE("of very many problems the first are shown and the rest counted") {
    std::string text = "devices: {arch: grayskull}\ngraphs:\n";
    for (int k = 0; k < 300; ++k) text += "  g" + std::to_string(k) + ": {target_device: 0}\n";
    const std::string complaint = test::complaints(text);
    CHECK(std::count(complaint.begin(), complaint.end(), '\n') == 200);
    CHECK(complaint.ends_with("n.yaml:203:3: error: and 100 more problems from here on"));
}
