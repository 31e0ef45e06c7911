// Fused ops: sub-ops that pass results to each other inside a core. The block runs them in order on the core's part;
// golden is in fused_golden.cpp, the rules in fused_check.cpp.
#include "kernels/ops/fused_op.hpp"

#include <algorithm>

#include "kernels/ops/attributes.hpp"
#include "kernels/ops/product_checks.hpp"

namespace ttsim::impl {

using Kind = FusedOperand::Kind;

CoreTiles operand_tiles(const FusedSubOp& sub, std::size_t operand) {
    const CoreTiles out{sub.mblock_m * sub.ublock_rt, sub.mblock_n * sub.ublock_ct};
    const auto inner = sub.attributes.m_k * sub.attributes.u_kt;
    if (sub.type == "matmul" && operand == 0) return {out.rt, inner};
    if (sub.type == "matmul" && operand == 1) return {inner, out.ct};
    if (sub.type == "reduce" && sub.attributes.reduce_dim == ReduceDim::C) return {out.rt, inner};
    if (sub.type == "reduce" && sub.attributes.reduce_dim == ReduceDim::R) return {inner, out.ct};
    if (sub.type == "reduce") return {0, 0};
    return out;
}

CoreTiles source_tiles(const FusedSubOp& sub, std::size_t operand) {
    auto tiles = operand_tiles(sub, operand);
    if (operand >= sub.input_tms.size()) return tiles;
    for (const auto& tm : sub.input_tms[operand]) {
        if (tm.kind == FusedTm::Kind::BroadcastR) tiles.rt /= std::max<std::int64_t>(tm.factor, 1);
        if (tm.kind == FusedTm::Kind::BroadcastC) tiles.ct /= std::max<std::int64_t>(tm.factor, 1);
    }
    return tiles;
}

bool is_inner_broadcast(const FusedSubOp& sub, std::size_t operand) {
    if (sub.type != "matmul" || operand != 0 || operand >= sub.input_tms.size()) return false;
    const auto& tms = sub.input_tms[operand];
    return sub.inputs[operand].kind == Kind::Intermed &&
           std::any_of(tms.begin(), tms.end(), [](const FusedTm& tm) { return tm.kind == FusedTm::Kind::BroadcastC; });
}

/// The format of values that stay in Dst: dequantization leaves floats in an integer Dst.
static DataFormat dest_format(const OpConfig& op, const FusedSubOp& sub) {
    return sub.type == "dequantization" ? DataFormat::Float32 : op.acc_df;
}

OpConfig sub_config(const OpConfig& op, const FusedSubOp& sub, const FusedSubOp* before) {
    OpConfig config;
    config.type = sub.type;
    config.name = op.name + "." + sub.name;
    config.loc = sub.loc;
    config.out = {.mblock_m = sub.mblock_m,
                  .mblock_n = sub.mblock_n,
                  .ublock_rt = sub.ublock_rt,
                  .ublock_ct = sub.ublock_ct,
                  .t = op.out.t,
                  .order = op.out.order};
    config.tile = op.tile;
    config.chip = op.chip;
    config.acc_df = op.acc_df;
    config.intermed_df = op.intermed_df;
    config.fidelity = op.fidelity;
    config.attr = sub.attributes;
    config.attr.fused_op_id = op.attr.fused_op_id.empty() ? op.name : op.attr.fused_op_id;  // marks it as a sub-op
    config.attr.approximate_mode = op.attr.approximate_mode;
    for (const auto& operand : sub.inputs) {
        const bool input = operand.kind == Kind::Input;
        const auto index = static_cast<std::size_t>(operand.index);
        config.in_tile.push_back(input ? op.in_tile[index] : op.tile);
        config.in_df.push_back(input                                                 ? op.in_df[index]
                               : operand.kind == Kind::Intermed || before == nullptr ? op.intermed_df
                                                                                     : dest_format(op, *before));
    }
    config.out_df = sub.output.kind == Kind::Intermed ? op.intermed_df : dest_format(op, sub);
    return config;
}

namespace {

constexpr AttrDef fused_attributes[] = {
    {.name = "fused_op_id",
     .kind = AttrKind::Word,
     .default_text = "",
     .meaning = "key of the definition in the netlist's fused_ops",
     .place = &at<&OpAttributes::fused_op_id>},
    attr_approximate_mode,
    attr_sfpu_execution_thread,
    attr_min_buffer_input,
};

/// A result inside the op: an intermediate or the contents of Dst.
struct SubOpResult {
    std::vector<float> data;
    MatrixView view;
    const FusedSubOp* by = nullptr;  ///< the sub-op that computed it
    void resize(std::int64_t rows, std::int64_t cols) {
        data.assign(static_cast<std::size_t>(rows * cols), 0.0F);
        view = {data.data(), rows, cols, cols};
    }
};

/// Which cores share an input: input 0 of a matmul is shared by the cores of a grid row, input 1 by those of a grid
/// column.
struct Sharing {
    bool all_rows = false, all_cols = false;
    const FusedSubOp* first = nullptr;  ///< its first user, which determines the order of arrival
    std::size_t operand = 0;            ///< operand index in `first`
};

Sharing sharing(const FusedDefinition& fused, int input) {
    Sharing found;
    for (const auto& schedule : fused.schedules)
        for (const auto& sub : schedule)
            for (std::size_t k = 0; k < sub.inputs.size(); ++k) {
                if (sub.inputs[k] != FusedOperand{Kind::Input, input}) continue;
                if (found.first == nullptr) {
                    found.first = &sub;
                    found.operand = k;
                }
                if (sub.type == "matmul") (k == 0 ? found.all_cols : found.all_rows) = true;
            }
    return found;
}

OperandUse fused_use(const OpConfig& op, int operand, std::int64_t core_r, std::int64_t core_c) {
    const auto& in = op.in[static_cast<std::size_t>(operand)];
    const auto shared = sharing(*op.fused, operand);
    const auto rows = shared.all_rows ? in.rt : in.rt / op.out.grid_r;
    const auto cols = shared.all_cols ? in.ct : in.ct / op.out.grid_c;
    OperandUse use;
    use.rects = {{shared.all_rows ? 0 : core_r * rows, shared.all_cols ? 0 : core_c * cols, rows, cols}};
    if (shared.first == nullptr) return use;
    const auto& sub = *shared.first;
    const auto& attr = sub.attributes;
    if (sub.type == "matmul" && shared.operand == 0) {
        use.chunks = OperandUse::Chunks::KColumns;
        use.count = attr.m_k;
        use.clear_tiles = sub.ublock_rt * attr.u_kt;
    } else if (sub.type == "matmul") {
        use.chunks = OperandUse::Chunks::KRows;
        use.count = attr.m_k;
        use.clear_tiles = sub.ublock_ct * attr.u_kt;
    } else if (sub.type != "reduce") {
        use.chunks = OperandUse::Chunks::Ublocks;
        use.chunk_rt = sub.ublock_rt;
        use.chunk_ct = sub.ublock_ct;
        use.clear_tiles = sub.ublock_rt * sub.ublock_ct;
    } else {
        use.clear_tiles = rows * cols;
    }
    return use;
}

/// Repeats the first element row or column of every tile.
void broadcast_in_tiles(FusedTm::Kind kind, TileDim dim, MatrixView m) {
    for (std::int64_t r = 0; r < m.rows; ++r)
        for (std::int64_t c = 0; c < m.cols; ++c)
            m.at(r, c) = kind == FusedTm::Kind::TileBroadcastR ? m.at(r - r % dim.h, c) : m.at(r, c - c % dim.w);
}

/// Runs the sub-ops of one output slice of one core.
class FusedBlock {
public:
    explicit FusedBlock(const BlockArgs& args)
        : args_(args), op_(args.op), intermediates_(static_cast<std::size_t>(args.op.fused->intermediates)) {}

