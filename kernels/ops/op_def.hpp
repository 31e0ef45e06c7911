// The op table: one record (OpDef) per op type, used by reader, writer, validator, golden, simulator, compiler and
// docs/ops.md. To add an op: its record in a file of kernels/ops/, one test.
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

/// The unit that an op occupies; the simple time model has a rate per class.
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

/// The operand slice of a core consists of the rects side by side (columns appended): rows = nr of all rects, columns =
/// sum of nc. For output slice s the core consumes operand slices s*slices .. s*slices+slices-1. With `whole_input` it
/// uses any slice for any output slice: it holds all of them, or (KRows) takes the k-blocks one after the other.
struct OperandUse {
    std::vector<TileRect> rects;
    std::int64_t slices = 1;
    bool whole_input = false;
    /// How a slice is divided into chunks, the unit of streaming and consumption.
    enum class Chunks : std::uint8_t {
        Ublocks,   ///< by ublocks of chunk_rt x chunk_ct tiles, in the op's ublock order
        KColumns,  ///< `count` groups of consecutive columns (matmul in0; depthwise: one rect each)
        KRows,     ///< `count` groups of consecutive rows (matmul in1)
        One,       ///< the whole slice at once
    } chunks = Chunks::One;
    std::int64_t chunk_rt = 1, chunk_ct = 1;  ///< Ublocks: the ublock in this operand's tiles
    std::int64_t count = 1;                   ///< K blocks
    /// Parts of a k-block that the unpacker frees one by one: rows (KColumns) or columns (KRows) of ublocks of the
    /// operand that min_buffer_input names. A chunk may be a part. 1: whole k-blocks.
    std::int64_t parts = 1;
    /// Consumed only with the last k-block of an output slice (bias, requantization scale).
    bool at_end = false;
    /// Tiles that are freed in the unpacker's buffer at once; determines the L1 input buffer size.
    std::int64_t clear_tiles = 1;
};

/// One operand in L1: one matrix per consumed slice, in elements, with transposes applied.
struct BlockOperand {
    std::span<const ConstMatrixView> slices;
};

/// Arguments to compute one output slice on one core.
struct BlockArgs {
    const OpConfig& op;
    Numerics numerics = Numerics::Real;
    std::int64_t core_r = 0, core_c = 0;  ///< place in the op's grid
    std::int64_t slice = 0;               ///< output slice, 0..t-1
    std::int64_t input = 0;               ///< number of the input in the run, for random ops
    std::span<const BlockOperand> in;
    /// Previous contents of the output (gradient_op); data == nullptr otherwise. Used by pack_result().
    ConstMatrixView previous;
    MatrixView out;  ///< zero on entry; core_rt*h x core_ct*w elements
};

struct OpDef {
    std::string_view name;     ///< in netlists
    std::string_view summary;  ///< one sentence, for docs
    OpClass op_class = OpClass::Move;
    int min_inputs = 1, max_inputs = 1;
    std::span<const AttrDef> attributes = {};  ///< in addition to common_attributes()
    /// Checks operand shapes, tile dims, formats and attributes, also against chip features. Adds every violation to
    /// `out` at op.loc. Called after attributes are parsed and shapes are known.
    void (*check)(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out) = nullptr;
    /// Computes the result of whole tensors in float32. `in` after TMs. Shares no code with `block`.
    Tensor (*golden)(const OpConfig& op, std::span<const Tensor* const> in) = nullptr;
    /// How a core consumes operand k.
    OperandUse (*use)(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) = nullptr;
    /// For operand k that arrives by ublocks: its number of ublocks that a core has consumed after producing `made`
    /// ublocks of the result. nullptr: the same number.
    std::int64_t (*passed)(const OpConfig& op, int operand, std::int64_t made) = nullptr;
    /// Converts an assembled operand slice in place, shared by all cores that receive it (unpack conversion, fidelity
    /// mask), some rows at a time. nullptr: unpack_to_src(in_df, acc_df) only.
    void (*prepare)(const OpConfig& op, int operand, Numerics numerics, MatrixView values) = nullptr;
    /// Computes one output slice of one core as it leaves Dst (rounded to acc_df), before pack_result().
    void (*block)(const BlockArgs& args) = nullptr;
    bool by_slice = false;  ///< a slice of golden's result depends only on the same slice of every operand
    bool integer_capable = false;
    bool sfpu = false;                   ///< has the attributes vector, approximate_mode, sfpu_execution_thread
    bool gradient_on_all_chips = false;  ///< gradient_op legal on every chip
    bool gradient_if_any_op = false;     ///< gradient_op legal if the chip has gradient_any_op
    bool fusable = false;                ///< may be a sub-op
    bool random = false;                 ///< results depend on the number of the input, and on positions
    bool bit_true = false;               ///< --math exact gives the chip's bits; other ops compute as with --math fast

    // Properties for the compiler and for generated inputs.

    /// Bounds of the result for operands within bounds, elementwise. The compiler offers elementwise ops with this
    /// function as buda.NAME; nullptr: not offered.
    ValueRange (*range)(const OpAttributes& attr, std::span<const ValueRange> in) = nullptr;
    double chain_cycles =
        0;  ///< approximate cycles per tile in a chain of fused ops, relative to add; 0: never in a chain
    bool error_amplifying = false;         ///< a shared exponent would destroy small results beside large ones
    bool keeps_sign = false;               ///< results are positive if all operands are
    bool needs_positive_operands = false;  ///< undefined or not useful for negative operands
};

std::span<const OpDef* const> all_ops();
const OpDef* find_op(std::string_view name);  ///< nullptr if unknown
/// Adds an op to the table of this process, by reference. Call it from one thread before anything reads, compiles or
/// runs netlists, since lookups are not synchronized. The name must be new.
void add_op(const OpDef& op);
std::span<const AttrDef>
common_attributes();  ///< relu_*, stoch_rnd_mode, srnd_fpu_en, kernel_broadcast(_per_t), single_tile

/// Number of operands of an op with this configuration (bias, requantization scale and encoding count).
int operand_count(const OpConfig& op);

/// Whether the op, or one of its sub-ops, is random.
bool draws_random(const OpConfig& op);

/// Whether golden may compute the result in parts along z: slice z from slices z * g .. z * g + g - 1 of every operand,
/// where g is the operand's slices per output slice.
bool golden_splits_by_slice(const OpConfig& op);

/// Parts of this op (and its sub-ops) that --math exact computes as --math fast, such as "exp" or "gelu of matmul".
std::vector<std::string> non_bit_true_parts(const OpConfig& op);

/// The packer: adds `previous` for gradient ops, applies relu, converts to out_df. In place on args.out.
void pack_result(const BlockArgs& args);

/// Applies OpDef::prepare or its default.
void prepare_operand(const OpConfig& op, int operand, Numerics numerics, MatrixView values);

}  // namespace ttsim::impl
