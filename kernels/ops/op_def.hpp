// The op registry: all that ttsim knows of an op type, in one record. The reader, the writer, the validator, golden,
// the simulator, the compiler and docs/ops.md are driven by it. Adding an op: one file in kernels/ops/, one line in
// kernels/ops/op_table.cpp, one test.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "isa/arch.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/op_config.hpp"
#include "kernels/ops/attribute.hpp"
#include "kernels/ops/value_range.hpp"

namespace ttsim::impl {

/// What unit an op keeps busy; the first time model knows a rate per class.
enum class OpClass : std::uint8_t {
    Move,
    Binary,
    Sfpu,
    SfpuBinary,
    Matmul,
    SparseMatmul,
    Depthwise,
    Reduce,
    Fused,
    Ethernet
};

/// A rectangle of tiles of one operand slice.
struct TileRect {
    std::int64_t r0 = 0, c0 = 0, nr = 0, nc = 0;
    friend bool operator==(const TileRect&, const TileRect&) = default;
};

/// How core (i, j) of the op's grid consumes one operand.
///
/// The operand slice a core sees is the rects side by side (columns appended): rows = nr of all rects,
/// columns = sum of nc. For output slice s the core consumes operand slices s*slices .. s*slices+slices-1;
/// with `whole_input` it holds all slices of the operand from its first output slice to its last.
struct OperandUse {
    std::vector<TileRect> rects;
    std::int64_t slices = 1;
    bool whole_input = false;
    /// How a slice is cut into chunks, the unit in which it streams in and is consumed.
    enum class Chunks : std::uint8_t {
        Ublocks,   ///< by ublocks of chunk_rt x chunk_ct tiles, in the op's ublock order
        KColumns,  ///< `count` groups of consecutive columns (matmul in0; depthwise: one rect each)
        KRows,     ///< `count` groups of consecutive rows (matmul in1)
        One,       ///< the whole slice at once
    } chunks = Chunks::One;
    std::int64_t chunk_rt = 1, chunk_ct = 1;  ///< Ublocks: the ublock in this operand's tiles
    std::int64_t count = 1;                   ///< K blocks
    /// Consumed only with the last k-block of an output slice (bias, requant scale).
    bool at_end = false;
    /// Tiles the unpacker's buffer is cleared by at once: the unit of the L1 input buffer rule.
    std::int64_t clear_tiles = 1;
};

/// One operand as the core finds it in L1: one matrix per consumed slice, in elements, transposes already done.
struct BlockOperand {
    std::span<const ConstMatrixView> slices;
};

/// One output slice of one core.
struct BlockArgs {
    const OpConfig& op;
    Numerics numerics = Numerics::Real;
    std::int64_t core_r = 0, core_c = 0;  ///< place in the op's grid
    std::int64_t slice = 0;               ///< output slice, 0..t-1
    std::int64_t input = 0;               ///< which input of the run, for generators (dropout)
    std::span<const BlockOperand> in;
    /// What the output slot held before (gradient_op); data == nullptr otherwise. Used by pack_result().
    ConstMatrixView previous;
    MatrixView out;  ///< zero on entry; core_rt*h x core_ct*w elements
};

struct OpDef {
    std::string_view name;     ///< as netlists spell it
    std::string_view summary;  ///< one sentence, for docs
    OpClass op_class = OpClass::Move;
    int min_inputs = 1, max_inputs = 1;
    std::span<const AttrDef> attributes = {};  ///< besides common_attributes()
    /// Operand shapes, tile dims, formats and attribute rules that hold on every chip or depend on features:
    /// adds every violation to `out` at op.loc. Called after attributes are parsed and shapes are known.
    void (*check)(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out) = nullptr;
    /// Result for whole tensors in float32. `in` after TMs. Shares no code with `block`.
    Tensor (*golden)(const OpConfig& op, std::span<const Tensor* const> in) = nullptr;
    /// How a core consumes operand k.
    OperandUse (*use)(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) = nullptr;
    /// Ublocks of operand k's slice, which comes by ublocks, that a core is through with once it has made so many of
    /// the result's; nullptr: as many.
    std::int64_t (*passed)(const OpConfig& op, int operand, std::int64_t made) = nullptr;
    /// In-place work on a freshly assembled operand slice, shared by all cores that receive it (unpack conversion,
    /// fidelity mask). nullptr: unpack_to_src(in_df, acc_df) only.
    void (*prepare)(const OpConfig& op, int operand, Numerics numerics, MatrixView values) = nullptr;
    /// Values of one output slice of one core as they leave Dst (rounded to acc_df), before pack_result().
    void (*block)(const BlockArgs& args) = nullptr;
    bool by_slice = false;  ///< a slice of golden's result needs the same slice of every operand alone
    bool integer_capable = false;
    bool sfpu = false;          ///< takes vector, approximate_mode, sfpu_execution_thread
    bool gradient_all = false;  ///< gradient_op legal on every chip
    bool gradient_new = false;  ///< gradient_op legal where features.gradient_any_op
    bool fusable = false;       ///< may be a sub-op
    bool bit_true = false;      ///< --math exact gives the chip's bits; others compute as with --math fast

    // What the compiler and made-up inputs go by.

    /// Bounds of the results for operands within bounds, elementwise. The compiler offers the elementwise ops that
    /// have it as buda.NAME; nullptr: not offered.
    ValueRange (*range)(const OpAttributes& attr, std::span<const ValueRange> in) = nullptr;
    double chain_work = 0;  ///< clocks per tile in a chain of fused ops, of an add's; rough; 0: never in a chain
    bool error_amplifying =
        false;                ///< of neighbouring results the small would drown in an exponent shared with the large
    bool keeps_sign = false;  ///< results are positive where all operands are
    bool wants_positive = false;  ///< has no value, or none worth testing, for negative operands
};

std::span<const OpDef* const> all_ops();
const OpDef* find_op(std::string_view name);  ///< nullptr when unknown
/// One op more for this process, kept by reference. To be called before anything reads, compiles or runs, by one
/// thread: nobody looks at the list again. The name must be new.
void add_op(const OpDef& op);
std::span<const AttrDef>
common_attributes();  ///< relu_*, stoch_rnd_mode, srnd_fpu_en, kernel_broadcast(_per_t), single_tile

/// Number of operands an op of this configuration must have (bias, requant, encoding count).
int operand_count(const OpConfig& op);

/// Whether golden may compute the result in parts along z: slice z from slices z * g .. z * g + g - 1 of every operand,
/// where g is how many times more slices the operand has.
bool golden_by_slice(const OpConfig& op);

/// What of this op (and its sub-ops) --math exact computes as --math fast does, such as "exp" or "gelu of matmul".
std::vector<std::string> fast_parts(const OpConfig& op);

/// The packer: adds `previous` for gradient ops, relu, conversion to out_df. In place on args.out.
void pack_result(const BlockArgs& args);

/// Applies op.prepare or its default.
void prepare_operand(const OpConfig& op, int operand, Numerics numerics, MatrixView values);

}  // namespace ttsim::impl
