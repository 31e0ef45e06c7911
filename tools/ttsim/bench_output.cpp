#include "tools/ttsim/bench_output.hpp"

#include "tools/common/chip_option.hpp"
#include "tools/common/output.hpp"
#include "tools/validation/link_bench.hpp"

namespace ttsim::impl::cli {

void add_bench_flags(CLI::App& command, BenchFlags& flags, Outputs& outputs) {
    add_chip_option(command, flags.arch);
    auto* csv = command.add_option("--csv", flags.csv, "Predict the measured rows of a CSV file instead of one case")
                    ->option_text("FILE");
    outputs
        .file("--out", flags.out, FileKind::Csv,
              "Write the rows with their predictions, or the reason why there is none; - is stdout")
        ->needs(csv);
    command.add_flag("--report", flags.report, "Print the prediction errors by kind of row")->needs(csv);
    command.add_flag("--json", flags.json, "Print the result as JSON");
}

void check_bench_flags(const BenchFlags& flags) {
    if (!flags.csv.empty() && flags.out.empty() && !flags.report)
        throw CLI::ValidationError("bench", "--csv needs --out, --report or both");
    if (flags.out == "-" && flags.report)
        throw CLI::ValidationError("bench", "--out - and --report both write to standard output");
}

void report_rows(const BenchFlags& flags, const sim::BenchRows& rows, const std::string& predicted) {
    if (!flags.out.empty()) OutputFile(flags.out, FileKind::Csv).write(sim::bench_csv(rows, predicted));
    if (!flags.report) return;
    const std::vector<PredictionErrors> errors = require_errors(sim::bench_errors(rows), flags.csv);
    print_text(flags.json ? sim::errors_json(rows, errors) : error_table(errors, "kind"));
}

}  // namespace ttsim::impl::cli
