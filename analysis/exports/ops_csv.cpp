// ops_perf_results.csv, which tt-perf-report and ttnn-visualizer read.
#include <fmt/ranges.h>

#include <cmath>

#include "analysis/exports/exports.hpp"
#include "analysis/exports/measures.hpp"
#include "base/csv.hpp"
#include "isa/arch.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl::report {

namespace {

const std::vector<std::string>& ops_titles() {
    static const std::vector<std::string> titles = [] {
        std::vector<std::string> all{"OP CODE",
                                     "OP TYPE",
                                     "GLOBAL CALL COUNT",
                                     "DEVICE ID",
                                     "DEVICE ARCH",
                                     "ATTRIBUTES",
                                     "MATH FIDELITY",
                                     "CORE COUNT",
                                     "AVAILABLE WORKER CORE COUNT",
                                     "HOST START TS",
                                     "OP TO OP LATENCY [ns]",
                                     "DEVICE KERNEL DURATION [ns]"};
        for (const char* tensor : {"INPUT_0", "INPUT_1", "OUTPUT_0"}) {
            for (const char* dim : {"W", "Z", "Y", "X"}) all.push_back(fmt::format("{}_{}_PAD[LOGICAL]", tensor, dim));
            all.push_back(fmt::format("{}_DATATYPE", tensor));
            all.push_back(fmt::format("{}_MEMORY", tensor));
        }
        return all;
    }();
    return titles;
}

/// Category of the tool, by class and type of an op.
std::string category(OpClass kind, const std::string& type) {
    switch (kind) {
        case OpClass::Matmul:
        case OpClass::Depthwise:
            return "Matmul";
        case OpClass::SparseMatmul:
            return "SparseMatmul";
        case OpClass::Binary:
        case OpClass::SfpuBinary:
            return "BinaryNg";
        case OpClass::Sfpu:
            return "Unary";
        case OpClass::Reduce:
            return "Reduce";
        case OpClass::Move:
            return type == "splice" ? "Concat" : type == "tilizer" ? "Tilize" : "Copy";
        case OpClass::Fused:
            return "Ternary";
        case OpClass::Ethernet:
            return "SendAsync";
    }
    return "Copy";
}

/// Data type names of the tool, which contain the bits of an element.
std::string datatype(DataFormat format) {
    switch (info(format).element_bits) {
        case 32:
            return is_integer(format) ? "INT32" : "FLOAT32";
        case 16:
            return is_integer(format) ? "UINT16" : "BFLOAT16";
        case 8:
            return is_integer(format) ? "UINT8" : "BFLOAT8_B";
        case 4:
            return "BFLOAT4_B";
        default:
            return fmt::format("BFLOAT{}_B", info(format).element_bits);
    }
}

/// Name of the math fidelity; HiFi3 is given as HiFi4, since the tool does not know HiFi3.
std::string fidelity_name(Fidelity fidelity) {
    switch (fidelity) {
        case Fidelity::LoFi:
            return "LoFi";
        case Fidelity::HiFi2:
        case Fidelity::HiFi2_B:
            return "HiFi2";
        case Fidelity::HiFi3:
        case Fidelity::HiFi4:
        case Fidelity::Invalid:
            break;
    }
    return "HiFi4";
}

void add_tensor(std::vector<std::string>& cells, const TileShape& shape, TileDim tile, DataFormat format,
                const std::string& memory) {
    for (const std::int64_t size : {std::int64_t{1}, shape.z, shape.rt * tile.h, shape.ct * tile.w})
        cells.push_back(fmt::format("{0}[{0}]", size));
    cells.push_back(datatype(format));
    cells.push_back(memory);
}

std::string memory_of(const Netlist& netlist, const std::string& name, std::int64_t chip) {
    const Queue* queue = netlist.find_queue(name);
    if (!queue) return fmt::format("DEV_{}_L1_BLOCK_SHARDED", chip);
    if (queue->where == QueueLoc::Host) return fmt::format("DEV_{}_HOST", chip);
    return fmt::format("DEV_{}_DRAM_INTERLEAVED", chip);
}

/// Attributes of an op: those that the tool's advice on products uses, and others for information.
std::string attributes(const Op& op, const std::string& graph) {
    const Blocking& out = op.cfg.out;
    std::string text = fmt::format("{{'name': '{}'; 'graph': '{}'; 'type': '{}'", op.name(), graph, op.cfg.type);
    if (op.cfg.attr.u_kt > 0)
        text += fmt::format("; 'program_config': 'in0_block_w={},out_subblock_h={},out_subblock_w={}'",
                            op.cfg.attr.u_kt, out.ublock_rt, out.ublock_ct);
    return text + "}";
}

std::string output_memory(const OpMeasure& op, const Netlist& netlist) {
    for (const PipeMeasure& pipe : op.outputs)
        if (pipe.queue) return memory_of(netlist, pipe.other, op.use.chip);
    return fmt::format("DEV_{}_L1_BLOCK_SHARDED", op.use.chip);
}

std::string signpost(const EpochMeasure& epoch, std::int64_t start_ns) {
    std::vector<std::string> cells(ops_titles().size());
    cells[0] = fmt::format("epoch {}: {}", epoch.use.id, epoch.use.graphs);
    cells[1] = "signpost";
    cells[9] = fmt::format("{}", start_ns);
    return csv_line(cells);
}

std::string op_row(ExportSource& source, const OpMeasure& op, std::int64_t number, std::int64_t start_ns,
                   const std::string& arch) {
    const OpConfig& cfg = op.op->cfg;
    const ChipParams& chip = source.chip(op.use.chip).params;
    std::vector<std::string> cells{
        op_code(cfg, op.use.name),
        "tt_dnn_device",
        fmt::format("{}", number),
        fmt::format("{}", op.use.chip),
        arch,
        attributes(*op.op, op.use.graph),
        fidelity_name(cfg.fidelity),
        fmt::format("{}", op.use.grid_r * op.use.grid_c),
        fmt::format("{}", chip.worker_x.size() * chip.worker_y.size()),
        fmt::format("{}", start_ns),
        "0",
        fmt::format("{}", std::llround(op.use.bw_kernel_cycles * 1000 / static_cast<double>(chip.clock_mhz)))};
    for (std::size_t k = 0; k < 2; ++k) {
        if (k < cfg.in.size())
            add_tensor(cells, cfg.in[k], k < cfg.in_tile.size() ? cfg.in_tile[k] : TileDim{}, cfg.in_df[k],
                       memory_of(source.netlist(), op.op->inputs[k], op.use.chip));
        else
            cells.resize(cells.size() + 6);
    }
    add_tensor(cells, cfg.out.shape(), cfg.tile, cfg.out_df, output_memory(op, source.netlist()));
    return csv_line(cells);
}

/// The chips that tt-perf-report supports, by chip.yaml.
std::vector<std::string> chips_of_perf_report() {
    std::vector<std::string> names;
    for (const std::string& name : chip_names())
        if (!chip(name).tt_perf_report.empty()) names.push_back(name);
    return names;
}

}  // namespace

