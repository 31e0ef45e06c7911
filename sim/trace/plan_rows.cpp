#include "sim/trace/plan_rows.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "netlist/plan/chunk_needs.hpp"
#include "sim/machine/stage_overlap.hpp"
#include "sim/machine/writer_flow.hpp"

namespace ttsim::impl::sim {

using trace::Table;

namespace {

/// "[1,2,3]"
template <class Numbers>
std::string json_list(const Numbers& numbers) {
    return fmt::format("[{}]", fmt::join(numbers, ","));
}

const char* place_name(const Queue& queue) { return queue.where == QueueLoc::Host ? "host" : "dram"; }

bool is_matmul(const PlanOp& op) {
    return op.def->op_class == OpClass::Matmul || op.def->op_class == OpClass::SparseMatmul;
}

struct StageSums {
    Cycles unpack, math, pack;  // of one input
};

StageSums stage_sums(const PlanOp& op) {
    StageSums sums;
    for (const StepTime& time : op.step_times) {
        sums.unpack += time.unpack;
        sums.math += time.math;
        sums.pack += time.pack;
    }
    const auto slices = static_cast<std::uint64_t>(op.slices);
    return {sums.unpack * slices, sums.math * slices, sums.pack * slices};
}

PlanRows::Flow pipe_flow(const Pipe& pipe, const PlanOperand& operand) {
    PlanRows::Flow flow{operand.producer_queue >= 0, {0}};
    for (const Sending& sending : pipe.sendings) {
        std::uint64_t tiles = 0;
        for (std::uint32_t n = sending.first; n < sending.end; ++n) tiles += pipe.needs[n].tiles;
        flow.bytes_before.push_back(flow.bytes_before.back() + tiles * static_cast<std::uint64_t>(operand.tile_bytes));
    }
    return flow;
}

PlanRows::Flow writer_flow(const PlanOp& op, const Queue& queue) {
    const auto tile_bytes = static_cast<std::uint64_t>(WriterFlow::bytes_per_tile(op, queue));
    PlanRows::Flow flow{false, {0}};
    for (std::int64_t slice = 0; slice < op.slices; ++slice)
        for (const std::int64_t tiles : op.pushed_tiles())
            flow.bytes_before.push_back(flow.bytes_before.back() + static_cast<std::uint64_t>(tiles) * tile_bytes);
    return flow;
}

}  // namespace

std::uint64_t PlanRows::Flow::bytes(std::uint64_t chunks) const {
    const std::uint64_t per_input = bytes_before.size() - 1;
    if (per_input == 0) return 0;
    return chunks / per_input * bytes_before.back() + bytes_before[chunks % per_input];
}

PlanWriter::PlanWriter(const Netlist& netlist) : netlist_(netlist) {
    for (const Queue& queue : netlist.queues) queue_row_.emplace(&queue, static_cast<std::int64_t>(queue_row_.size()));
}

void PlanWriter::add_queues(trace::Writer& writer) const {
    for (const Queue& queue : netlist_.queues) {
        std::vector<std::string> buffers;
        for (const BufferAddress& at : queue.buffers) buffers.push_back(fmt::format("[{},{}]", at.channel, at.address));
        writer.add(Table::Queue, queue_row_.at(&queue), queue.name, queue.type == QueueType::Ram ? "ram" : "queue",
                   place_name(queue), queue.device(), queue.entries, std::string(to_string(queue.df)),
                   queue.shape().tiles() * queue.tile_bytes(), json_list(buffers));
    }
}

PlanRows PlanWriter::add(trace::Writer& writer, const Plan& plan) {
    PlanRows rows;
    rows.id = plans_++;
    rows.first_flow = flows_;
    for (const PlanOp& op : plan.ops) op_row_[&op] = ops_++;
    add_ops(writer, plan, rows);
    for (std::size_t o = 0; o < plan.ops.size(); ++o) add_pipes(writer, plan, o, rows);
    add_writers(writer, plan, rows);
    return rows;
}

void PlanWriter::add_ops(trace::Writer& writer, const Plan& plan, PlanRows& rows) {
    for (const PlanOp& op : plan.ops) {
        const StageSums sums = stage_sums(op);
        const std::int64_t row = op_row_.at(&op);
        const Blocking& out = op.op->cfg.out;
        writer.add(Table::Op, row, rows.id, op.op->name(), op.op->cfg.type, is_matmul(op), op.graph->name, op.chip,
                   out.grid_r, out.grid_c, op.slices, op.steps_per_slice, op.input_tiles(), sums.unpack.value(),
                   sums.math.value(), sums.pack.value(), op.input_tiles() * op.out_tile_bytes,
                   std::max({sums.unpack, sums.math, sums.pack}).value(), kernel_cycles(op).value());
        rows.first_core.push_back(cores_);
        for (std::size_t n = 0; n < op.cores.size(); ++n)
            writer.add(Table::Core, cores_++, row, n, op.cores[n].x, op.cores[n].y);
    }
}

void PlanWriter::add_pipes(trace::Writer& writer, const Plan& plan, std::size_t o, PlanRows& rows) {
    const PlanOp& op = plan.ops[o];
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
        const PlanOperand& operand = op.operands[k];
        std::optional<std::int64_t> from_op, queue;
        const char* place = "l1";
        if (operand.producer_op >= 0) {
            from_op = op_row_.at(&plan.ops[static_cast<std::size_t>(operand.producer_op)]);
        } else {
            const Queue& source = *plan.queues[static_cast<std::size_t>(operand.producer_queue)].queue;
            queue = queue_row_.at(&source);
            place = place_name(source);
        }
        for (const Pipe& pipe : operand.pipes) {
            std::vector<std::int64_t> cores;
            for (const std::uint32_t core : pipe.cores) cores.push_back(rows.first_core[o] + core);
            rows.flows.push_back(pipe_flow(pipe, operand));
            writer.add(Table::Flow, flows_++, rows.id, operand.intake == Intake::Resident ? "resident" : "operand",
                       op_row_.at(&op), k, from_op, queue, place, json_list(cores), pipe.chunks(),
                       rows.flows.back().bytes_before.back());
        }
    }
}

void PlanWriter::add_writers(trace::Writer& writer, const Plan& plan, PlanRows& rows) {
    for (std::size_t o = 0; o < plan.ops.size(); ++o) {
        const PlanOp& op = plan.ops[o];
        for (const int q : op.out_queues) {
            const Queue& queue = *plan.queues[static_cast<std::size_t>(q)].queue;
            for (std::size_t n = 0; n < op.cores.size(); ++n) {
                rows.flows.push_back(writer_flow(op, queue));
                writer.add(Table::Flow, flows_++, rows.id, "writer", op_row_.at(&op), std::nullopt, op_row_.at(&op),
                           queue_row_.at(&queue), place_name(queue),
                           fmt::format("[{}]", rows.first_core[o] + static_cast<std::int64_t>(n)),
                           WriterFlow::pieces_per_input(op), rows.flows.back().bytes_before.back());
            }
        }
    }
}

}  // namespace ttsim::impl::sim
