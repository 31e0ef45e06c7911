#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analysis/report/compile_report.hpp"
#include "base/error.hpp"

using namespace ttsim::impl;

namespace {

report::CompileReport two_ops() {
    ir::CompileReport made;
    made.ops = 2;
    made.epochs = 1;
    made.estimated_cycles = 1234.4;
    made.arch = "grayskull";
    made.notes = {"conv in 2 parts"};
    ir::CandidateReport small, large;
    small.chosen = true;
    small.kernel_cycles = 100;
    small.dram_cycles = 300;
    small.verdict = "chosen";
    large.fits = false;
    large.grid_r = 2;
    large.verdict = "too wide";
    for (const char* op : {"first", "second"}) {
        ir::Decision decision;
        decision.op = op;
        decision.type = "matmul";
        decision.target_cycles = 500;
        decision.usable_l1_bytes = 1 << 20;
        decision.candidates = {small, large};
        made.decisions.push_back(decision);
    }
    ir::ModelFiles files;
    files.model = "net.onnx";
    files.out = "out";
    ir::CompileOptions options;
    options.device = "gs_e150";
    options.schedule.explain = true;
    return report::compile_report(files, options, made);
}

}  // namespace

TEST_CASE("a compilation reports its result as text and as JSON") {
    const report::CompileReport report = two_ops();
    CHECK_THAT(report::text(report),
               Catch::StartsWith("net.onnx: 2 ops in 1 epochs on gs_e150 (grayskull), 0 constants, about 1234 cycles "
                                 "per input\nconv in 2 parts\nfirst (matmul, epoch 0)") &&
                   Catch::EndsWith("wrote out: run it with 'ttsim run out'\n"));
    const auto json = nlohmann::json::parse(report::json(report));
    CHECK(json["policy"] == "balanced");
    CHECK(json["estimated_cycles"] == 1234.4);
    CHECK(json["decisions"][1]["target_cycles"] == 500);
    CHECK(json["decisions"][1]["usable_l1_bytes"] == 1 << 20);
    CHECK(json["decisions"][0]["candidates"][0]["limited_by"] == "DRAM");
    CHECK(json["decisions"][0]["candidates"][1]["verdict"] == "too wide");
    CHECK_FALSE(json["decisions"][0]["candidates"][1].contains("l1_bytes"));
}

TEST_CASE("decisions are kept of the ops that a pattern names") {
    report::CompileReport report = two_ops();
    report::keep_decisions(report, "");
    CHECK(report.decisions.size() == 2);
    report::keep_decisions(report, "sec.*");
    REQUIRE(report.decisions.size() == 1);
    CHECK(report.decisions[0].op == "second");
    CHECK_THROWS_WITH(report::keep_decisions(report, "first"),
                      Catch::Contains("--explain-op 'first' matches none of the 1 ops"));
}

TEST_CASE("an exhausted budget is named with what was left simpler and the option that raises it") {
    report::CompileReport report = two_ops();
    report.effort = 1;
    report.searches[static_cast<std::size_t>(ir::Search::Nops)] = {16'000, 15'000, true};
    report.searches[static_cast<std::size_t>(ir::Search::OneHeight)] = {1'000, 12, false};
    const std::string exhausted =
        "search: nops in forks that wait: 15,000 of 16,000 ops scheduled or simulated; exhausted, so some forks still "
        "wait (--effort 2 raises it)\n";
    report.explained = false;
    CHECK_THAT(report::text(report), Catch::Contains(exhausted) && !Catch::Contains("grids of one height"));
    report.explained = true;
    CHECK_THAT(report::text(report),
               Catch::Contains("search: grids of one height: 12 of 1,000 ops scheduled or simulated\n" + exhausted));
    const auto json = nlohmann::json::parse(report::json(report))["searches"];
    REQUIRE(json.size() == 2);
    CHECK(json[0]["used"] == 12);
    CHECK_FALSE(json[0].contains("raised_by"));
    CHECK(json[1]["exhausted"] == true);
    CHECK(json[1]["simpler"] == "some forks still wait");
    CHECK(json[1]["raised_by"] == "--effort 2");
}

TEST_CASE("of many similar lines the first few are printed, and the host's share of the work") {
    report::CompileReport report = two_ops();
    report.decisions.clear();
    report.work = {2e6, 5e5};
    for (int k = 0; k < 20; ++k)
        report.host_steps.push_back(fmt::format("step 'gather_{}' of 'tree {}': gather -> f32[1, {}]", k, k, k));
    report.host_steps.push_back("step 'a' of 'b': sort -> f32[1]");
    const std::string text = report::text(report);
    CHECK_THAT(text, Catch::Contains("work: 2 million multiply-adds per input, 25 % of them on the host\n"));
    CHECK_THAT(text, Catch::Contains("host: step 'gather_3' of 'tree 3': gather -> f32[1, 3]\n"
                                     "host: ... and 16 more like these (--json has them)\n"
                                     "host: step 'a' of 'b': sort -> f32[1]\n"));
    CHECK_THAT(text, !Catch::Contains("gather_4"));
    const auto json = nlohmann::json::parse(report::json(report));
    CHECK(json["host_steps"].size() == 21);
    CHECK(json["multiply_adds"]["host"] == 5e5);
}
