#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/trace_report/trace_report.hpp"
#include "tests/trace/small_trace.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

std::vector<std::string> lines(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
}

}  // namespace

TEST_CASE("a trace's epochs are the same figures as text, CSV and JSON") {
    trace::Reader reader(small_trace("epochs.ttperf"));
    const report::TraceReport epochs = report::epochs_report(reader);
    const auto json = nlohmann::json::parse(report::json(epochs));
    CHECK(json.size() == 4);
    CHECK(json["schema_version"] == 2);
    CHECK(json["run"]["netlist"] == "n.yaml");
    REQUIRE(json["epochs"].size() == 2);
    CHECK(json["epochs"][1]["start"] == 200);
    CHECK(json["epochs"][1]["limit"] == "math");
    CHECK(json["epochs"][1]["inputs_per_second"] == 1e6);
    const std::vector<std::string> csv = lines(report::csv(epochs));
    REQUIRE(csv.size() == 3);
    CHECK(csv[0].starts_with("epoch,graphs,epoch_type,chips,status,inputs,start,cycles,inputs_per_second,"));
    CHECK(csv[2].starts_with("1,g,,[0],complete,4,200,200,1000000.0,"));
    CHECK(csv[2].ends_with("\"product \"\"p\"\"\",math"));
    CHECK_THAT(report::text(epochs),
               Catch::StartsWith("n.yaml on gs_e150 (grayskull), timing mode: 500 cycles, 0.0005 ms at 1000 MHz\n") &&
                   Catch::Contains("1,000,000") && Catch::Contains("product \"p\""));
    for (const std::string& line : lines(report::text(epochs, 60))) CHECK((line.size() <= 60 || line[0] == 'n'));
}

TEST_CASE("an epoch's report has its ops, that of resources has them busiest first") {
    trace::Reader reader(small_trace("parts.ttperf"));
    const auto ops = nlohmann::json::parse(report::json(report::epoch_report(reader, 1)));
    CHECK(ops["epoch"]["epoch"] == 1);
    REQUIRE(ops["ops"].size() == 1);
    CHECK(ops["ops"][0]["kernel"] == 90);
    CHECK(ops["ops"][0]["in_bytes_per_cycle_got"] == Approx(6240 / 20.0));
    CHECK(lines(report::csv(report::epoch_report(reader, 1))).size() == 2);
    CHECK_THROWS_WITH(report::epoch_report(reader, 7), Catch::Contains("has no epoch 7"));
    const auto resources = nlohmann::json::parse(report::json(report::resources_report(reader)));
    CHECK(resources["resources"][0]["kind"] == "noc");
    CHECK(resources["resources"][1]["queueing"] == 40);
}
