// ttsim dram bench: the bandwidth of DRAM channels with Tensix tiles that read or write, for one case or a file of
// rows.
#include <memory>

#include "tools/common/chip_option.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/bench_output.hpp"
#include "tools/validation/link_bench.hpp"

namespace ttsim::impl::cli {

namespace {

struct DramFlags {
    BenchFlags bench;
    sim::DramBenchCase what;
    std::string direction = "read", vc = "static", pairing = "randomly";
};

void run(DramFlags& flags) {
    const ChipParams& params = chosen_chip(flags.bench.arch);
    if (!flags.bench.csv.empty())
        return report_rows(flags.bench,
                           sim::predict_dram_rows(read_csv(flags.bench.csv, sim::dram_columns()), params.name),
                           "predicted_GBps");
    flags.what.write = flags.direction == "write";
    flags.what.static_vc = flags.vc == "static";
    flags.what.pairing = flags.pairing == "randomly" ? sim::Pairing::Random : sim::Pairing::Separate;
    const sim::DramBenchResult result = sim::dram_bench(flags.what, params);
    print_text(flags.bench.json ? sim::dram_json(flags.what, result, params.name) : sim::dram_text(result));
}

}  // namespace

void add_dram(CLI::App& app) {
    auto flags = std::make_shared<DramFlags>();
    CLI::App* dram = app.add_subcommand("dram", "Benchmark DRAM channels");
    dram->require_subcommand(1);
    CLI::App& command =
        add_bench(*dram, "Bandwidth of DRAM channels, for one case or a file of measured rows", flags, run);
    sim::DramBenchCase& what = flags->what;
    command.add_option("--channels", what.channels, "Number of memory channels (1)")
        ->check(in_range(1, 64))
        ->option_text("N");
    command.add_option("--tiles", what.tiles, "Number of Tensix tiles that read or write (1)")
        ->check(in_range(1, 1024))
        ->option_text("N");
    command.add_option("--direction", flags->direction, "read (the default) or write")
        ->check(one_of({"read", "write"}))
        ->option_text("WAY");
    command.add_option("--vc", flags->vc, "Virtual channels: static (the default) or dynamic")
        ->check(one_of({"static", "dynamic"}))
        ->option_text("KIND");
    command.add_option("--noc", what.noc, "NoC 0 (the default) or 1")->check(in_range(0, 1))->option_text("N");
    command
        .add_option("--pairing", flags->pairing,
                    "How tiles are assigned to channels: randomly (the default) or carefully")
        ->check(one_of({"randomly", "carefully"}))
        ->option_text("HOW");
    command.add_option("--bytes", what.bytes, "Size of an access, at most 8192 (8192)")
        ->check(in_range(1, 8192))
        ->option_text("N");
    command.add_option("--seed", what.seed, "Seed of the random pairing (1)")->option_text("N");
    command.add_option("--placements", what.placements, "Number of pairings to average over (12)")
        ->check(in_range(1, 10000))
        ->option_text("N");
    command.footer(
        "Examples:\n"
        "  ttsim dram bench --tiles 12 --direction write --vc dynamic\n"
        "  ttsim dram bench --channels 12 --tiles 48 --noc 1 --json\n"
        "  ttsim dram bench --csv rows.csv --out predicted.csv --report");
}

}  // namespace ttsim::impl::cli
