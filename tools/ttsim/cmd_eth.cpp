// ttsim eth bench: bandwidth and latency of an Ethernet link by message size, for one case or a file of
// rows.
#include <algorithm>
#include <memory>

#include "tools/common/chip_option.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/bench_output.hpp"
#include "tools/validation/link_bench.hpp"

namespace ttsim::impl::cli {

namespace {

struct EthFlags {
    BenchFlags bench;
    sim::EthBenchCase what;
    std::string receiver = "keep";
};

void run(EthFlags& flags) {
    const ChipParams& params = chosen_chip(flags.bench.arch);
    if (!flags.bench.csv.empty())
        return report_rows(flags.bench,
                           sim::predict_eth_rows(read_csv(flags.bench.csv, sim::eth_columns()), params.name),
                           "predicted");
    const std::vector<std::string>& names = sim::receiver_names();
    flags.what.receiver =
        static_cast<sim::EthReceiver>(std::find(names.begin(), names.end(), flags.receiver) - names.begin());
    const sim::EthBenchResult result = sim::eth_bench(flags.what, params);
    print_text(flags.bench.json ? sim::eth_json(flags.what, result, params.name) : sim::eth_text(flags.what, result));
}

}  // namespace

void add_eth(CLI::App& app) {
    auto flags = std::make_shared<EthFlags>();
    CLI::App* eth = app.add_subcommand("eth", "Benchmark Ethernet links");
    eth->require_subcommand(1);
    CLI::App& command =
        add_bench(*eth, "Bandwidth and latency of a link, for one case or a file of measured rows", flags, run);
    command.add_option("--bytes", flags->what.bytes, "Size of a message (4096)")
        ->check(in_range(1, 1 << 20))
        ->option_text("N");
    command
        .add_option(
            "--receiver", flags->receiver,
            "What the receiving core does with a message: keep (the default), forward: send it on to a Tensix core, "
            "flushed: forward and wait")
        ->check(one_of(sim::receiver_names()))
        ->option_text("KIND");
    command.add_flag("--both-ways", flags->what.both_ways, "Traffic in both directions");
    command.add_option("--hops", flags->what.hops, "Number of links passed in sequence (1)")
        ->check(in_range(1, 1000))
        ->option_text("N");
    command.footer(
        "Examples:\n"
        "  ttsim eth bench --bytes 1024 --both-ways\n"
        "  ttsim eth bench --csv rows.csv --out predicted.csv --report");
}

}  // namespace ttsim::impl::cli
