// Values of the modelled machine: assembles operand slices from transferred blocks and computes op results block by
// block. All work is done in tasks; the clock of the machine never waits for them.
//
//   Block (one slice of one core) --refs held by a pipe--> Assembled (operand slice) --op--> Block --> Entry (queue)
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "netlist/plan/plan.hpp"
#include "sim/values/entry.hpp"
#include "sim/values/saturations.hpp"

namespace ttsim::impl::sim {

/// One output slice of one core; immutable once its task is done.
struct Block {
    Task task;
    std::vector<float> data;
    std::int64_t rows = 0, cols = 0;
    ConstMatrixView view() const { return {data.data(), rows, cols, cols}; }
};
using BlockPtr = std::shared_ptr<Block>;

/// Sources of an operand slice: blocks by (source core, slice), or the entry of a queue.
struct SourceRefs {
    std::map<std::pair<std::uint32_t, std::int64_t>, BlockPtr> blocks;
    EntrySpan entry;
};

/// One operand slice, shared by the cores of a pipe, after unpack conversion and masks.
struct Assembled {
    Task task;
    std::unique_ptr<float[]> data;  // every element is written: not cleared before
    std::int64_t rows = 0, cols = 0;
    ConstMatrixView view() const { return {data.get(), rows, cols, cols}; }
    std::int64_t bytes() const { return rows * cols * std::int64_t{sizeof(float)}; }
};
using AssembledPtr = std::shared_ptr<Assembled>;

class Compute {
public:
    /// `fault` corrupts results of ops, for tests; empty: none.
    Compute(const Plan& plan, Numerics numerics, ThreadPool& pool, Saturations& saturations,
            std::function<void(const Op&, std::vector<float>&)> fault = {})
        : plan_(plan), numerics_(numerics), pool_(pool), saturations_(saturations), fault_(std::move(fault)) {}

    /// Assembles slice z of operand k of `op` for the cores of `pipe`.
    AssembledPtr assemble(const PlanOp& op, std::size_t k, const Pipe& pipe, std::int64_t z, SourceRefs refs) const;
    /// A block with a reserved task, so that it can be referred to before its operands have arrived.
    BlockPtr reserve(const PlanOp& op) const;
    /// Computes output slice `slice` of core number `core` into a reserved block. `input`: its number in the run.
    /// `operands`: the slices of each operand. `previous`: the block to accumulate into (gradients), or null.
    void run(const BlockPtr& block, const PlanOp& op, std::size_t core, std::int64_t slice, std::int64_t input,
             std::vector<std::vector<AssembledPtr>> operands, BlockPtr previous) const;
    /// Adds the tasks that write a core's slice into an entry of a queue the op feeds (no TMs on the way).
    void write(const PlanOp& op, std::size_t core, std::int64_t slice, const BlockPtr& block,
               const EntrySpan& to) const;
    /// Writes all blocks of an entry to a queue with input_tms.
    void write_through_tms(const PlanOp& op, const Queue& queue, SourceRefs all, const EntrySpan& to) const;
    /// Loads a core's slice from an entry (gradient accumulation).
    BlockPtr load_block(const PlanOp& op, std::size_t core, std::int64_t slice, const EntrySpan& from) const;

    // --- for KeptSlices ---
    /// Whether operand k is a ram, whose entry may be the same for several inputs.
    bool reads_ram(const PlanOp& op, std::size_t k) const;
    /// Takes memory of the bounded one for kept slices; false: there is not enough.
    bool may_keep(std::int64_t bytes) const;
    void give_back(std::int64_t bytes) const { kept_bytes_ -= bytes; }

private:
    void fill_operand(const PlanOp& op, std::size_t k, const Pipe& pipe, std::int64_t z, const SourceRefs& refs,
                      MatrixView out) const;
    const Blocking& blocking_of(const PlanOperand& operand) const;

    const Plan& plan_;
    Numerics numerics_;
    ThreadPool& pool_;
    Saturations& saturations_;
    std::function<void(const Op&, std::vector<float>&)> fault_;
    mutable std::atomic<std::int64_t> kept_bytes_ = 0;
};

}  // namespace ttsim::impl::sim
