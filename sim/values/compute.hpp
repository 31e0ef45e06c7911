// Values of the modelled machine: operand slices gathered from the blocks a pipe brought, op results computed a block
// at a time. Everything here is a task; the clock of the machine never waits for it.
//
//   Block (one slice of one core) --refs held by a pipe--> Assembled (operand slice) --op--> Block --> Entry (queue)
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "netlist/plan/plan.hpp"
#include "sim/values/entry.hpp"
#include "sim/values/saturations.hpp"

namespace ttsim::impl::sim {

/// One output slice of one core: immutable once its task is done.
struct Block {
    Task task;
    std::vector<float> data;
    std::int64_t rows = 0, cols = 0;
    ConstMatrixView view() const { return {data.data(), rows, cols, cols}; }
};
using BlockPtr = std::shared_ptr<Block>;

/// What a pipe resolved its transfers to: blocks by (source core, slice), or the entry of a queue.
struct SourceRefs {
    std::map<std::pair<std::uint32_t, std::int64_t>, BlockPtr> blocks;
    EntrySpan entry;
};

/// One operand slice as the cores of a pipe share it, ready for the op (unpack conversion and masks applied).
struct Assembled {
    Task task;
    std::vector<float> data;
    std::int64_t rows = 0, cols = 0;
    ConstMatrixView view() const { return {data.data(), rows, cols, cols}; }
};
using AssembledPtr = std::shared_ptr<Assembled>;

class Compute {
public:
    /// `fault` spoils what an op has computed: for tests; empty otherwise.
    Compute(const Plan& plan, Numerics numerics, ThreadPool& pool, Saturations& saturations,
            std::function<void(const Op&, std::vector<float>&)> fault = {})
        : plan_(plan), numerics_(numerics), pool_(pool), saturations_(saturations), fault_(std::move(fault)) {}

    /// Slice z of operand k of `op`, as `pipe` carries it.
    AssembledPtr assemble(const PlanOp& op, std::size_t k, const Pipe& pipe, std::int64_t z, SourceRefs refs) const;
    /// A block whose task is reserved: others may refer to it before its operands have arrived.
    BlockPtr reserve(const PlanOp& op) const;
    /// Output slice `slice` of core number `core` into a reserved block. `operands`: per operand the slices it
    /// consumes.
    void run(const BlockPtr& block, const PlanOp& op, std::size_t core, std::int64_t slice, std::int64_t input,
             std::vector<std::vector<AssembledPtr>> operands, BlockPtr previous) const;
    /// Adds the tasks that write a core's slice into an entry of a queue the op feeds (no TMs on the way).
    void write(const PlanOp& op, std::size_t core, std::int64_t slice, const BlockPtr& block,
               const EntrySpan& to) const;
    /// The same for a queue with input_tms: all blocks of the entry at once.
    void write_through_tms(const PlanOp& op, const Queue& queue, SourceRefs all, const EntrySpan& to) const;
    /// A core's slice as it lies in an entry (gradient accumulation).
    BlockPtr load_block(const PlanOp& op, std::size_t core, std::int64_t slice, const EntrySpan& from) const;

private:
    const Plan& plan_;
    Numerics numerics_;
    ThreadPool& pool_;
    Saturations& saturations_;
    std::function<void(const Op&, std::vector<float>&)> fault_;
};

}  // namespace ttsim::impl::sim
