#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/exports/perfetto.hpp"
#include "tests/trace/small_trace.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;
using Json = nlohmann::json;

namespace {

Json exported(const std::string& path) {
    trace::Reader reader(path);
    std::string text;
    trace::export_perfetto(reader, {}, [&](std::string_view piece) { text += piece; });
    return Json::parse(text);
}

std::vector<Json> events(const Json& file, const std::string& phase, const std::string& category = "") {
    std::vector<Json> found;
    for (const Json& event : file.at("traceEvents"))
        if (event.at("ph") == phase && (category.empty() || event.value("cat", "") == category)) found.push_back(event);
    return found;
}

}  // namespace

TEST_CASE("an exported trace has processes, tracks, slices and counters in the form of trace viewers") {
    const Json file = exported(small_trace("perfetto.ttperf"));
    std::map<std::pair<int, int>, std::string> tracks;
    std::map<int, std::string> processes;
    for (const Json& event : events(file, "M")) {
        if (event.at("name") == "process_name") processes[event.at("pid")] = event.at("args").at("name");
        if (event.at("name") == "thread_name") tracks[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
    }
    CHECK(processes == std::map<int, std::string>{{0, "epochs"},
                                                  {1, "chip 0 cores (grayskull)"},
                                                  {2, "chip 0 NoC 0"},
                                                  {4, "chip 0 DRAM"},
                                                  {5, "chip 0 queues"}});
    for (const Json& slice : events(file, "X")) {
        CHECK(tracks.contains({slice.at("pid"), slice.at("tid")}));
        CHECK(slice.at("ts").is_number());
        CHECK(slice.at("dur").get<double>() >= 0);
        CHECK(slice.at("args").is_object());
    }
    CHECK(events(file, "X", "epoch").size() == 2);
    const std::vector<Json> inputs = events(file, "X", "input");
    REQUIRE(inputs.size() == 8);  // four of core 0 in each of two epochs
    CHECK(inputs.front().at("name") == "product \"p\" [0]");
    CHECK(inputs.front().at("ts") == 0.1);  // microseconds at 1000 MHz
    CHECK(inputs.front().at("args").at("math") == 8);
    CHECK(tracks.at({inputs.front().at("pid"), inputs.front().at("tid")}) == "1-1 product \"p\"");
    const std::vector<Json> counters = events(file, "C");
    REQUIRE(counters.size() == 4);
    CHECK(counters.front().at("name") == "chip 0 dram 0");
    CHECK(counters.front().at("args").at("percent") == 50);
}

TEST_CASE("steps lie inside the slice of their input") {
    const Json file = exported(small_trace("nested.ttperf"));
    const std::vector<Json> inputs = events(file, "X", "input"), steps = events(file, "X", "step");
    REQUIRE(steps.size() == 12);  // three inputs of two steps, in two epochs; the fourth has none
    for (const Json& step : steps) {
        const auto from = step.at("ts").get<double>(), to = from + step.at("dur").get<double>();
        CHECK(std::any_of(inputs.begin(), inputs.end(), [&](const Json& input) {
            const auto start = input.at("ts").get<double>();
            return input.at("tid") == step.at("tid") && start <= from + 1e-9 &&
                   to <= start + input.at("dur").get<double>() + 1e-9;
        }));
    }
}
