// splice: concatenates runs of units (ublocks of a core, or slices) of its inputs, cyclically.
// Per input (index, length, stride): skip `index` units, output `length` units, advance `stride` units after the skip.
#include <algorithm>
#include <cstring>

#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

// --- rules --------------------------------------------------------------------------------------------------------

/// Units of an input of that shape on one core; -1 if it does not divide.
static std::int64_t units_of(const OpConfig& op, TileShape in) {
    if (op.attr.granularity == SpliceUnit::T) return in.z;
    const Blocking& b = op.out;
    const std::int64_t rows = b.grid_r * b.ublock_rt, cols = b.grid_c * b.ublock_ct;
    if (in.rt % rows != 0 || in.ct % cols != 0) return -1;
    return in.rt / rows * (in.ct / cols);
}

static bool check_inputs(const OpConfig& op, Diagnostics& out) {
    const std::size_t before = out.size();
    const TileShape want = op.out.shape();
    for (std::size_t k = 0; k < op.in.size(); ++k) {
        const SpliceInput& s = op.attr.splice[k];
        if (s.index < 0 || s.length < 1 || s.stride < s.length) {
            out.error(op.loc,
                      "input{} of '{}' is [{}, {}, {}]; index must be 0 or more, length 1 or more and stride at least "
                      "the length",
                      k, op.name, s.index, s.length, s.stride);
        }
        if (op.in_df[k] != op.in_df[0]) {
            out.error(op.loc, "in_df of '{}' mixes {} and {}; a splice needs one format for all inputs", op.name,
                      to_string(op.in_df[0]), to_string(op.in_df[k]));
        }
        if (op.in_tile[k] != op.tile) {
            out.error(op.loc, "input {} of '{}' has tile_dim {}; it must be the output's {}", k, op.name, op.in_tile[k],
                      op.tile);
        }
        const TileShape in = op.in[k];
        if (op.attr.granularity == SpliceUnit::T && (in.rt != want.rt || in.ct != want.ct)) {
            out.error(op.loc, "input {} of '{}' has slices of {}x{} tiles; a splice by t needs the output's {}x{}", k,
                      op.name, in.rt, in.ct, want.rt, want.ct);
        } else if (op.attr.granularity == SpliceUnit::Ublock && in.z != want.z) {
            out.error(op.loc, "input {} of '{}' has {} slices; a splice by ublock needs the output's {}", k, op.name,
                      in.z, want.z);
        } else if (units_of(op, in) < 0) {
            out.error(op.loc, "input {} of '{}' has {}x{} tiles, which the {}x{} grid cannot cut into ublocks of {}x{}",
                      k, op.name, in.rt, in.ct, op.out.grid_r, op.out.grid_c, op.out.ublock_rt, op.out.ublock_ct);
        }
    }
    return out.size() == before;
}

static void splice_check(const OpConfig& op, const ChipFeatures&, Diagnostics& out) {
    if (op.attr.splice.size() != op.in.size()) {
        out.error(op.loc, "'{}' describes {} inputs by inputN: [index, length, stride]; it has {}", op.name,
                  op.attr.splice.size(), op.in.size());
        return;
    }
    if (!operands_complete(op) || !check_inputs(op, out)) return;
    const std::int64_t want = units_of(op, op.out.shape());
    std::int64_t units_per_round = 0;
    for (const SpliceInput& s : op.attr.splice) units_per_round += s.length;
    if (units_per_round > want || want % units_per_round != 0) {
        out.error(
            op.loc,
            "one round over the inputs of '{}' outputs {} units; the output's {} units must be a multiple of that",
            op.name, units_per_round, want);
        return;
    }
    const std::int64_t rounds = want / units_per_round;
    for (std::size_t k = 0; k < op.in.size(); ++k) {
        const SpliceInput& s = op.attr.splice[k];
        const std::int64_t used = rounds * (s.index + s.stride), has = units_of(op, op.in[k]);
        if (used != has) {
            out.error(op.loc,
                      "input {} of '{}' has {} units; {} rounds of [{}, {}, {}] go through {}, and all must be used", k,
                      op.name, has, rounds, s.index, s.length, s.stride, used);
        }
    }
}

// --- golden: source of each output unit ---

struct UnitSource {
    std::size_t input;
    std::int64_t unit;
};

