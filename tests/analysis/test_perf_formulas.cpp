#include <catch2/catch.hpp>

#include <cmath>

#include "analysis/trace/perf_formulas.hpp"

using namespace ttsim::impl::trace;

// The worked numbers of the original analyzer's pages.
static const std::vector<double> cycles{253729, 253619, 245593, 22352, 110544, 184684, 49018, 36382};
static const std::vector<double> utilizations{6.4, 9.4, 6.2, 0.7, 18.4, 11.3, 38.4, 10.8};
static constexpr double ghz = 1e9;

TEST_CASE("the speed of an epoch is the clock over its slowest op") {
    const std::vector<std::string> speeds{"3941", "3942", "4071", "44738", "9046", "5414", "20400", "27486"};
    for (std::size_t n = 0; n < cycles.size(); ++n) CHECK(speed_text(inputs_per_second(ghz, cycles[n])) == speeds[n]);
    CHECK(speed_text(inputs_per_second(ghz, 4e9)) == "0.25");
    CHECK(speed_text(inputs_per_second(ghz, 0)) == "0");
}

TEST_CASE("epochs one after the other add their cycles, and their utilization by cycles") {
    std::vector<StageUse> stages;
    for (std::size_t n = 0; n < cycles.size(); ++n) stages.push_back({cycles[n], utilizations[n]});
    const StageUse all = in_sequence(stages);
    CHECK(speed_text(inputs_per_second(ghz, all.cycles)) == "865");
    CHECK(std::round(100 * all.utilization) / 100 == Approx(10.33));
    CHECK(in_sequence({}).utilization == 0);
}

TEST_CASE("the slowest pipe slows its op down and names the problem") {
    const std::vector<PipeRate> pipes{{"noc in0", 1.5, 2.0}, {"dram in1", 0.5, 0}, {"output", 3.01, 2.95}};
    CHECK(slowest_pipe(pipes) == "output");
    CHECK(std::floor(bandwidth_bound(142705, pipes)) == 145607);
    const std::vector<PipeRate> wide{{"noc in0", 1.5, 2.0}, {"output", 2.95, 2.95}};
    CHECK(slowest_pipe(wide).empty());
    CHECK(bandwidth_bound(142705, wide) == 142705);
    CHECK(slowest_pipe({}).empty());
}

TEST_CASE("an epoch is used as far as its ops' cores compute while its slowest op works") {
    // a full op on half of the cores, and one that takes half the time on a quarter
    CHECK(epoch_utilization({{50, 1000, 0.8}, {25, 500, 0.4}}, 1000, 100) == Approx(0.45));
    CHECK(epoch_utilization({}, 0, 100) == 0);
}

TEST_CASE("the error of estimates is their total deviation") {
    CHECK(estimate_error({{90, 100}, {120, 100}}) == Approx(0.15));
    CHECK(estimate_error({}) == 0);
}
