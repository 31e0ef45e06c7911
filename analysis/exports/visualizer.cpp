// db.sqlite and config.json for the memory pages of ttnn-visualizer. Operations are ops; buffers are those of ops in L1
// and of the queues of their epoch in DRAM; tensors are values of ops and queues.
#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/exports/exports.hpp"
#include "analysis/exports/measures.hpp"
#include "analysis/exports/text_files.hpp"
#include "analysis/exports/visualizer_tables.hpp"
#include "netlist/checks/instances.hpp"
#include "netlist/plan/l1_space.hpp"

namespace ttsim::impl::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t in_dram = 0, in_l1 = 1;

/// A buffer of an op, at the same L1 address in each of its cores.
struct Placed {
    std::string name;
    std::int64_t address = 0, bytes = 0;
};

/// The model has sizes of L1 buffers, but no addresses. Inputs are placed one after another from the first free byte,
/// the output at the end.
std::vector<Placed> placed_buffers(const PlanOp& op, const ChipParams& chip) {
    std::vector<Placed> placed;
    const std::int64_t all = op.ethernet ? chip.eth_l1_bytes : chip.l1_bytes;
    std::int64_t at = (op.ethernet ? chip.eth_l1_reserved : chip.l1_reserved) + op.op->overlay_size;
    for (const L1Buffer& buffer : l1_buffers(op)) {
        if (buffer.bytes <= 0) continue;
        if (buffer.name == "output") {
            placed.push_back({buffer.name, all - buffer.bytes, buffer.bytes});
            continue;
        }
        placed.push_back({buffer.name, at, buffer.bytes});
        at += buffer.bytes;
    }
    return placed;
}

/// Plan ops by graph and name, from the plans in the order of their first launches.
std::map<std::pair<std::string, std::string>, const PlanOp*> plan_ops(const sim::Setup& setup) {
    std::map<std::pair<std::string, std::string>, const PlanOp*> ops;
    for (const auto& [key, prepared] : setup.state->plans)
        if (prepared.plan)
            for (const PlanOp& op : prepared.plan->ops) ops.try_emplace({op.graph->name, op.op->name()}, &op);
    return ops;
}

std::string dtype_name(DataFormat format) {
    switch (info(format).element_bits) {
        case 32:
            return is_integer(format) ? "DataType.INT32" : "DataType.FLOAT32";
        case 16:
            return is_integer(format) ? "DataType.UINT16" : "DataType.BFLOAT16";
        case 4:
            return "DataType.BFLOAT4_B";
        default:
            return is_integer(format) ? "DataType.UINT8" : "DataType.BFLOAT8_B";
    }
}

class Visualizer {
public:
    Visualizer(ExportSource& source, const std::string& file)
        : source_(source), tables_(file), plan_ops_(plan_ops(source.setup())) {}
    void write() {
        devices();
        for (const std::int64_t id : own_epochs(source_.trace())) epoch(measure(source_, id));
        insert("report_metadata", {"ttsim", source_.trace().run().ttsim});
        insert("report_metadata", {"l1_addresses",
                                   "sizes as planned, placed consecutively: the model of L1 has no "
                                   "addresses"});
        tables_.close();
    }

private:
    void insert(const std::string& table, const Json& row) { tables_.insert(table, row); }

    void devices() {
        for (const ChipInstance& chip : source_.setup().machine.chips) {
            const ChipParams& p = chip.params;
            const auto rows = static_cast<std::int64_t>(p.worker_y.size());
            const auto columns = static_cast<std::int64_t>(p.worker_x.size());
            const std::int64_t cores = rows * columns, free = p.l1_bytes - p.l1_reserved;
            insert("devices", {chip.id, p.grid_y, p.grid_x, rows, columns, p.l1_bytes, cores, free, p.l1_reserved,
                               p.l1_reserved, 0, cores, 0, p.l1_bytes * cores, free * cores, 0, free * cores, free});
        }
    }

    std::int64_t add_tensor(const std::string& name, const TileShape& shape, TileDim tile, DataFormat format,
                            std::int64_t chip, const Json& address, const Json& type, const char* memory) {
        const auto [known, fresh] = tensors_.try_emplace(name, static_cast<std::int64_t>(tensors_.size()) + 1);
        if (!fresh) return known->second;
        insert("tensors",
               {known->second, fmt::format("Shape([1, {}, {}, {}])", shape.z, shape.rt * tile.h, shape.ct * tile.w),
                dtype_name(format), "Layout.TILE",
                fmt::format("MemoryConfig(memory_layout=TensorMemoryLayout.{},buffer_type=BufferType.{},"
                            "shard_spec=std::nullopt)",
                            std::string_view(memory) == "L1" ? "BLOCK_SHARDED" : "INTERLEAVED", memory),
                chip, address, type});
        if (!address.is_null()) insert("device_tensors", {known->second, chip, address});
        return known->second;
    }

    std::int64_t queue_tensor(const Queue& queue) {
        const bool dram = queue.where == QueueLoc::Dram && !queue.buffers.empty();
        return add_tensor("queue " + queue.name, queue.shape(), queue.tile, queue.df, queue.device(),
                          dram ? Json(queue.buffers.front().address) : Json(nullptr),
                          dram ? Json(in_dram) : Json(nullptr), dram ? "DRAM" : "SYSTEM_MEMORY");
    }

    /// Tensor of an op of the netlist, in any epoch.
    std::int64_t op_tensor(const std::string& graph, const Op& op) {
        const auto planned = plan_ops_.find({graph, op.name()});
        Json address = nullptr;
        std::int64_t chip = 0;
        if (planned != plan_ops_.end()) {
            chip = planned->second->chip;
            for (const Placed& buffer : placed_buffers(*planned->second, source_.chip(chip).params))
                if (buffer.name == "output") address = buffer.address;
        }
        return add_tensor(fmt::format("op {} {}", graph, op.name()), op.shape(), op.cfg.tile, op.cfg.out_df, chip,
                          address, in_l1, "L1");
    }

