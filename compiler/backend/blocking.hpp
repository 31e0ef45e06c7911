// The balancer's first half: on which grid an op runs and how its tensors are cut, under the limits of L1 and Dst.
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
    std::int64_t rows = 1, cols = 1;  ///< of the grid
    Fidelity fidelity = Fidelity::HiFi4;
    std::int64_t microbatch = 1;    ///< inputs of one execute
    std::int64_t overlay_size = 0;  ///< L1 for more stream descriptions; `chip` has it reserved
    ChoiceCache* cache = nullptr;   ///< what is known of ops alike, for budgets of one chip; nullptr: nothing is kept
    unsigned threads = 0;           ///< most that look for schedules; 0: one per processor
    bool hold_repeats = true;       ///< constants that repeat are held once (kernel_broadcast)
};

/// What an operand of a netlist's op is: one of the node's own inputs, or made for the op's grid.
struct OperandSource {
    enum class Kind : std::uint8_t { Input, SparseTiles, SparseEncoding } kind = Kind::Input;
    std::size_t input = 0;  ///< of the node
};
std::vector<OperandSource> operands_of(const Node& node);

/// A device node as an op of a netlist: type, formats, attributes and operand shapes; no blocking yet.
Op make_op(const Graph& graph, const Node& node, const OpBudget& budget, const SparsePattern* pattern);

struct Candidate {
    Blocking blocking;
    std::int64_t u_kt = 1, m_k = 1;
    std::int64_t l1_bytes = 0;
    double kernel_cycles = 0, dram_cycles = 0;  ///< per input: of the kernel, of streaming constants from DRAM
    double pipe_cycles = 0;                     ///< of bringing what other ops make, by its slowest pipe
    double filling_cycles = 0;                  ///< of bringing what it needs whole, while the kernel waits
    double cycles = 0;                          ///< the largest of these, the kernel's with the filling
    double dram_bytes = 0;                      ///< of constants that are streamed, per input
    double resident_cycles = 0;                 ///< to read the constants held in L1, once
    std::vector<bool> resident;                 ///< constants held whole in L1
    std::map<int, std::int64_t> broadcasts;     ///< of them, those that hold what repeats once: tiles by operand
    std::vector<std::int64_t> input_buffers;    ///< least tiles of operands' buffers that the user wants
};
/// A grid on which no block size fits.
struct Misfit {
    std::int64_t grid_r = 1, grid_c = 1;
    std::int64_t least_bytes = 0;  ///< of L1 with the block size that needs least; 0: no sparse encoding fits
};
struct Choice {
    std::vector<Candidate> fitting;  ///< smallest grid first
    std::vector<Misfit> misfits;
    std::int64_t least_bytes = 0;  ///< of the candidate that needs least
    std::int64_t usable_bytes = 0;
};

/// Where an operand comes from.
enum class Origin : std::uint8_t { Constant, Input, Op };

/// All grids on which the op fits, best block sizes on each. `origins`: of its operands; `pattern`: of a sparse
/// product, else nullptr; `user`: what the user decides, or nullptr. Throws Error(Input) where that is impossible.
Choice choose_blocking(const Op& op, const std::vector<Origin>& origins, const OpBudget& budget,
                       const SparsePattern* pattern, const OpOverride* user);

/// What the user says of an op's buffers. Throws Error(Input) for an output buffer that the chip cannot have.
void set_buffers(const OpOverride& user, Op& op);

/// L1 of one core: the output buffer and the operands', resident ones whole.
std::int64_t l1_bytes(const Op& op, const std::vector<bool>& resident);

/// Sets what the candidate decides, also the definition of a fused op (its id stays the program).
void apply(const Candidate& candidate, const SparsePattern* pattern, const ChipParams& chip, Op& op);

}  // namespace ttsim::impl::ir
