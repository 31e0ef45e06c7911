#include "tools/validation/pipe_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "netlist/checks/validate.hpp"
#include "netlist/plan/plan.hpp"
#include "netlist/text/reader.hpp"
#include "runtime/session.hpp"

namespace ttsim::impl::sim {

PipeEnd parse_pipe_end(const std::string& text) {
    PipeEnd end;
    char order = 0;
    int parsed = 0;
    const int fields = std::sscanf(text.c_str(), "%4ldx%4ld/%2ldx%2ld/%c%n", &end.mblock_m, &end.mblock_n,
                                   &end.ublock_rt, &end.ublock_ct, &order, &parsed);
    const bool complete = fields == 5 && static_cast<std::size_t>(parsed) == text.size();
    const bool sizes = std::min({end.mblock_m, end.mblock_n, end.ublock_rt, end.ublock_ct}) > 0;
    if (!complete || !sizes || (order != 'r' && order != 'c'))
        fail_input({}, "'{}' is not a pipe end; expected mblock, ublock and order, as in 2x3/1x4/r", text);
    end.by_columns = order == 'c';
    return end;
}

namespace {

std::string blocking(const PipeEnd& end, std::int64_t cores) {
    return fmt::format("grid_size: [{}, 1], t: 1, mblock: [{}, {}], ublock: [{}, {}]", cores, end.mblock_m,
                       end.mblock_n, end.ublock_rt, end.ublock_ct);
}

std::string op(const char* name, const char* source, const PipeBenchCase& what, const PipeEnd& end, std::int64_t cores,
               int column, std::int64_t buffer, const std::string& more = "") {
    const std::string_view df = to_string(what.df);
    return fmt::format(
        "    {}: {{type: datacopy, grid_loc: [0, {}], {}, inputs: [{}], in_df: [{}], acc_df: Float16_b, out_df: {}, "
        "intermed_df: {}, ublock_order: {}, buf_size_mb: {}, math_fidelity: LoFi, untilize_output: false{}}}\n",
        name, column, blocking(end, cores), source, df, df, df, end.by_columns ? 'c' : 'r', buffer, more);
}

/// A netlist with the pipe to measure: from a queue whose entries are there before the run, or from an op that copies
/// one tile held in L1 again and again.
std::string netlist_of(const PipeBenchCase& what, const ChipParams& chip) {
    const PipeEnd& from = what.from;
    const PipeEnd held = what.from_dram ? from : PipeEnd{.mblock_m = 1, .mblock_n = 1, .ublock_rt = 1, .ublock_ct = 1};
    const std::int64_t buffers = what.from_dram ? what.sources : 1;
    std::string places;
    for (std::int64_t core = 0; core < buffers; ++core)
        places += fmt::format("{}[0, {:#x}]", core == 0 ? "" : ", ", 0x10000000 + core * 0x1000000);
    std::string text = fmt::format(
        "devices: {{arch: {}}}\nqueues:\n  x: {{input: HOST, type: {}, entries: {}, {}, ublock_order: {}, df: {}, "
        "target_device: 0, loc: dram, dram: [{}]}}\ngraphs:\n  g:\n    target_device: 0\n    input_count: {}\n",
        chip.name, what.from_dram ? "queue" : "ram", what.from_dram ? what.inputs : 1, blocking(held, buffers),
        held.by_columns ? 'c' : 'r', to_string(what.df), places, what.inputs);
    const std::string copies = fmt::format(
        ", input_0_tms: [broadcast: {{r: {}}}, broadcast: {{c: {}}}], attributes: {{kernel_broadcast: {{input_0: 1}}}}",
        what.sources * from.mblock_m * from.ublock_rt, from.mblock_n * from.ublock_ct);
    if (!what.from_dram) text += op("feeder", "x", what, from, what.sources, 0, what.buf_size_mb, copies);
    text += op("target", what.from_dram ? "x" : "feeder", what, what.to, what.takers, 1, 1);
    return text + fmt::format(
                      "programs:\n  - p:\n      - execute: {{graph_name: g, queue_settings: {{x: {{prologue: {}, "
                      "epilogue: false, zero: false, rd_ptr_global: 0, {}: 0}}}}}}\n",
                      !what.from_dram, what.from_dram ? "rd_ptr_local" : "wr_ptr_global");
}

void check(const PipeBenchCase& what) {
    const PipeEnd &a = what.from, &b = what.to;
    const std::int64_t rows = what.sources * a.mblock_m * a.ublock_rt, columns = a.mblock_n * a.ublock_ct;
    const std::int64_t other_rows = what.takers * b.mblock_m * b.ublock_rt, other_columns = b.mblock_n * b.ublock_ct;
    if (rows != other_rows || columns != other_columns)
        fail_input({}, "the producer has {} x {} tiles, the consumer {} x {}; both must have the same", rows, columns,
                   other_rows, other_columns);
    if (what.from_dram && what.sources != 1) fail_input({}, "a queue in DRAM is one source, not {}", what.sources);
}

void add_features(PipeBenchResult& result, const Netlist& netlist, const Machine& machine) {
    EpochStream stream(netlist, {{&netlist.programs.front(), {}}}, std::nullopt);
    EpochCommand command;
    TT_CHECK(stream.next(command), "the program executes a graph");
    const auto plan = elaborate(netlist, std::get<EpochLaunch>(command), machine);
    const PlanOp& target = plan->ops.back();
    const PlanOperand& operand = target.operands.front();
    result.tile_bytes = operand.tile_bytes;
    result.clear_tiles = target.op->cfg.out.ublock_tiles();
    result.operand_tiles = operand.l1_tiles;
    result.credit_tiles = operand.credit_tiles;
    result.chunk_tiles = operand.reads.chunk;
    result.request_tiles = operand.reads.unit;
    if (operand.producer_op < 0) return;
    const OutputStreaming& streaming = plan->ops.front().output_streaming;
    result.scatter = streaming.scatter();
    result.because = streaming.scatter() ? to_string(streaming.rule) : "";
    result.block_tiles = streaming.block_tiles;
    result.unit_tiles = streaming.unit;
    result.phases = streaming.most_phases();
    result.forks = streaming.streams;
}

}  // namespace

PipeBenchResult pipe_bench(const PipeBenchCase& what, const ChipParams& chip) {
    check(what);
    const Netlist netlist = resolve(read_netlist_text(netlist_of(what, chip), "pipe"));
    Machine machine = make_machine(chip.name, {});
    PipeBenchResult result;
    add_features(result, netlist, machine);
    runtime::SessionOptions options;
    options.mode = Mode::Timing;
    options.pipes.kernels = false;
    runtime::Session session(netlist, std::move(machine), options);
    if (what.from_dram)
        for (std::int64_t entry = 0; entry < what.inputs; ++entry) session.push_without_values("x");
    session.run("p");
    session.wait();
    const RunReport report = session.report();
    for (const OpReport& target : report.graphs.front().ops)
        if (target.name == "target") result.cycles = target.last_cycle - target.first_cycle;
    const PipeEnd& to = what.to;
    const std::int64_t tiles = what.inputs * to.mblock_m * to.mblock_n * to.ublock_rt * to.ublock_ct;
    if (result.cycles > 0)
        result.bytes_per_clock = static_cast<double>(tiles * result.tile_bytes) / static_cast<double>(result.cycles);
    return result;
}

std::string pipe_text(const PipeBenchResult& r) {
    std::string text = fmt::format("{:.2f} bytes/clk into each core, {} cycles\n", r.bytes_per_clock, r.cycles);
    text += fmt::format("tiles of {} B; freed {} at a time, a buffer of {}, reported {} at a time\n", r.tile_bytes,
                        r.clear_tiles, r.operand_tiles, r.credit_tiles);
    if (r.chunk_tiles > 0)
        return text + fmt::format("read in chunks of {} tiles, requests of {}\n", r.chunk_tiles, r.request_tiles);
    if (!r.scatter) return text + fmt::format("in order, {} forks a core\n", r.forks);
    return text +
           fmt::format("scatter: the reader {}; blocks of {} tiles, units of {}, {} phases and {} forks a core\n",
                       r.because, r.block_tiles, r.unit_tiles, r.phases, r.forks);
}

std::string pipe_json(const PipeBenchCase& what, const PipeBenchResult& r, const std::string& chip_name) {
    nlohmann::ordered_json json{{"arch", chip_name},
                                {"data_format", to_string(what.df)},
                                {"inputs", what.inputs},
                                {"cycles", r.cycles},
                                {"bytes_per_clock", r.bytes_per_clock},
                                {"tile_bytes", r.tile_bytes},
                                {"clear_tiles", r.clear_tiles},
                                {"operand_tiles", r.operand_tiles},
                                {"credit_tiles", r.credit_tiles}};
    if (what.from_dram)
        json.update({{"chunk_tiles", r.chunk_tiles}, {"request_tiles", r.request_tiles}});
    else
        json.update({{"scatter", r.scatter},
                     {"because", r.because},
                     {"block_tiles", r.block_tiles},
                     {"unit_tiles", r.unit_tiles},
                     {"phases", r.phases},
                     {"forks", r.forks}});
    return json_document(json);
}

}  // namespace ttsim::impl::sim
