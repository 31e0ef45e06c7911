// The rates of launches and runs, and the table of figures in docs/figures.md.
#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

#include "base/figures.hpp"
#include "tests/folders.hpp"

using namespace ttsim::impl;

namespace {

std::vector<std::uint64_t> ends_of(const std::vector<std::uint64_t>& intervals) {
    std::vector<std::uint64_t> ends{1000};
    for (const std::uint64_t interval : intervals) ends.push_back(ends.back() + interval);
    return ends;
}

/// Drains after so many inputs have left; its cores take as long as all of it.
LaunchTimes launch(const std::vector<std::uint64_t>& intervals, std::size_t full, double kernel = 1) {
    LaunchTimes pace{ends_of(intervals), 0, 0, kernel, {}};
    if (full > 0) pace.drains = pace.ends.at(full - 1);
    pace.cores = {{pace.ends.front(), pace.ends.back()}};
    return pace;
}

std::vector<std::uint64_t> times(std::size_t n, std::uint64_t interval) { return std::vector(n, interval); }

constexpr double hz = 1e9;

}  // namespace

TEST_CASE("the steady rate leaves out where the pipeline drains") {
    // the drain is four times as quick: the whole later half would say 40
    CHECK(steady_interval(launch({100, 100, 100, 100, 25, 25, 25, 25}, 5)) == 100);
    // a single interval counts where the cores agree with it
    LaunchTimes short_one = launch({108, 108, 72}, 2);
    CHECK(steady_interval(short_one) == 0);
    short_one.cores = {{900, 900 + 3 * 110}};
    CHECK(steady_interval(short_one) == 108);
    // alternating inputs count by pairs
    CHECK(steady_interval(launch({60, 80, 60, 80, 60, 80, 60, 80, 60, 80, 60, 80, 9}, 13)) == 70);
}

TEST_CASE("there is no steady rate where too few inputs have left") {
    CHECK(steady_interval(launch({}, 1)) == 0);
    CHECK(steady_interval(launch({500}, 0)) == 0);
    CHECK(steady_interval(launch({500, 300, 700}, 0)) == 0);
    // irregular while the pipeline is full
    CHECK(steady_interval(launch({500, 300, 700, 100, 900, 250, 50}, 4)) == 0);
}

TEST_CASE("evenly spaced inputs determine a rate while data still moves between ops") {
    LaunchTimes pace = launch(times(9, 100), 0);  // all inputs were read before the first left
    CHECK(steady_interval(pace) == 0);
    pace.last_send = pace.ends.at(7);
    CHECK(steady_interval(pace) == 100);
    CHECK(steady_interval(launch(times(4, 100), 0)) == 0);
}

TEST_CASE("nothing is faster than the slowest kernel") {
    CHECK(steady_interval(launch(times(10, 50), 8, 80)) == 80);
    // two inputs are enough where that kernel never waits
    CHECK(steady_interval(launch({80}, 0, 80)) == 80);
    CHECK(steady_interval(launch({80}, 0, 40)) == 0);
}

TEST_CASE("a rate at which fewer than half of the inputs left does not exceed the time of all") {
    // the part before a queue slows the one behind it down until it is done
    std::vector<std::uint64_t> drifting(100, 220);
    drifting.insert(drifting.end(), 156, 160);
    const LaunchTimes pace = launch(drifting, 100);
    CHECK(steady_interval(pace) == Approx(static_cast<double>(pace.ends.back() - pace.ends.front()) / 256));
}

TEST_CASE("many inputs without an even pace have an average of the part that takes longest") {
    std::vector<std::uint64_t> error_amplifying;
    for (std::uint64_t n = 0; n < 40; ++n) error_amplifying.push_back(n < 8 ? 1000 : 50 + n);
    LaunchTimes pace = launch(error_amplifying, 8);  // one part lags behind while others run, and catches up once alone
    const double average = static_cast<double>(pace.ends.back() - pace.ends.front()) / 40;
    CHECK(steady_interval(pace) == Approx(average));
    pace.cores.push_back({0, 2 * pace.ends.back()});
    CHECK(steady_interval(pace) > average);
}

TEST_CASE("the rate of a run adds up what runs in sequence, and takes the slowest of what runs together") {
    const GraphExecutes first{.inputs = 8,
                              .executes = 1,
                              .first_inputs = 8,
                              .start = 0,
                              .first_end = 1000,
                              .last_end = 1000,
                              .inputs_per_second = hz / 100};
    GraphExecutes second = first;
    second.start = 1000;
    second.first_end = second.last_end = 4000;
    second.inputs_per_second = hz / 300;
    CHECK(steady_rate({first}, hz) == Approx(hz / 100));
    CHECK(steady_rate({first, second}, hz) == Approx(hz / 400));
    second.start = 500;
    CHECK(steady_rate({first, second}, hz) == Approx(hz / 300));
    second.inputs_per_second = 0;
    CHECK(steady_rate({first, second}, hz) == 0);
    CHECK(steady_rate({first, first}, hz) == Approx(hz / 100));  // two chips of one launch
}

TEST_CASE("graphs that alternate in a loop run at the rate of the loop; graphs before it do not count") {
    GraphExecutes graph{.inputs = 12,
                        .executes = 3,
                        .first_inputs = 4,
                        .start = 0,
                        .first_end = 1000,
                        .last_end = 5000,
                        .inputs_per_second = hz / 100};
    GraphExecutes other = graph;
    other.first_end = 1500;
    other.last_end = 5500;
    CHECK(steady_rate({graph, other}, hz) == Approx(8 * hz / 4000));
    const GraphExecutes once{
        .inputs = 1, .executes = 1, .first_inputs = 1, .start = 0, .first_end = 10, .last_end = 10};
    CHECK(steady_rate({once, graph, other}, hz) == Approx(8 * hz / 4000));
    CHECK(is_loop_rate({once, graph, other}));
    CHECK_FALSE(is_loop_rate({graph}));  // alone: within an execute
    CHECK_FALSE(is_loop_rate({once}));
    // alone and unknown within an execute: the loop's
    graph.inputs_per_second = 0;
    CHECK(steady_rate({graph}, hz) == Approx(8 * hz / 4000));
    CHECK(is_loop_rate({graph}));
    // two loops, one after the other
    GraphExecutes later = graph;
    later.start = 6000;
    later.first_end = 7000;
    later.last_end = 11000;
    CHECK(steady_rate({graph, later}, hz) == Approx(8 * hz / 8000));
}

TEST_CASE("end to end counts the host") {
    CHECK(end_to_end_rate(100, hz, 1'000'000) == Approx(100'000));
    CHECK(end_to_end_rate(100, hz, 1'000'000, 0.001) == Approx(50'000));
    CHECK(end_to_end_rate(100, hz, 0, 0.001) == Approx(100'000));
    CHECK(end_to_end_rate(100, hz, 0) == 0);
}

TEST_CASE("docs/figures.md lists the figures by key and title") {
    std::ifstream in(test::source_folder() / "docs/figures.md");
    REQUIRE(in);
    std::stringstream text;
    text << in.rdbuf();
    for (const Figure& figure : all_figures()) {
        const std::string row =
            "| `" + std::string(figure.key) + "` | " + (figure.title.empty() ? "" : std::string(figure.title));
        INFO(row);
        CHECK(text.str().find(row) != std::string::npos);
    }
}
