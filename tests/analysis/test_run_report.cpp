#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/report/run_report.hpp"
#include "analysis/report/run_uncertainty.hpp"
#include "sim/figures/steady.hpp"

namespace {

using namespace ttsim::impl;

sim::RunReport small_report() {
    sim::RunReport report;
    report.netlist = "/somewhere/else/small.yaml";
    report.arch = "grayskull";
    report.device = "gs_e150";
    report.programs = {"run"};
    report.params = {{"$p_loop_count", 2, "--param"}};
    report.inputs_count = 3;
    report.clock_mhz = 1200;
    report.cycles = 2'400'000;
    sim::GraphReport graph;
    graph.name = "fwd_0";
    graph.executes = 2;
    graph.inputs = 8;
    graph.cycles = 2'000'000;
    graph.inputs_per_second = 4800;
    sim::OpReport op;
    op.name = "dense";
    op.type = "matmul";
    op.grid_r = 2;
    op.grid_c = 4;
    op.tiles = 1024;
    op.first_cycle = 10;
    op.last_cycle = 1'999'990;
    op.busy_cycles = 500'000;
    graph.ops = {op};
    report.graphs = {graph};
    sim::OutputReport output;
    output.queue = "y";
    output.rule = "comparison-config";
    output.result.entries = 8;
    output.result.pcc = 0.25;
    output.result.max_error = 0.5;
    output.result.share_within = 0.75;
    report.outputs = {output};
    report.checked = true;
    return report;
}

sim::RunReport failing_report() {
    sim::RunReport report = small_report();
    report.outputs[0].result.pass = false;
    report.outputs[0].result.first_failure = "entry 0, z 1, tile (2,3): pcc 0.81 < 0.99";
    return report;
}

}  // namespace

TEST_CASE("the report says cycles, share and rate of a graph") {
    const std::string text = report::text(small_report());
    // the only op is busy for a quarter of the time
    const double error = uncertainty_of("grayskull")->of_graph("matmul", 0.25);
    const std::string band = report::plus_minus(error);
    CHECK(band == fmt::format(" (+- {:.0f} %)", 100 * error));
    CHECK(text.find("graph fwd_0 on chip 0: 8 inputs in 2 executes, 2,000,000 cycles" + band + ", 4,800 inputs/s\n") !=
          std::string::npos);
    // 500,000 of 2,000,000 cycles
    CHECK(text.find("  dense  matmul   2x4  1,024     10  1,999,990  500,000  25.0 %\n") != std::string::npos);
    // 2.4 M cycles at 1200 MHz
    CHECK(text.find("total: 2,400,000 cycles" + band + ", 2 ms at 1200 MHz\n") != std::string::npos);
    const auto json = nlohmann::json::parse(report::json(small_report()));
    CHECK(json["uncertainty"] == error);
    CHECK(json["graphs"][0]["uncertainty"] == error);
    CHECK(text.find("parameter $p_loop_count = 2 (--param)\n") != std::string::npos);
}

TEST_CASE("times of a chip that was never measured have no uncertainty") {
    sim::RunReport report = small_report();
    report.arch = "blackhole";
    CHECK(report::text(report).find("+-") == std::string::npos);
    CHECK(nlohmann::json::parse(report::json(report))["uncertainty"].is_null());
}