std::string op_code(const OpConfig& op, const std::string& name) {
    return fmt::format("{} {}", category(find_op(op.type)->op_class, op.type), name);
}

std::string ops_csv(ExportSource& source) {
    const ChipParams& chip = source.setup().machine.chips.front().params;
    if (chip.tt_perf_report.empty())
        fail_input({source.path(), 0, 0},
                   "is of {}; tt-perf-report supports {}: trace a run with --arch and one of them, or use "
                   "--perf-results, which supports every chip",
                   chip.name, fmt::join(chips_of_perf_report(), ", "));
    std::string text = csv_line(ops_titles());
    std::int64_t number = 0;
    for (const std::int64_t id : own_epochs(source.trace())) {
        const EpochMeasure epoch = measure(source, id);
        const auto ns = [&](std::int64_t cycle) {
            return static_cast<std::int64_t>(
                std::llround(static_cast<double>(cycle) * 1000 / static_cast<double>(source.trace().run().clock_mhz)));
        };
        text += signpost(epoch, ns(epoch.use.start_cycle));
        for (const OpMeasure& op : epoch.ops)
            text += op_row(source, op, ++number, ns(op.cores.empty() ? epoch.use.start_cycle : op.cores.front().start),
                           chip.tt_perf_report);
    }
    return text;
}

}  // namespace ttsim::impl::report
