#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

#include "sim/noc/replay.hpp"
#include "tests/folders.hpp"
#include "tests/sim/noc/noc_machine.hpp"
#include "tests/skip.hpp"
#include "tools/validation/noc_rows.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::noc;

namespace {

double cycles(BenchCase what, const Constants& c = plain_constants()) { return bench(what, wormhole(), c).cycles; }

sim::BenchRows rows(const std::string& text) {
    return predict_noc_rows(parse_csv(text, "rows.csv", noc_columns()), chip("wormhole_b0"), wormhole(),
                            plain_constants());
}

std::string refusal(const std::string& text) {
    try {
        rows(text);
    } catch (const Error& e) {
        CHECK(e.exit_code() == 2);
        return e.what();
    }
    return "";
}

const std::filesystem::path silicon = ttsim::impl::test::shared_folder() / "silicon";

}  // namespace

TEST_CASE("Transactions are issued one after the other and overlap") {
    Constants c = plain_constants();
    c.issue_read_short = 20;
    c.issue_read = 30;
    c.barrier = 3;
    BenchCase what;
    what.bytes = 64;
    what.same_axis = true;
    what.count = 10;
    CHECK(cycles(what, c) == Approx(9 * 20 + 140 + 3 + 3));
    what.count = 20;  // a loop
    CHECK(cycles(what, c) == Approx(19 * 30 + 140 + 3 + 3));
}

TEST_CASE("Long transactions reach the rate of a link") {
    BenchCase what;
    what.pattern = Pattern::OneToOne;
    what.bytes = 65536;
    what.count = 16;
    CHECK(bench(what, wormhole(), plain_constants()).bytes_per_cycle == Approx(32.0 * 256 / 257).epsilon(0.01));
}

TEST_CASE("Patterns with many cores move all their bytes") {
    BenchCase what;
    what.grid_x = what.grid_y = 3;
    what.count = 2;
    for (const auto& [pattern, packets] :
         {std::pair{Pattern::OneFromAll, 18}, std::pair{Pattern::AllToOne, 18}, std::pair{Pattern::AllToAll, 162},
          std::pair{Pattern::AllFromAll, 162}, std::pair{Pattern::Multicast, 2}}) {
        what.pattern = pattern;
        CHECK(bench(what, wormhole(), plain_constants()).packets == static_cast<std::uint64_t>(packets));
    }
}

TEST_CASE("All writing to one core is limited by its port, one multicast serves them at once") {
    BenchCase what;
    what.grid_x = what.grid_y = 4;
    what.bytes = 8192;
    what.pattern = Pattern::AllToOne;
    CHECK(cycles(what) > 16 * 256);
    what.pattern = Pattern::Multicast;
    CHECK(cycles(what) < 2 * 256 + 500);
}

TEST_CASE("Rows of measured transfers get predictions or reasons") {
    const sim::BenchRows r = rows(
        "chip,pattern,mechanism,memory,transaction_bytes,num_transactions_total,same_axis,latency_cycles\n"
        "wormhole_b0,ONE_FROM_ONE,UNICAST,L1,1024,1,1,173\n"
        "grayskull,ONE_FROM_ONE,UNICAST,L1,1024,1,1,173\n"
        "wormhole_b0,ALL_TO_ALL,UNICAST,DRAM_SHARDED,64,1,0,\n");
    REQUIRE(r.predictions.size() == 3);
    CHECK(r.predictions[0].predicted == Approx(120 + 20 + 33));
    CHECK(r.predictions[0].measured == 173.0);
    CHECK(r.predictions[1].reason == "chip is grayskull, predicted is wormhole_b0");
    CHECK_THAT(r.predictions[2].reason, Catch::Matchers::Contains("apply to one_from_one and one_to_one"));
}

TEST_CASE("Wrong rows are refused with their line") {
    const std::string head = "pattern,transaction_bytes,num_transactions_total\n";
    using Catch::Matchers::Contains;
    CHECK_THAT(refusal("pattern,transaction_bytes\n"), Contains("num_transactions_total"));
    CHECK_THAT(refusal(head + "one_from_two,64,1\n"), Contains("rows.csv:2: error: 'pattern' is 'one_from_two'"));
    CHECK_THAT(refusal(head + "one_from_one,-64,1\n"), Contains("rows.csv:2: error: 'transaction_bytes' is"));
    CHECK_THAT(refusal(head + "one_from_one,64,0\n"), Contains("'num_transactions_total' is"));
}

TEST_CASE("Measured transfers are predicted within 5 percent on average") {
    if (ttsim::impl::test::skip_without(silicon)) return;
    const ChipParams& params = chip("wormhole_b0");
    const Constants& c = constants(params);
    const Topology topology(params, c.block_ports);
    const sim::BenchRows r =
        predict_noc_rows(read_csv(silicon / "noc_latency_single.csv", noc_columns()), params, topology, c);
    double sum = 0;
    for (const sim::BenchPrediction& p : r.predictions) {
        REQUIRE(p.predicted);
        sum += std::abs(*p.predicted / *p.measured - 1);
    }
    CHECK(100 * sum / static_cast<double>(r.predictions.size()) < 5);
}

TEST_CASE("Recorded traces are predicted within 5 percent on average, their barriers within 12") {
    if (ttsim::impl::test::skip_without(silicon)) return;
    const ChipParams& params = chip("wormhole_b0");
    const Constants& c = constants(params);
    const Topology topology(params, c.block_ports);
    for (const Loop loop : {Loop::Closed, Loop::Open}) {
        double total = 0, barriers = 0;
        int count = 0;
        for (const auto& file : std::filesystem::directory_iterator(silicon / "noc_samples")) {
            const auto traffic = read_traffic(file.path(), topology);
            if (!std::holds_alternative<Trace>(traffic)) continue;
            const ReplayResult r = replay(std::get<Trace>(traffic), topology, c, loop);
            total += 100 * std::abs(r.total_cycles / *r.golden_cycles - 1);
            barriers += 100 * std::abs(r.barriers.predicted / r.barriers.recorded - 1);
            ++count;
        }
        REQUIRE(count > 0);
        CHECK(total / count < (loop == Loop::Open ? 2.5 : 5));
        CHECK(barriers / count < 12);
    }
}
