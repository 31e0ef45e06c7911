#include "tools/validation/kernel_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "tools/validation/sweep_pipes.hpp"

namespace ttsim::impl {

namespace {

const std::vector<std::string>& setting_names() {
    static const std::vector<std::string> names = {
        "approx", "vector_mode", "math_fidelity", "in0_df",    "in1_df",    "out_df",  "intermed_df", "acc_df",
        "t",      "mblock_m",    "mblock_n",      "ublock_rt", "ublock_ct", "m_k",     "u_kt",        "z",
        "l1_acc", "nz_strips",   "nz_ublocks",    "nz_tiles",  "sfpu_op",   "n_inputs"};
    return names;
}

/// The settings as a CSV file of one row, so that both inputs have the same checks.
std::string as_row(const std::string& op, const std::vector<std::string>& settings, const std::string& chip_name) {
    std::map<std::string, std::string> values = {
        {"math_fidelity", "HiFi4"}, {"in0_df", "Float16_b"}, {"mblock_m", "1"}, {"mblock_n", "1"},
        {"ublock_rt", "1"},         {"ublock_ct", "1"},      {"m_k", "1"},      {"u_kt", "1"},
        {"n_inputs", "128"}};
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        const std::string name = setting.substr(0, equals);
        const auto& known = setting_names();
        if (equals == std::string::npos || std::find(known.begin(), known.end(), name) == known.end())
            fail_input({}, "--set '{}' is not name=value with one of the names {}{}", setting, fmt::join(known, ", "),
                       did_you_mean(name, known));
        const std::string value = setting.substr(equals + 1);
        if (value.find_first_of(",\"\r\n") != std::string::npos) fail_input({}, "--set '{}': invalid value", setting);
        values[name] = value;
    }
    KernelShape shape;
    set_op(shape, op);
    const bool has_second_operand = shape.op == op::matmul || shape.op == "matmul_sparse" || shape.op == "depthwise" ||
                                    shape.op == op::add || shape.op == op::subtract || shape.op == op::multiply ||
                                    shape.op == op::maximum;
    if (has_second_operand) values.try_emplace("in1_df", values["in0_df"]);
    std::string header = "arch,op", row = chip_name + "," + op;
    for (const std::string& name : setting_names()) {
        header += "," + name;
        row += "," + values[name];
    }
    return header + "\n" + row + "\n";
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

std::string parts_table(const KernelTime& time) {
    std::string out = fmt::format(
        "kernel alone: {:.1f} cycles per input, limited by {} (inputs and output buffers always available)\n"
        "math utilization: {:.1f} % of its cycles\n"
        "math utilization by the chip's performance counter: {:.1f} %\n\n",
        time.cycles, to_string(time.limit), time.math_busy_percent(), time.counted_percent());
    out += fmt::format("{:<10} {:>12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "position", "micro-blocks",
                       "clk each", "unpack", "math", "pack", "fill", "drain", "limit");
    for (const KernelPart& part : time.parts)
        out += fmt::format("{:<10} {:>12.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}  {}\n",
                           position_name(part.block.position), part.count, part.time.steady, part.time.busy[0],
                           part.time.busy[1], part.time.busy[2], part.time.fill, part.time.drain,
                           to_string(part.time.limit));
    out += fmt::format(
        "\nclk each, unpack, math, pack, fill and drain are cycles of a micro-block\n"
        "in addition to micro-blocks: {:.1f} cycles per input (filling, draining, reconfiguration)\n",
        time.per_input);
    return out;
}

/// Times of the op with its neighbours: in a run and in a sweep.
std::string with_neighbours(const KernelShape& shape, std::int64_t inputs, const KernelModel& model) {
    const KernelTime streams = model.time(shape);
    const SweepTime sweep = time_in_sweep(shape, streams, inputs, model.constants());
    return fmt::format(
        "\nin a run, with the stream handshakes for tiles and space: {:.1f} cycles per input\n"
        "in a measured sweep, with its pipes: {:.1f} cycles per input, limited by {}\n"
        "pipes of the sweep: supply {:.1f} and drain {:.1f} cycles per input\n",
        streams.cycles, sweep.cycles, to_string(sweep.limit), sweep.supply, sweep.drain);
}

}  // namespace

KernelRow single_kernel(const std::string& op, const std::vector<std::string>& settings, const std::string& chip_name) {
    KernelRowFile file = parse_kernel_rows(as_row(op, settings, chip_name), "<flags>", chip_name);
    file.refused.throw_if_any();
    KernelRow row = file.rows.at(0);
    if (!row.shape) fail_unsupported({}, "{}", row.reason);
    return row;
}

std::string describe_kernel(const KernelRow& row, const KernelModel& model) {
    return parts_table(model.time(without_stream_waits(*row.shape))) + with_neighbours(*row.shape, row.inputs, model);
}

std::string kernel_json(const KernelRow& row, const KernelModel& model, const std::string& chip_name) {
    const KernelTime alone = model.time(without_stream_waits(*row.shape)), streams = model.time(*row.shape);
    const SweepTime sweep = time_in_sweep(*row.shape, streams, row.inputs, model.constants());
    nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
    for (const KernelPart& part : alone.parts)
        blocks.push_back({{"position", position_name(part.block.position)},
                          {"micro_blocks", part.count},
                          {"cycles", part.time.steady},
                          {"unpack", part.time.busy[0]},
                          {"math", part.time.busy[1]},
                          {"pack", part.time.busy[2]},
                          {"fill", part.time.fill},
                          {"drain", part.time.drain},
                          {"limit", to_string(part.time.limit)}});
    return json_document({{"op", row.op},
                          {"arch", chip_name},
                          {"kernel", alone.cycles},
                          {"limit", to_string(alone.limit)},
                          {"math_utilization", alone.math_busy_percent() / 100},
                          {"counted_math_utilization", alone.counted_percent() / 100},
                          {"micro_blocks", std::move(blocks)},
                          {"besides_cycles", alone.per_input},
                          {"in_run_cycles", streams.cycles},
                          {"in_sweep_cycles", sweep.cycles},
                          {"in_sweep_limit", to_string(sweep.limit)},
                          {"supply_cycles", sweep.supply},
                          {"drain_cycles", sweep.drain}});
}

std::string disassemble_kernel(const KernelRow& row, const KernelModel& model) {
    std::string out;
    for (const KernelPart& part : model.time(without_stream_waits(*row.shape)).parts)
        out += fmt::format("; {} micro-block\n{}\n", position_name(part.block.position),
                           disassemble(build_streams(*row.shape, part.block, model.context()), model.context().set));
    return out;
}

}  // namespace ttsim::impl
