// First half of the balancer: candidate grids and block sizes of an op within the limits of L1 and Dst.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/backend/sparse_pattern.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/ir/overrides.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

class ChoiceCache;  // choice_cache.hpp

struct OpBudget {
    const ChipParams* chip = nullptr;
    std::int64_t rows = 1, cols = 1;  ///< of the chip's grid
    Fidelity fidelity = Fidelity::HiFi4;
    std::int64_t microbatch = 1;        ///< inputs of one execute
    std::int64_t overlay_size = 0;      ///< L1 for more stream descriptions; already reserved in `chip`
    ChoiceCache* cache = nullptr;       ///< results for equal ops, for budgets of one chip; nullptr: no cache
    unsigned threads = 0;               ///< limit of threads that search schedules; 0: one per processor
    bool use_kernel_broadcasts = true;  ///< L1 holds repeating constants once (kernel_broadcast)
};

/// The source of a netlist op's operand: an input of the node, or a tensor made for the op's grid.
struct OperandSource {
    enum class Kind : std::uint8_t { Input, SparseTiles, SparseEncoding } kind = Kind::Input;
    std::size_t input = 0;  ///< index among the node's inputs
};
std::vector<OperandSource> operands_of(const Node& node);

/// Converts a device node to a netlist op: type, formats, attributes and operand shapes, without blocking.
Op make_op(const Graph& graph, const Node& node, const OpBudget& budget, const SparsePattern* pattern);

struct Candidate {
    Blocking blocking;
    std::int64_t u_kt = 1, m_k = 1;
    std::int64_t l1_bytes = 0;
    double kernel_cycles = 0, dram_cycles = 0;  ///< per input: kernel, streaming of constants from DRAM
    double pipe_cycles = 0;                     ///< of the slowest pipe from another op
    double filling_cycles = 0;                  ///< while the kernel waits for operands that it needs complete
    double cycles = 0;                          ///< the maximum of these, with filling added to the kernel
    double dram_bytes = 0;                      ///< of streamed constants, per input
    double resident_cycles = 0;                 ///< to load the constants held in L1, once
    std::vector<bool> resident;                 ///< per operand: a constant held in L1
    std::map<int, std::int64_t> broadcasts;     ///< kernel broadcasts among them: tiles by operand
    std::vector<std::int64_t> input_buffers;    ///< minimum tiles of operands' buffers by the user
};
/// A grid on which no block size fits.
struct Misfit {
    std::int64_t grid_r = 1, grid_c = 1;
    std::int64_t least_bytes = 0;  ///< L1 with the best block size; 0: no sparse encoding fits
};
struct Choice {
    std::vector<Candidate> fitting;  ///< smallest grid first
    std::vector<Misfit> misfits;
    std::int64_t least_bytes = 0;  ///< L1 of the smallest candidate
    std::int64_t usable_bytes = 0;
};

/// The kind of producer of an operand.
enum class Origin : std::uint8_t { Constant, Input, Op };

/// All grids on which the op fits, with the best block sizes. `origins`: of its operands. `pattern`: of a sparse
/// product, else nullptr. `user`: overrides or nullptr. Throws Error(Input) for impossible overrides.
Choice choose_blocking(const Op& op, const std::vector<Origin>& origins, const OpBudget& budget,
                       const SparsePattern* pattern, const OpOverride* user);

/// Applies the user's buffer sizes. Throws Error(Input) for an output buffer that the chip cannot have.
void set_buffers(const OpOverride& user, Op& op);

/// L1 of one core: output buffer, operand buffers, and resident operands.
std::int64_t l1_bytes(const Op& op, const std::vector<bool>& resident);

/// Applies a candidate to an op, with the definition of a fused op (its id stays the program).
void apply(const Candidate& candidate, const SparsePattern* pattern, const ChipParams& chip, Op& op);

}  // namespace ttsim::impl::ir
