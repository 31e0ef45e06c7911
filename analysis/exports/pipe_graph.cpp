#include "analysis/exports/pipe_graph.hpp"

#include <algorithm>
#include <numeric>

namespace ttsim::impl::report {

namespace {

constexpr std::int64_t first_id = 1000;
constexpr std::int64_t output_operand = 16;

class Builder {
public:
    Builder(const Plan& plan, std::int64_t inputs) : plan_(plan), inputs_(inputs) {}

    PipeGraph graph() {
        for (std::size_t q = 0; q < plan_.queues.size(); ++q) add_queue(plan_.queues[q]);
        for (const PlanOp& op : plan_.ops) add_outputs(op);
        for (const PlanOp& op : plan_.ops) {
            for (std::size_t k = 0; k < op.operands.size(); ++k) add_operand(op, k);
        }
        for (std::size_t o = 0; o < plan_.ops.size(); ++o)
            for (const int q : plan_.ops[o].out_queues) add_writer(o, static_cast<std::size_t>(q));
        return std::move(graph_);
    }

private:
    std::int64_t next() { return next_++; }

    bool is_prologue(const PlanQueue& queue) const {
        return std::any_of(queue.readers.begin(), queue.readers.end(), [&](const PlanReader& reader) {
            return plan_.ops[static_cast<std::size_t>(reader.op)]
                       .operands[static_cast<std::size_t>(reader.operand)]
                       .intake == Intake::Resident;
        });
    }

    void add_queue(const PlanQueue& planned) {
        const Queue& queue = *planned.queue;
        const std::int64_t tiles = queue.blocking.t * queue.blocking.mblock_tiles();
        std::vector<std::int64_t>& ids = queues_.emplace_back();
        for (const BufferAddress& address : queue.buffers) {
            PipeBuffer& buffer = graph_.buffers.emplace_back();
            buffer.id = next();
            ids.push_back(buffer.id);
            buffer.name = queue.name;
            buffer.type = is_prologue(planned) ? "dram_prolog" : "dram_io";
            buffer.chip = queue.device();
            buffer.tiles = tiles * queue.entries;
            buffer.tile_bytes = queue.tile_bytes();
            buffer.input_tiles = tiles;
            buffer.epoch_tiles = tiles * inputs_;
            buffer.granularity = 1;
            buffer.queue = &queue;
            buffer.address = address;
        }
    }

    PipeBuffer& add_core(const PlanOp& op, std::size_t core, const char* type, std::int64_t operand) {
        PipeBuffer& buffer = graph_.buffers.emplace_back();
        buffer.id = next();
        buffer.name = op.op->name();
        buffer.type = type;
        buffer.operand = operand;
        buffer.chip = op.chip;
        if (op.ethernet) return buffer;
        const std::int64_t columns = op.op->cfg.out.grid_c, n = static_cast<std::int64_t>(core);
        const bool turned = op.op->grid_transpose;
        buffer.row = op.op->grid_loc_r + (turned ? n % columns : n / columns);
        buffer.column = op.op->grid_loc_c + (turned ? n / columns : n % columns);
        return buffer;
    }

    void add_outputs(const PlanOp& op) {
        std::vector<std::int64_t>& ids = outputs_.emplace_back();
        for (std::size_t core = 0; core < op.cores.size(); ++core) {
            PipeBuffer& buffer = add_core(op, core, "packer", output_operand);
            ids.push_back(buffer.id);
            buffer.tiles = op.capacity_tiles;
            buffer.tile_bytes = op.out_tile_bytes;
            buffer.input_tiles = op.input_tiles();
            buffer.epoch_tiles = op.input_tiles() * inputs_;
            buffer.granularity = op.slice_tiles;
            buffer.blocking = &op.op->cfg.out;
            buffer.mblock_k = op.op->cfg.attr.m_k;
        }
    }

    void add_operand(const PlanOp& op, std::size_t k) {
        const PlanOperand& operand = op.operands[k];
        std::vector<std::int64_t> ids;
        for (std::size_t core = 0; core < op.cores.size(); ++core) {
            const Pipe& pipe = operand.pipes.at(operand.pipe_of_core.at(core));
            PipeBuffer& buffer = add_core(op, core, "unpacker", static_cast<std::int64_t>(k));
            ids.push_back(buffer.id);
            buffer.tiles = operand.capacity_tiles;
            buffer.tile_bytes = operand.tile_bytes;
            buffer.input_tiles = std::accumulate(pipe.chunk_tiles.begin(), pipe.chunk_tiles.end(), std::int64_t{0});
            buffer.epoch_tiles = buffer.input_tiles * (operand.intake == Intake::Resident ? 1 : inputs_);
            buffer.granularity = pipe.chunk_tiles.empty() ? 0 : pipe.chunk_tiles.front();
        }
        for (std::size_t p = 0; p < operand.pipes.size(); ++p) add_pipe(op, operand, p, ids);
    }

    void add_pipe(const PlanOp& op, const PlanOperand& operand, std::size_t p, const std::vector<std::int64_t>& ids) {
        const Pipe& pipe = operand.pipes[p];
        const bool from_op = operand.producer_op >= 0;
        const auto source = static_cast<std::size_t>(from_op ? operand.producer_op : operand.producer_queue);
        const std::vector<std::int64_t>& sources = from_op ? outputs_[source] : queues_[source];
        PipeLink& link = graph_.pipes.emplace_back();
        link.id = next();
        for (const ChunkNeed& need : pipe.needs)
            if (const std::int64_t id = sources.at(need.source);
                std::find(link.inputs.begin(), link.inputs.end(), id) == link.inputs.end())
                link.inputs.push_back(id);
        for (const std::uint32_t core : pipe.cores) link.outputs.push_back(ids.at(core));
        if (from_op) {
            link.ethernet = plan_.ops[source].chip != op.chip;
            return;
        }
        const Queue& queue = *plan_.queues[source].queue;
        link.host = queue.where == QueueLoc::Host;
        link.ethernet = !link.host && queue.device() != op.chip;
        link.readers = static_cast<std::int64_t>(operand.pipes.size());
        link.reader = static_cast<std::int64_t>(p);
    }

    /// A core writes the queue's buffer at its position in the grid; a single buffer is written by all cores.
    void add_writer(std::size_t op, std::size_t q) {
        const std::vector<std::int64_t>&from = outputs_[op], &to = queues_[q];
        for (std::size_t core = 0; core < from.size(); ++core) {
            PipeLink& link = graph_.pipes.emplace_back();
            link.id = next();
            link.inputs = {from[core]};
            link.outputs = {to.at(to.size() == from.size() ? core : 0)};
            link.host = plan_.queues[q].queue->where == QueueLoc::Host;
        }
    }

    const Plan& plan_;
    std::int64_t inputs_, next_ = first_id;
    std::vector<std::vector<std::int64_t>> outputs_, queues_;  ///< ids by op and core; ids by queue and buffer
    PipeGraph graph_;
};

}  // namespace

PipeGraph pipe_graph(const Plan& plan, std::int64_t inputs) { return Builder(plan, inputs).graph(); }

}  // namespace ttsim::impl::report