    void epoch(const EpochMeasure& epoch) {
        std::map<std::string, const OpMeasure*> by_name;
        std::set<const Queue*> queues;
        for (const OpMeasure& op : epoch.ops) {
            by_name[op.use.name] = &op;
            for (const auto* pipes : {&op.operands, &op.outputs})
                for (const PipeMeasure& pipe : *pipes)
                    if (const Queue* queue = pipe.queue ? source_.netlist().find_queue(pipe.other) : nullptr)
                        queues.insert(queue);
        }
        for (const OpMeasure& op : epoch.ops) {
            const std::int64_t id = ++operations_;
            operation(id, op, epoch);
            for (std::size_t k = 0; k < op.op->inputs.size(); ++k) {
                const std::string& from = op.op->inputs[k];
                const Queue* queue = source_.netlist().find_queue(from);
                const auto producer = by_name.find(from);
                if (queue)
                    insert("input_tensors", {id, k, queue_tensor(*queue)});
                else if (producer != by_name.end())
                    insert("input_tensors", {id, k, op_tensor(producer->second->use.graph, *producer->second->op)});
            }
            std::int64_t index = 0;
            insert("output_tensors", {id, index++, op_tensor(op.use.graph, *op.op)});
            for (const PipeMeasure& pipe : op.outputs)
                if (const Queue* queue = pipe.queue ? source_.netlist().find_queue(pipe.other) : nullptr)
                    insert("output_tensors", {id, index++, queue_tensor(*queue)});
            l1(id, op);
            for (const Queue* queue : queues) dram(id, *queue, op.use.chip);
        }
    }

    void operation(std::int64_t id, const OpMeasure& op, const EpochMeasure& epoch) {
        std::int64_t start = INT64_MAX, end = 0;
        for (const CoreMeasure& core : op.cores) {
            start = std::min(start, core.start);
            end = std::max(end, core.end);
        }
        const auto mhz = static_cast<double>(source_.trace().run().clock_mhz);
        insert("operations", {id, op.use.name, end > start ? as_real(end - start) / (mhz * 1e6) : 0.0});
        const Blocking& b = op.op->cfg.out;
        const std::vector<std::pair<const char*, std::string>> arguments{
            {"type", op.use.type},
            {"graph", op.use.graph},
            {"epoch", fmt::format("{}", epoch.use.id)},
            {"grid_size", fmt::format("[{}, {}]", b.grid_r, b.grid_c)},
            {"mblock", fmt::format("[{}, {}]", b.mblock_m, b.mblock_n)},
            {"ublock", fmt::format("[{}, {}]", b.ublock_rt, b.ublock_ct)},
            {"t", fmt::format("{}", b.t)},
            {"math_fidelity", std::string(to_string(op.op->cfg.fidelity))},
            {"cycles_per_input", fmt::format("{:.0f}", op.use.cycles)}};
        for (const auto& [name, value] : arguments) insert("operation_arguments", {id, name, value});
        insert("captured_graph", {id, captured_graph(op_code(op.op->cfg, op.use.name), op.op->inputs.size())});
    }

    void l1(std::int64_t id, const OpMeasure& op) {
        const auto planned = plan_ops_.find({op.use.graph, op.use.name});
        if (planned == plan_ops_.end()) return;
        const PlanOp& plan = *planned->second;
        for (const Placed& buffer : placed_buffers(plan, source_.chip(plan.chip).params)) {
            insert("buffers", {id, plan.chip, buffer.address, buffer.bytes, in_l1, nullptr});
            for (std::size_t n = 0; n < plan.cores.size(); ++n)
                insert("buffer_pages", {id, plan.chip, buffer.address, plan.cores[n].y, plan.cores[n].x, n, n,
                                        buffer.address, buffer.bytes, in_l1});
        }
    }

    /// Adds a page for each buffer of the queue with its DRAM address.
    void dram(std::int64_t id, const Queue& queue, std::int64_t chip) {
        if (queue.where != QueueLoc::Dram || queue.device() != chip || !queue.alias.empty() || queue.buffers.empty())
            return;
        const auto& ports = source_.chip(chip).params.dram;
        const std::int64_t bytes = queue_buffer_bytes(queue);
        std::set<std::uint64_t> addresses;
        for (std::size_t n = 0; n < queue.buffers.size(); ++n) {
            const BufferAddress& at = queue.buffers[n];
            if (addresses.insert(at.address).second) insert("buffers", {id, chip, at.address, bytes, in_dram, nullptr});
            const NocCoord port = ports.at(static_cast<std::size_t>(at.channel) % ports.size()).front();
            insert("buffer_pages", {id, chip, at.address, port.y, port.x, at.channel, n, at.address, bytes, in_dram});
        }
    }

    ExportSource& source_;
    VisualizerTables tables_;
    std::map<std::pair<std::string, std::string>, const PlanOp*> plan_ops_;
    std::map<std::string, std::int64_t> tensors_;
    std::int64_t operations_ = 0;
};

}  // namespace

void write_visualizer(ExportSource& source, const std::string& folder) {
    Visualizer(source, (std::filesystem::path(folder) / "db.sqlite").string()).write();
    const trace::RunInfo& run = source.trace().run();
    write_json(folder, "config.json",
               {{"report_name", run.netlist}, {"command", run.command}, {"arch", run.arch}, {"device", run.device}});
    write_cluster(folder, source.setup().machine);
}

}  // namespace ttsim::impl::report