TEST_CASE("the figures of a run are labeled") {
    sim::RunReport report = small_report();
    report.load_cycles = 20'000;
    report.first_loaded = 20'000;
    report.graphs[0].first_input_end = 270'000;
    report.pushed_before = 100'000;
    report.last_pop = 1'900'000;
    sim::summarize(report);
    // 8 inputs in 2 ms; the graph's own interval; 270,000 - 20,000
    CHECK(report::text(report).find("end to end: 4,000 inputs/s, steady: 4,800 inputs/s\n"
                                    "latency of the first input: 250,000 cycles, kernels loaded; loading: 20,000 "
                                    "cycles\nfirst push to last pop: 2,000,000 cycles, 4,800 inputs/s\nverdict: ") !=
          std::string::npos);
    const auto json = nlohmann::json::parse(report::json(report));
    CHECK(json["end_to_end_per_second"] == 4000);
    CHECK(json["inputs_per_second"] == 4800);
    CHECK(json["push_to_pop_cycles"] == 2'000'000);
    CHECK(json["push_to_pop_per_second"] == 4800);
    CHECK(json["latency_cycles"] == 250'000);
    CHECK(json["load_cycles"] == 20'000);
}

TEST_CASE("graphs that follow each other are steady from loop to loop") {
    sim::RunReport report = small_report();
    report.graphs.push_back(report.graphs[0]);
    report.graphs[1].first_inputs = 4;
    report.graphs[1].first_end = 1'200'000;
    report.graphs[1].last_end = 2'400'000;
    sim::summarize(report);
    CHECK(report.inputs_per_second == Approx(4000));  // 4 inputs in 1 ms
    CHECK(report::text(report).find("inputs/s, loop: 4,000 inputs/s with the pauses between executes\n") !=
          std::string::npos);
    report.graphs[1].executes = 1;
    report.inputs_per_second = 0;
    sim::summarize(report);
    CHECK(nlohmann::json::parse(report::json(report))["inputs_per_second"].is_null());
}

TEST_CASE("math utilization is in percent") {
    sim::RunReport report = small_report();
    report.performance = {{"c", "math-utilization", 75, 0.1, 0, 70.5}};
    CHECK(report.fast_enough());
    CHECK(report::text(report).find("75 % +- 10.0 %    70.5 %  met") != std::string::npos);
    CHECK(nlohmann::json::parse(report::json(report))["performance"][0]["measured"] == 70.5);
}

TEST_CASE("the report gives every output a verdict, with the first failure") {
    CHECK(report::text(small_report()).find("  y             8  0.250000        0.5  75.0 %  pass\n") !=
          std::string::npos);
    const std::string text = report::text(failing_report());
    CHECK(text.find("MISMATCH: entry 0, z 1, tile (2,3): pcc 0.81 < 0.99\n") != std::string::npos);
    CHECK(text.find("verdict: mismatch\n") != std::string::npos);
}

TEST_CASE("an output without a verdict is not a mismatch") {
    sim::RunReport report = failing_report();
    report.outputs[0].result.judged = false;
    report.outputs[0].why = "depends on dropout 'd'";
    CHECK(report::text(report).find("not judged: depends on dropout 'd'\n") != std::string::npos);
    CHECK(report.pass());
}

TEST_CASE("a run in which no output is judged has not passed") {
    sim::RunReport report = small_report();
    report.outputs[0].result.judged = false;
    CHECK(sim::to_string(report.verdict()) == "nothing was compared");
    report.outputs.clear();
    CHECK(sim::to_string(report.verdict()) == "nothing was compared");
}

TEST_CASE("an output whose golden is all NaN is reported, and is not a pass") {
    sim::RunReport report = small_report();
    report.outputs[0].result.elements = 0;
    report.outputs[0].result.undefined = 1024;
    report.outputs[0].why = "golden is NaN throughout, first produced by op 'root' (sqrt)";
    CHECK(sim::to_string(report.verdict()) == "nothing was compared");
    CHECK(report::text(report).find("nothing was compared: golden is NaN throughout, first produced by op 'root'") !=
          std::string::npos);
}

TEST_CASE("an output without entries is not judged, and does not hide others") {
    sim::RunReport report = small_report();
    report.outputs.push_back(report.outputs[0]);
    report.outputs[1].result.entries = 0;
    CHECK(sim::to_string(report.verdict()) == "pass");
    CHECK(report::text(report).find("nothing was compared: no entry was written\n") != std::string::npos);
    report.outputs.erase(report.outputs.begin());
    CHECK(sim::to_string(report.verdict()) == "nothing was compared");
}

TEST_CASE("an entry that never came is a mismatch") {
    sim::RunReport report = small_report();
    report.outputs[0].missing = 2;
    report.outputs[0].first_missing = 6;
    CHECK(sim::to_string(report.verdict()) == "mismatch");
    CHECK(report::text(report).find("MISMATCH: 2 expected entries missing, the first is entry 6\n") !=
          std::string::npos);
    CHECK(nlohmann::json::parse(report::json(report))["outputs"][0]["pass"] == false);
}

TEST_CASE("an output that only the vendor's comparison accepts passes, with the strict figure shown") {
    sim::RunReport report = small_report();
    report.outputs[0].result.strict_pass = false;
    report.outputs[0].result.vendor_tiles = 4;
    report.outputs[0].result.vendor_pcc = 0.9995;
    report.outputs[0].result.first_failure = "entry 0, z 1, tile (2,3): pcc 0.81 < 0.99";
    CHECK(sim::to_string(report.verdict()) == "pass");
    const std::string text = report::text(report);
    CHECK(text.find("0.250000  0.999500") != std::string::npos);
    CHECK(text.find("pass with the vendor's comparison; over all values: entry 0, z 1, tile (2,3): "
                    "pcc 0.81 < 0.99\n") != std::string::npos);
    const auto json = nlohmann::json::parse(report::json(report))["outputs"][0];
    CHECK(json["pass"] == true);
    CHECK(json["strict_pass"] == false);
    CHECK(json["tile_pcc"] == 0.9995);
}

TEST_CASE("an output that golden itself does not determine is ill-conditioned, no mismatch") {
    sim::RunReport report = failing_report();
    report.outputs[0].ill_conditioned = true;
    report.outputs[0].moved = 0.25;
    CHECK(sim::to_string(report.verdict()) == "ill-conditioned");
    CHECK(report.pass());
    CHECK(report::text(report).find("ill-conditioned: golden changes by 0.25 when its inputs change by 1e-6\n") !=
          std::string::npos);
}

TEST_CASE("a NaN in an output has its place in the JSON") {
    sim::RunReport report = small_report();
    Tensor values({1, 1, 1}, {});
    values.data[33] = std::numeric_limits<float>::quiet_NaN();
    report.outputs[0].non_finite.scan(values, 5);
    const auto found = nlohmann::json::parse(report::json(report))["outputs"][0]["non_finite"];
    CHECK(found["entry"] == 5);
    CHECK(found["row"] == 1);
    CHECK(found["column"] == 1);
    CHECK(found["value"] == "nan");
}

TEST_CASE("without a comparison the verdict is \"not checked\"") {
    sim::RunReport report = small_report();
    report.outputs.clear();
    report.checked = false;
    CHECK(sim::to_string(report.verdict()) == "not checked");
}

TEST_CASE("a tolerance relative to the RMS is labeled") {
    sim::RunReport report = small_report();
    report.outputs[0].comparison.atol = -0.0001;
    report.outputs[0].rule = "--numerics float32";
    CHECK(report::text(report).find("tolerance: atol 0.0001 x RMS, rtol 0.0001, ") != std::string::npos);
    const auto json = nlohmann::json::parse(report::json(report));
    CHECK(json["outputs"][0]["tolerance"]["atol"] == 0.0001);
    CHECK(json["outputs"][0]["tolerance"]["atol_unit"] == "rms");
}

TEST_CASE("functional mode has no cycles to print") {
    sim::RunReport report = small_report();
    report.mode = sim::Mode::Functional;
    const std::string text = report::text(report);
    CHECK(text.find("cycles") == std::string::npos);
    CHECK(text.find("verdict: pass") != std::string::npos);
}

TEST_CASE("the JSON holds the base name of the netlist and no path") {
    const std::string text = report::json(small_report());
    CHECK(text.find("somewhere") == std::string::npos);
    const auto json = nlohmann::json::parse(text);
    CHECK(json["netlist"] == "small.yaml");
    CHECK(json["verdict"] == "pass");
    CHECK(json["params"]["$p_loop_count"] == 2);
    CHECK(json["inputs_count"] == 3);
    CHECK(json["graphs"][0]["ops"][0]["grid"] == nlohmann::json::array({2, 4}));
    CHECK(json["outputs"][0]["tolerance"]["type"] == "AllCloseHw");
}

TEST_CASE("doubles in the JSON read back equal") {
    sim::RunReport report = small_report();
    for (const double value : {0.1, 1.0 / 3.0, 0.9999999999999999, 5e-324, 1.7976931348623157e308}) {
        CAPTURE(value);
        report.outputs[0].result.max_error = value;
        CHECK(nlohmann::json::parse(report::json(report))["outputs"][0]["max_error"].get<double>() == value);
    }
}

TEST_CASE("a value that is not finite is null in the JSON") {
    sim::RunReport report = small_report();
    report.outputs[0].result.max_error = std::numeric_limits<double>::infinity();
    report.outputs[0].result.pcc = std::numeric_limits<double>::quiet_NaN();
    const auto json = nlohmann::json::parse(report::json(report));
    CHECK(json["outputs"][0]["max_error"].is_null());
    CHECK(json["outputs"][0]["pcc"].is_null());
}