static UnitSource source_of(const std::vector<SpliceInput>& inputs, std::int64_t u) {
    std::int64_t units_per_round = 0;
    for (const SpliceInput& s : inputs) units_per_round += s.length;
    const std::int64_t round = u / units_per_round;
    std::int64_t rest = u % units_per_round;
    std::size_t k = 0;
    while (rest >= inputs[k].length) rest -= inputs[k++].length;
    return {k, round * (inputs[k].index + inputs[k].stride) + inputs[k].index + rest};
}

/// Row and column, in ublocks, of ublock `u` of a core with `rows` x `cols` ublocks.
static std::pair<std::int64_t, std::int64_t> place_of(std::int64_t u, std::int64_t rows, std::int64_t cols,
                                                      UblockOrder order) {
    if (order == UblockOrder::Row) return {u / cols, u % cols};
    return {u % rows, u / rows};
}

static Tensor golden_slices(const OpConfig& op, std::span<const Tensor* const> in) {
    Tensor out(op.out.shape(), op.tile);
    for (std::int64_t z = 0; z < out.z; ++z) {
        const UnitSource from = source_of(op.attr.splice, z);
        const ConstMatrixView slice = in[from.input]->slice(from.unit);
        std::copy_n(slice.data, out.rows * out.cols, out.slice(z).data);
    }
    return out;
}

static Tensor golden_ublocks(const OpConfig& op, std::span<const Tensor* const> in) {
    const Blocking& b = op.out;
    Tensor out(b.shape(), op.tile);
    const std::int64_t h = b.ublock_rt * op.tile.h, w = b.ublock_ct * op.tile.w;
    for (std::int64_t core = 0; core < b.cores(); ++core) {
        const std::int64_t i = core / b.grid_c, j = core % b.grid_c;
        for (std::int64_t u = 0; u < b.mblock_m * b.mblock_n; ++u) {
            const UnitSource from = source_of(op.attr.splice, u);
            const Tensor& x = *in[from.input];
            const std::int64_t rows = x.rows / (b.grid_r * h), cols = x.cols / (b.grid_c * w);
            const auto [from_r, from_c] = place_of(from.unit, rows, cols, b.order);
            const auto [to_r, to_c] = place_of(u, b.mblock_m, b.mblock_n, b.order);
            for (std::int64_t z = 0; z < out.z; ++z) {
                for (std::int64_t r = 0; r < h; ++r) {
                    const float* source = &x.slice(z).at((i * rows + from_r) * h + r, (j * cols + from_c) * w);
                    std::copy_n(source, w,
                                &out.slice(z).at((i * b.mblock_m + to_r) * h + r, (j * b.mblock_n + to_c) * w));
                }
            }
        }
    }
    return out;
}

static Tensor splice_golden(const OpConfig& op, std::span<const Tensor* const> in) {
    return op.attr.granularity == SpliceUnit::T ? golden_slices(op, in) : golden_ublocks(op, in);
}

// --- simulator: walk the inputs until the output is full ---

static OperandUse splice_use(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) {
    const TileShape in = op.in[static_cast<std::size_t>(operand)];
    const std::int64_t rows = in.rt / op.out.grid_r, cols = in.ct / op.out.grid_c;
    OperandUse use;
    use.rects = {{core_r * rows, core_c * cols, rows, cols}};
    use.whole_input = op.attr.granularity == SpliceUnit::T;  // any slice may be needed
    use.chunks = use.whole_input ? OperandUse::Chunks::One : OperandUse::Chunks::Ublocks;
    use.chunk_rt = op.out.ublock_rt;
    use.chunk_ct = op.out.ublock_ct;
    use.clear_tiles = op.out.ublock_tiles();
    return use;
}

static void copy_matrix(ConstMatrixView from, MatrixView to) {
    for (std::int64_t r = 0; r < to.rows; ++r) {
        std::memcpy(to.row(r), from.row(r), static_cast<std::size_t>(to.cols) * sizeof(float));
    }
}

/// Calls copy(input, input unit, output unit) for output units 0..count-1.
template <class Copy>
static void walk(const std::vector<SpliceInput>& inputs, std::int64_t count, Copy copy) {
    std::vector<std::int64_t> position(inputs.size(), 0);
    std::int64_t filled = 0;
    while (filled < count) {
        const std::int64_t before = filled;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            position[k] += inputs[k].index;
            for (std::int64_t i = 0; i < inputs[k].length && filled < count; ++i) copy(k, position[k] + i, filled++);
            position[k] += inputs[k].stride;
        }
        TT_CHECK(filled > before, "a round of a splice outputs nothing");
    }
}

