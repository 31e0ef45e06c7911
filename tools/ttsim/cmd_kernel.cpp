// ttsim kernel: the time of one op's kernel, its instruction streams, or predictions for a file of measured rows.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/text.hpp"
#include "isa/arch.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/ttsim/commands.hpp"
#include "validation/kernel_rows.hpp"
#include "validation/sweep_pipes.hpp"

namespace tt::cli {

namespace {

struct KernelFlags {
    std::string arch, csv, out, timing, op;
    bool report = false, disasm = false;
    std::vector<std::string> settings;  ///< "u_kt=4"
};

const std::vector<std::string>& setting_names() {
    static const std::vector<std::string> names = {
        "approx", "vector_mode", "math_fidelity", "in0_df",    "in1_df",    "out_df",  "intermed_df", "acc_df",
        "t",      "mblock_m",    "mblock_n",      "ublock_rt", "ublock_ct", "m_k",     "u_kt",        "z",
        "l1_acc", "nz_strips",   "nz_ublocks",    "nz_tiles",  "sfpu_op",   "n_inputs"};
    return names;
}

/// The flags as a file of one row, so that both ways check alike.
std::string as_row(const KernelFlags& flags) {
    std::map<std::string, std::string> values = {
        {"math_fidelity", "HiFi4"}, {"in0_df", "Float16_b"}, {"mblock_m", "1"}, {"mblock_n", "1"},
        {"ublock_rt", "1"},         {"ublock_ct", "1"},      {"m_k", "1"},      {"u_kt", "1"},
        {"n_inputs", "128"}};
    for (const std::string& setting : flags.settings) {
        const std::size_t equals = setting.find('=');
        const std::string name = setting.substr(0, equals);
        const auto& known = setting_names();
        if (equals == std::string::npos || std::find(known.begin(), known.end(), name) == known.end())
            fail_input({}, "--set '{}' is not name=value with one of the names {}{}", setting, fmt::join(known, ", "),
                       did_you_mean(name, known));
        const std::string value = setting.substr(equals + 1);
        if (value.find_first_of(",\"\r\n") != std::string::npos) fail_input({}, "--set '{}': no such value", setting);
        values[name] = value;
    }
    KernelShape shape;
    set_op(shape, flags.op);
    const bool two = shape.op == "matmul" || shape.op == "matmul_sparse" || shape.op == "depthwise" ||
                     shape.op == "add" || shape.op == "subtract" || shape.op == "multiply" || shape.op == "maximum";
    if (two) values.try_emplace("in1_df", values["in0_df"]);
    std::string head = "arch,op", row = flags.arch + "," + flags.op;
    for (const std::string& name : setting_names()) {
        head += "," + name;
        row += "," + values[name];
    }
    return head + "\n" + row + "\n";
}

std::string_view position_name(BlockPosition position) {
    switch (position) {
        case BlockPosition::Only:
            return "only";
        case BlockPosition::First:
            return "first";
        case BlockPosition::Middle:
            return "middle";
        case BlockPosition::Last:
            return "last";
        case BlockPosition::Idle:
            return "idle";
    }
    return "";
}

std::string describe(const KernelTime& time) {
    std::string out = fmt::format(
        "{:.1f} cycles per input, limited by {}; math utilization {:.1f} %, by the chip's counter {:.1f} %\n\n",
        time.cycles, to_string(time.limit), time.engaged_percent(), time.counted_percent());
    out += fmt::format("{:<10} {:>12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "position", "micro-blocks",
                       "clk each", "unpack", "math", "pack", "fill", "drain", "limit");
    for (const KernelPart& part : time.parts)
        out += fmt::format("{:<10} {:>12.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}  {}\n",
                           position_name(part.block.position), part.count, part.time.steady, part.time.busy[0],
                           part.time.busy[1], part.time.busy[2], part.time.fill, part.time.drain,
                           to_string(part.time.limit));
    out += fmt::format("\nper input {:.1f} cycles\n", time.per_input);
    return out;
}

/// The same op where it has neighbours.
std::string surroundings(const KernelShape& shape, std::int64_t inputs, const KernelModel& model) {
    const KernelTime streams = model.time(shape);
    const SweepTime sweep = time_in_sweep(shape, streams, inputs, model.constants());
    return fmt::format(
        "with infinite bandwidth in and out; {:.1f} where it asks streams for tiles and room, as in a run; {:.1f}\n"
        "with the pipes of a measured sweep, limited by {}: supply {:.1f}, drain {:.1f}\n",
        streams.cycles, sweep.cycles, to_string(sweep.limit), sweep.supply, sweep.drain);
}

std::string one_op(const KernelFlags& flags, const KernelModel& model, const std::string& chip_name) {
    const KernelRowFile file = parse_kernel_rows(as_row(flags), "<flags>", chip_name);
    file.refused.throw_if_any();
    const KernelRow& row = file.rows.at(0);
    if (!row.shape) fail_unsupported({}, "{}", row.reason);
    const KernelTime time = model.time(unhindered(*row.shape));
    if (!flags.disasm) return describe(time) + surroundings(*row.shape, row.inputs, model);
    std::string out;
    for (const KernelPart& part : time.parts)
        out += fmt::format("; {} micro-block\n{}\n", position_name(part.block.position),
                           disassemble(build_streams(*row.shape, part.block, model.context()), model.context().set));
    return out;
}

void run(const KernelFlags& flags) {
    const std::string chip_name = chip(flags.arch).name;
    const KernelConstants constants =
        flags.timing.empty() ? kernel_constants(chip_name) : read_kernel_constants(flags.timing);
    const KernelModel model(chip_name, constants);
    if (flags.csv.empty()) return print_text(one_op(flags, model, chip_name));
    const KernelRowFile file = read_kernel_rows(flags.csv, chip_name);
    const std::optional<OutputFile> out =
        flags.out.empty() ? std::nullopt : std::optional<OutputFile>(std::in_place, flags.out, FileKind::Csv);
    const std::vector<KernelPrediction> predictions = predict(file, model);
    if (out) out->write(prediction_csv(file, predictions));
    if (flags.report) print_text(error_table(some_errors(kernel_errors(file, predictions), flags.csv), "op"));
    file.refused.throw_if_any();  // the other rows are predicted by now
}

}  // namespace

void add_kernel(CLI::App& app) {
    auto flags = std::make_shared<KernelFlags>();
    CLI::App* command = app.add_subcommand("kernel", "Time one op's kernel, or predict a file of measured ops");
    command->add_option("--arch", flags->arch, "Chip: grayskull, wormhole, wormhole_b0")
        ->required()
        ->option_text("CHIP");
    auto* csv =
        command->add_option("--csv", flags->csv, "Rows to predict, one op on one core each")->option_text("FILE");
    auto outputs = std::make_shared<Outputs>(*command);
    auto* out =
        outputs
            ->file("--out", flags->out, FileKind::Csv,
                   "The rows with predicted_cycles (as in a sweep), predicted_math_util_pct, limiter, reason and "
                   "kernel_cycles (infinite bandwidth); - is stdout")
            ->needs(csv);
    auto* report = command->add_flag("--report", flags->report, "Print the errors per op")->needs(csv);
    auto* op =
        command->add_option("--op", flags->op, "One op instead, as the rows name it")->option_text("OP")->excludes(csv);
    command->add_option("--set", flags->settings, "Its sizes, formats and modes, by the columns' names")
        ->option_text("NAME=VALUE ...")
        ->needs(op);
    command->add_flag("--disasm", flags->disasm, "Print its instruction streams")->needs(op);
    command->add_option("--timing", flags->timing, "Calibrated constants other than the chip's own")
        ->option_text("FILE");
    command->footer(
        "A row whose op is unknown is reported with its line and not predicted; the exit code is then 2, and the "
        "other\n"
        "rows are written all the same.\n\n"
        "Examples:\n"
        "  ttsim kernel --arch wormhole_b0 --csv rows.csv --out predicted.csv --report\n"
        "  ttsim kernel --arch wormhole_b0 --op matmul --set ublock_rt=2 ublock_ct=4 u_kt=4 m_k=2\n"
        "  ttsim kernel --arch wormhole_b0 --op exp --disasm");
    command->callback([flags, outputs, out, report] {
        if (flags->csv.empty() && flags->op.empty()) throw CLI::ValidationError("kernel", "--csv or --op is wanted");
        if (!flags->csv.empty() && out->count() == 0 && report->count() == 0)
            throw CLI::ValidationError("kernel", "--csv needs --out, --report or both");
        outputs->claim();
        run(*flags);
    });
}

}  // namespace tt::cli
