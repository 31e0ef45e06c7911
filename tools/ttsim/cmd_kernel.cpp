// ttsim kernel: prints the time or the instruction streams of one op's kernel, or predicts a file of measured rows.
#include <memory>
#include <optional>

#include "tools/common/chip_option.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/validation/kernel_case.hpp"

namespace ttsim::impl::cli {

namespace {

struct KernelFlags {
    std::string arch, csv, out, timing, op;
    bool report = false, disasm = false, json = false;
    std::vector<std::string> settings;  ///< "u_kt=4"
};

void run(const KernelFlags& flags) {
    const std::string chip_name = chosen_chip(flags.arch).name;
    const KernelConstants constants =
        flags.timing.empty() ? kernel_constants(chip_name) : read_kernel_constants(flags.timing);
    const KernelModel model(chip_name, constants);
    if (flags.csv.empty()) {
        const KernelRow row = single_kernel(flags.op, flags.settings, chip_name);
        if (flags.json) return print_text(kernel_json(row, model, chip_name));
        return print_text(flags.disasm ? disassemble_kernel(row, model) : describe_kernel(row, model));
    }
    const KernelRowFile file = read_kernel_rows(flags.csv, chip_name);
    const std::optional<OutputFile> out =
        flags.out.empty() ? std::nullopt : std::optional<OutputFile>(std::in_place, flags.out, FileKind::Csv);
    const std::vector<KernelPrediction> predictions = predict(file, model);
    if (out) out->write(prediction_csv(file, predictions));
    if (flags.report) print_text(error_table(require_errors(kernel_errors(file, predictions), flags.csv), "op"));
    file.refused.throw_if_any();  // after all valid rows were predicted
}

}  // namespace

void add_kernel(CLI::App& app) {
    auto flags = std::make_shared<KernelFlags>();
    CLI::App* command = app.add_subcommand("kernel", "Time one op's kernel, or predict a file of measured ops");
    add_chip_option(*command, flags->arch)->required();
    auto* csv = command->add_option("--csv", flags->csv, "CSV file of rows to predict, each one op on one core")
                    ->option_text("FILE");
    auto outputs = std::make_shared<Outputs>(*command);
    auto* out =
        outputs
            ->file("--out", flags->out, FileKind::Csv,
                   "Write the rows with predicted_cycles (as in a sweep), predicted_math_util_pct, limiter, reason and "
                   "kernel_cycles (infinite bandwidth); - is stdout")
            ->needs(csv);
    auto* report = command->add_flag("--report", flags->report, "Print the prediction errors per op")->needs(csv);
    auto* op = command->add_option("--op", flags->op, "Time this op instead, named as in the rows")
                   ->option_text("OP")
                   ->excludes(csv);
    command->add_option("--set", flags->settings, "Sizes, formats and modes of the op, named as the columns")
        ->option_text("NAME=VALUE ...")
        ->needs(op);
    auto* disasm = command->add_flag("--disasm", flags->disasm, "Print its instruction streams")->needs(op);
    command->add_flag("--json", flags->json, "Print its times as JSON")->needs(op)->excludes(disasm);
    command->add_option("--timing", flags->timing, "File of calibrated constants to use instead of the chip's own")
        ->option_text("FILE");
    command->footer(
        "A row with an unknown op is reported with its line and not predicted. The exit code is then 2, but the other "
        "rows\n"
        "are still written.\n\n"
        "Examples:\n"
        "  ttsim kernel --arch wormhole_b0 --csv rows.csv --out predicted.csv --report\n"
        "  ttsim kernel --arch wormhole_b0 --op matmul --set ublock_rt=2 ublock_ct=4 u_kt=4 m_k=2\n"
        "  ttsim kernel --arch wormhole_b0 --op exp --disasm");
    command->callback([flags, outputs, out, report] {
        if (flags->csv.empty() && flags->op.empty()) throw CLI::ValidationError("kernel", "--csv or --op is required");
        if (!flags->csv.empty() && out->count() == 0 && report->count() == 0)
            throw CLI::ValidationError("kernel", "--csv needs --out, --report or both");
        outputs->claim();
        run(*flags);
    });
}

}  // namespace ttsim::impl::cli
