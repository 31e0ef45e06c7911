#include "tools/validation/link_bench.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "isa/arch.hpp"
#include "sim/memory/memory_constants.hpp"

namespace ttsim::impl::sim {

DramBenchResult dram_bench(const DramBenchCase& what, const ChipParams& chip) {
    const MemoryConstants& constants = memory_constants(chip.name);
    const std::size_t channels = constants.dram_ports.size();
    const std::size_t tiles = chip.worker_x.size() * chip.worker_y.size();
    if (static_cast<std::size_t>(what.channels) > channels)
        fail_input({}, "{} channels: {} has {}", what.channels, chip.name, channels);
    if (static_cast<std::size_t>(what.tiles) > tiles)
        fail_input({}, "{} Tensix tiles: {} has {}", what.tiles, chip.name, tiles);
    return dram_bench(what, chip, constants);
}

std::string dram_text(const DramBenchResult& result) {
    return fmt::format("{:.2f} GB/s ({:.2f} bytes/clk, {:.1f} % of peak)\n", result.gb_per_second,
                       result.bytes_per_clock, result.percent_of_peak);
}

std::string dram_json(const DramBenchCase& what, const DramBenchResult& result, const std::string& chip_name) {
    return json_document({{"arch", chip_name},
                          {"channels", what.channels},
                          {"tiles", what.tiles},
                          {"pairing", what.pairing == Pairing::Random ? "randomly" : "carefully"},
                          {"direction", what.write ? "write" : "read"},
                          {"vc", what.static_vc ? "static" : "dynamic"},
                          {"noc", what.noc},
                          {"bytes", what.bytes},
                          {"bytes_per_clock", result.bytes_per_clock},
                          {"gb_per_second", result.gb_per_second},
                          {"percent_of_peak", result.percent_of_peak}});
}

EthBenchResult eth_bench(const EthBenchCase& what, const ChipParams& chip) {
    const MemoryConstants& constants = memory_constants(chip.name);
    if (!constants.eth) fail_input({}, "{} has no Ethernet cores", chip.name);
    const EthTiming& eth = *constants.eth;
    const double ns = 1000.0 / static_cast<double>(chip.clock_mhz);
    const double interval = eth.interval(what.receiver, what.both_ways, what.bytes) * ns;
    return {.gb_per_second = static_cast<double>(what.bytes) / interval,
            .interval_ns = interval,
            .arrival_ns = eth.arrival(what.bytes) * ns,
            .round_trip_ns = eth.round_trip(what.receiver, what.bytes) * ns,
            .relayed_ns = eth.relay_hop(what.bytes) * ns * what.hops};
}

const std::vector<std::string>& receiver_names() {
    static const std::vector<std::string> names = {"keep", "forward", "flushed"};
    return names;
}

std::string eth_text(const EthBenchCase& what, const EthBenchResult& result) {
    return fmt::format(
        "{:.2f} GB/s, a message every {:.1f} ns\n"
        "one way {:.0f} ns, with acknowledgement {:.0f} ns\n"
        "over {} hop{} of packet routers {:.0f} ns\n",
        result.gb_per_second, result.interval_ns, result.arrival_ns, result.round_trip_ns, what.hops,
        what.hops == 1 ? "" : "s", result.relayed_ns);
}

std::string eth_json(const EthBenchCase& what, const EthBenchResult& result, const std::string& chip_name) {
    return json_document({{"arch", chip_name},
                          {"bytes", what.bytes},
                          {"receiver", receiver_names().at(static_cast<std::size_t>(what.receiver))},
                          {"both_ways", what.both_ways},
                          {"gb_per_second", result.gb_per_second},
                          {"interval_ns", result.interval_ns},
                          {"arrival_ns", result.arrival_ns},
                          {"round_trip_ns", result.round_trip_ns},
                          {"hops", what.hops},
                          {"relayed_ns", result.relayed_ns}});
}

std::string errors_json(const BenchRows& rows, const std::vector<PredictionErrors>& errors) {
    nlohmann::ordered_json groups = nlohmann::ordered_json::array();
    for (const PredictionErrors& e : errors)
        groups.push_back({{"kind", e.group},
                          {"rows", e.rows},
                          {"mean_error_percent", e.mean},
                          {"median_error_percent", e.median},
                          {"p95_error_percent", e.p95},
                          {"worst_error_percent", e.worst},
                          {"bias_percent", e.bias}});
    return json_document({{"rows", rows.predictions.size()}, {"errors", groups}});
}

}  // namespace ttsim::impl::sim