/// Units of complete rounds, and of the last round as far as it was processed. Skipped units count as consumed with the
/// operand's run.
static std::int64_t splice_passed(const OpConfig& op, int operand, std::int64_t produced) {
    const std::vector<SpliceInput>& inputs = op.attr.splice;
    std::int64_t units_per_round = 0, before = 0;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (k < static_cast<std::size_t>(operand)) before += inputs[k].length;
        units_per_round += inputs[k].length;
    }
    const SpliceInput& own = inputs[static_cast<std::size_t>(operand)];
    const std::int64_t rounds = produced / units_per_round * (own.index + own.stride),
                       copied = produced % units_per_round - before;
    if (copied <= 0) return rounds;
    return rounds + own.index + (copied < own.length ? copied : own.stride);
}

/// The view of one ublock of a core.
template <class View>
static View ublock_of(View core, std::int64_t unit, std::int64_t h, std::int64_t w, bool by_columns) {
    const std::int64_t rows = core.rows / h, cols = core.cols / w;
    const std::int64_t r = by_columns ? unit % rows : unit / cols;
    const std::int64_t c = by_columns ? unit / rows : unit % cols;
    return core.sub(r * h, c * w, h, w);
}

static void splice_block(const BlockArgs& args) {
    const OpConfig& op = args.op;
    if (op.attr.granularity == SpliceUnit::T) {
        walk(op.attr.splice, args.slice + 1, [&](std::size_t k, std::int64_t from, std::int64_t to) {
            if (to == args.slice) copy_matrix(args.in[k].slices[static_cast<std::size_t>(from)], args.out);
        });
    } else {
        const std::int64_t h = op.out.ublock_rt * op.tile.h, w = op.out.ublock_ct * op.tile.w;
        const bool by_columns = op.out.order == UblockOrder::Column;
        walk(op.attr.splice, args.out.rows / h * (args.out.cols / w),
             [&](std::size_t k, std::int64_t from, std::int64_t to) {
                 const ConstMatrixView core = args.in[k].slices.front();
                 copy_matrix(ublock_of(core, from, h, w, by_columns), ublock_of(args.out, to, h, w, by_columns));
             });
    }
    round_copy(args);
}

/// Accessors of input n: {index, length, stride}.
template <std::size_t n>
static constexpr AttrAccessor splice_at{[](const OpAttributes& from, const AttrDef&) -> AttrValue {
                                            if (n >= from.splice.size()) return std::vector<std::int64_t>();
                                            const SpliceInput& of = from.splice[n];
                                            return std::vector<std::int64_t>{of.index, of.length, of.stride};
                                        },
                                        [](OpAttributes& into, const AttrDef&, const AttrValue& value) {
                                            const auto& copied = std::get<std::vector<std::int64_t>>(value);
                                            if (into.splice.size() <= n) into.splice.resize(n + 1);
                                            into.splice[n] = {copied.at(0), copied.at(1), copied.at(2)};
                                        }};

#define TT_SPLICE_INPUT(n)                                                                                  \
    {                                                                                                       \
        .name = "input" #n, .kind = AttrKind::List, .default_text = "",                                     \
        .meaning = "[index, length, stride] of input " #n " in units", .entries = 3, .place = &splice_at<n> \
    }
static constexpr AttrDef splice_attributes[] = {
    {.name = "granularity",
     .kind = AttrKind::Word,
     .default_text = "ublock",
     .meaning = "the unit: ublocks of a core, or slices (t)",
     .words = "ublock|t",
     .place = &enum_field<&OpAttributes::granularity, SpliceUnit::Ublock, SpliceUnit::T>},
    TT_SPLICE_INPUT(0),
    TT_SPLICE_INPUT(1),
    TT_SPLICE_INPUT(2),
    TT_SPLICE_INPUT(3),
    TT_SPLICE_INPUT(4),
    TT_SPLICE_INPUT(5),
    TT_SPLICE_INPUT(6),
    TT_SPLICE_INPUT(7)};
#undef TT_SPLICE_INPUT

extern const OpDef op_splice{.name = "splice",
                             .summary = "Joins runs of ublocks or slices of its inputs",
                             .op_class = OpClass::Move,
                             .min_inputs = 1,
                             .max_inputs = 8,
                             .attributes = splice_attributes,
                             .check = splice_check,
                             .golden = splice_golden,
                             .use = splice_use,
                             .passed = splice_passed,
                             .prepare = nullptr,
                             .block = splice_block,
                             .integer_capable = true,
                             .bit_true = true,
                             .keeps_sign = true};

}  // namespace ttsim::impl