    void run() {
        for (const auto& schedule : op_.fused->schedules) {
            const FusedSubOp* before = nullptr;
            for (const auto& sub : schedule) {
                run(sub, before);
                before = &sub;
            }
        }
    }

private:
    ConstMatrixView source(const FusedSubOp& sub, std::size_t k) const {
        const auto& operand = sub.inputs[k];
        if (operand.kind == Kind::Dest) return dest_.view;
        if (operand.kind == Kind::Intermed) return intermediates_[static_cast<std::size_t>(operand.index)].view;
        // An input shared by a matmul of the same op may hold more than this core's part.
        const auto index = static_cast<std::size_t>(operand.index);
        const ConstMatrixView held = args_.in[index].slices[0];
        const auto want = source_tiles(sub, k);
        const auto rows = want.rt == 0 ? held.rows : want.rt * op_.in_tile[index].h;
        const auto cols = want.ct == 0 ? held.cols : want.ct * op_.in_tile[index].w;
        return held.sub(rows < held.rows ? args_.core_r * rows : 0, cols < held.cols ? args_.core_c * cols : 0, rows,
                        cols);
    }

    /// For each inner block a product reads one ublock column of a broadcast intermediate, cyclically.
    void repeat_ublocks(const FusedSubOp& sub, const SubOpResult& from, std::int64_t tile_w, MatrixView to) const {
        const std::int64_t width = from.by->ublock_ct * tile_w, each = sub.attributes.u_kt * tile_w;
        for (std::int64_t r = 0; r < to.rows; ++r)
            for (std::int64_t c = 0; c < to.cols; c += width)
                std::copy_n(from.view.row(r) + c / each % from.by->mblock_n * width, width, to.row(r) + c);
    }

