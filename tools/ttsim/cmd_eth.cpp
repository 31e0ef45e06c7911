// ttsim eth bench: bandwidth and latency of an Ethernet link by message size, one case or a file of rows.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "isa/arch.hpp"
#include "sim/memory/memory_constants.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/bench_output.hpp"

namespace tt::cli {

namespace {

struct EthFlags {
    BenchFlags bench;
    std::string receiver = "keep";
    bool both_ways = false;
    std::uint64_t bytes = 4096;
    int hops = 1;
};

sim::EthReceiver receiver_of(const std::string& name) {
    if (name == "keep") return sim::EthReceiver::Keep;
    return name == "forward" ? sim::EthReceiver::Forward : sim::EthReceiver::ForwardFlushed;
}

void run(const EthFlags& flags) {
    const ChipParams& params = chip(flags.bench.arch);
    if (!flags.bench.csv.empty())
        return report_rows(flags.bench,
                           sim::predict_eth_rows(read_csv(flags.bench.csv, sim::eth_columns()), params.name),
                           "predicted");
    const sim::MemoryConstants& constants = sim::memory_constants(params.name);
    if (!constants.eth) fail_input({}, "--arch {}: the chip has no Ethernet cores", params.name);
    const sim::EthTiming& eth = *constants.eth;
    const sim::EthReceiver receiver = receiver_of(flags.receiver);
    const double ns = 1000.0 / static_cast<double>(params.clock_mhz);
    const double interval = eth.interval(receiver, flags.both_ways, flags.bytes) * ns;
    const double rate = static_cast<double>(flags.bytes) / interval;
    const double arrival = eth.arrival(flags.bytes) * ns, round_trip = eth.round_trip(receiver, flags.bytes) * ns;
    const double relayed = eth.relay_hop(flags.bytes) * ns * flags.hops;
    if (flags.bench.json)
        return print_text(nlohmann::ordered_json{{"arch", params.name},
                                                 {"bytes", flags.bytes},
                                                 {"receiver", flags.receiver},
                                                 {"both_ways", flags.both_ways},
                                                 {"gb_per_second", rate},
                                                 {"interval_ns", interval},
                                                 {"arrival_ns", arrival},
                                                 {"round_trip_ns", round_trip},
                                                 {"hops", flags.hops},
                                                 {"relayed_ns", relayed}}
                              .dump(2) +
                          "\n");
    print_text(
        fmt::format("{:.2f} GB/s, a message every {:.1f} ns\n"
                    "one way {:.0f} ns, with acknowledgement {:.0f} ns\n"
                    "over {} hop{} of packet routers {:.0f} ns\n",
                    rate, interval, arrival, round_trip, flags.hops, flags.hops == 1 ? "" : "s", relayed));
}

}  // namespace

void add_eth(CLI::App& app) {
    auto flags = std::make_shared<EthFlags>();
    CLI::App* eth = app.add_subcommand("eth", "Ethernet links on their own");
    eth->require_subcommand(1);
    CLI::App* command =
        eth->add_subcommand("bench", "Bandwidth and latency of a link, one case or a file of measured rows");
    auto outputs = std::make_shared<Outputs>(*command);
    add_bench_flags(*command, flags->bench, *outputs);
    command->add_option("--bytes", flags->bytes, "Size of a message (4096)")
        ->check(quiet(CLI::Range(1, 1 << 20)))
        ->option_text("N");
    command
        ->add_option(
            "--receiver", flags->receiver,
            "What the far core does: keep (the default), forward it to a Tensix core, flushed: forward and wait")
        ->check(one_of({"keep", "forward", "flushed"}))
        ->option_text("KIND");
    command->add_flag("--both-ways", flags->both_ways, "Traffic in both directions");
    command->add_option("--hops", flags->hops, "Links in a row (1)")
        ->check(quiet(CLI::Range(1, 1000)))
        ->option_text("N");
    command->footer(
        "Examples:\n"
        "  ttsim eth bench --bytes 1024 --both-ways\n"
        "  ttsim eth bench --csv rows.csv --out predicted.csv --report");
    command->callback([flags, outputs] {
        check_bench_flags(flags->bench);
        outputs->claim();
        run(*flags);
    });
}

}  // namespace tt::cli