    /// Builds the operand after the sub-op's TMs and the unpacker, in separate memory.
    void assemble(const OpConfig& config, const FusedSubOp& sub, std::size_t k, SubOpResult& to) const {
        const auto from = source(sub, k);
        const auto tms = k < sub.input_tms.size() ? std::span(sub.input_tms[k]) : std::span<const FusedTm>{};
        if (is_inner_broadcast(sub, k)) {
            to.resize(from.rows, sub.attributes.m_k * sub.attributes.u_kt * config.in_tile[k].w);
            repeat_ublocks(sub, intermediates_[static_cast<std::size_t>(sub.inputs[k].index)], config.in_tile[k].w,
                           to.view);
            prepare_operand(config, static_cast<int>(k), args_.numerics, to.view);
            return;
        }
        auto rows = from.rows, cols = from.cols;
        for (const auto& tm : tms) {
            if (tm.kind == FusedTm::Kind::BroadcastR) rows *= tm.factor;
            if (tm.kind == FusedTm::Kind::BroadcastC) cols *= tm.factor;
        }
        to.resize(rows, cols);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < cols; c += from.cols)
                std::copy_n(from.row(r % from.rows), from.cols, to.view.row(r) + c);
        for (const auto& tm : tms)
            if (tm.kind == FusedTm::Kind::TileBroadcastR || tm.kind == FusedTm::Kind::TileBroadcastC)
                broadcast_in_tiles(tm.kind, config.in_tile[k], to.view);
        prepare_operand(config, static_cast<int>(k), args_.numerics, to.view);
    }

    void run(const FusedSubOp& sub, const FusedSubOp* before) {
        auto config = sub_config(op_, sub, before);
        std::vector<SubOpResult> held(sub.inputs.size());
        std::vector<ConstMatrixView> views(sub.inputs.size());
        std::vector<BlockOperand> operands(sub.inputs.size());
        for (std::size_t k = 0; k < held.size(); ++k) {
            assemble(config, sub, k, held[k]);
            views[k] = held[k].view;
            operands[k].slices = {&views[k], 1};
            const auto dim = config.in_tile[k];
            config.in.push_back({op_.out.t, views[k].rows / dim.h, views[k].cols / dim.w});
        }
        config.random.rows = op_.out.shape().rt * op_.tile.h;
        SubOpResult result;
        result.resize(config.out.core_rt() * op_.tile.h, config.out.core_ct() * op_.tile.w);
        const BlockArgs args{.op = config,
                             .numerics = args_.numerics,
                             .core_r = args_.core_r,
                             .core_c = args_.core_c,
                             .slice = args_.slice,
                             .input = args_.input,
                             .in = operands,
                             .previous = {},
                             .out = result.view};
        find_op(sub.type)->block(args);
        pack_result(args);
        store_result(sub, std::move(result));
    }

    void store_result(const FusedSubOp& sub, SubOpResult result) {
        result.by = &sub;
        if (sub.output.kind == Kind::Intermed) {
            intermediates_[static_cast<std::size_t>(sub.output.index)] = std::move(result);
        } else if (sub.output.kind == Kind::Dest) {
            dest_ = std::move(result);
        } else {
            for (std::int64_t r = 0; r < args_.out.rows; ++r)
                std::copy_n(result.view.row(r), args_.out.cols, args_.out.row(r));
        }
    }

    const BlockArgs& args_;
    const OpConfig& op_;
    std::vector<SubOpResult> intermediates_;
    SubOpResult dest_;
};

void fused_block(const BlockArgs& args) { FusedBlock(args).run(); }

}  // namespace

extern const OpDef op_fused_op;
const OpDef op_fused_op{
    .name = "fused_op",
    .summary = "several ops run one after the other inside a core, without storing results in between",
    .op_class = OpClass::Fused,
    .min_inputs = 1,
    .max_inputs = 64,
    .attributes = fused_attributes,
    .check = check_fused,
    .golden = golden_fused,
    .use = fused_use,
    .prepare = nullptr,
    .block = fused_block,
    .integer_capable = true,
    .bit_true = true,
};

}  // namespace ttsim::impl
