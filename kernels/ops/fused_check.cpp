// Rules of fused ops: allowed sub-ops, destinations of results, lifetime of intermediates, shapes of operands.
#include <algorithm>
#include <optional>

#include "kernels/copy_ops.hpp"
#include "kernels/ops/fused_op.hpp"
#include "kernels/ops/op_checks.hpp"

namespace ttsim::impl {
namespace {

using Kind = FusedOperand::Kind;
using Tm = FusedTm::Kind;

std::string text(const FusedOperand& operand) {
    switch (operand.kind) {
        case Kind::Input:
            return fmt::format("input{}", operand.index);
        case Kind::Intermed:
            return fmt::format("intermed{}", operand.index);
        case Kind::Dest:
            return "dest";
        case Kind::Output:
            return "output";
    }
    return "";
}

bool is_product_or_reduce(const FusedSubOp& sub) { return sub.type == "matmul" || sub.type == "reduce"; }
bool is_quantization(const FusedSubOp& sub) {
    return sub.type == "quantization" || sub.type == "requantization" || sub.type == "dequantization";
}
bool takes_int32(const OpConfig& op, const FusedSubOp& sub) {
    return std::any_of(sub.inputs.begin(), sub.inputs.end(), [&](const FusedOperand& operand) {
        const auto df = operand.kind == Kind::Input      ? op.in_df[static_cast<std::size_t>(operand.index)]
                        : operand.kind == Kind::Intermed ? op.intermed_df
                                                         : op.acc_df;
        return df == DataFormat::Int32;
    });
}

/// Visits the sub-ops in order and tracks the contents of Dst and the intermediates.
class FusedCheck {
public:
    FusedCheck(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out)
        : op_(op), chip_(chip), out_(out), live_(static_cast<std::size_t>(op.fused->intermediates)) {}

    void run() {
        for (schedule_ = 0; schedule_ < op_.fused->schedules.size(); ++schedule_) {
            const auto& subs = op_.fused->schedules[schedule_];
            if (subs.empty()) error(op_.fused->loc, "schedule {} has no sub-ops", schedule_);
            previous_ = nullptr;
            for (std::size_t i = 0; i < subs.size(); ++i) {
                check(subs[i], i + 1 == subs.size());
                previous_ = &subs[i];
            }
            if (previous_ != nullptr && previous_->output.kind == Kind::Dest)
                error(previous_->loc, "'{}' leaves its result in dest, but no sub-op of its schedule follows to use it",
                      previous_->name);
        }
        check_end();
    }

private:
    /// The writer of an intermediate.
    struct Written {
        const FusedSubOp* by;
        std::size_t schedule;
    };

    template <class... Args>
    void error(const SourceLoc& loc, fmt::format_string<Args...> format, Args&&... args) {
        out_.error(loc, "fused op '{}' of '{}': {}", op_.fused->id, op_.name,
                   fmt::format(format, std::forward<Args>(args)...));
    }

    void check(const FusedSubOp& sub, bool last) {
        const bool named = check_names(sub);
        if (check_type(sub) && check_blocks(sub) && named) check_operands(sub, last);
        if (!named) return;
        pop(sub);
        write(sub);
    }

    void check_operands(const FusedSubOp& sub, bool last) {
        if (is_product_or_reduce(sub)) check_inner(sub, last);
        for (std::size_t k = 0; k < sub.inputs.size(); ++k) {
            check_tms(sub, k);
            switch (sub.inputs[k].kind) {
                case Kind::Input:
                    check_input(sub, k);
                    break;
                case Kind::Intermed:
                    check_intermediate(sub, k);
                    break;
                case Kind::Dest:
                    check_dest(sub, k);
                    break;
                case Kind::Output:
                    break;
            }
        }
        if (previous_ != nullptr && previous_->output.kind == Kind::Dest &&
            std::find(sub.inputs.begin(), sub.inputs.end(), FusedOperand{Kind::Dest, 0}) == sub.inputs.end())
            error(sub.loc,
                  "'{}' must take dest, the result of '{}', as an operand: dest is valid for the next sub-op only",
                  sub.name, previous_->name);
    }

    bool check_type(const FusedSubOp& sub) {
        const auto* def = find_op(sub.type);
        if (def == nullptr || !def->fusable) {
            error(sub.loc, "sub-op '{}' has type '{}', which cannot be part of a fused op", sub.name, sub.type);
            return false;
        }
        if (static_cast<int>(sub.inputs.size()) != def->min_inputs) {
            error(sub.loc, "sub-op '{}' has {} inputs, {} takes {}", sub.name, sub.inputs.size(), sub.type,
                  def->min_inputs);
            return false;
        }
        if (sub.attributes.identity) error(sub.loc, "sub-op '{}' cannot be an identity matmul", sub.name);
        if (op_.acc_df == DataFormat::Int32 && !def->integer_capable && !is_core_copy(sub.type))
            error(sub.loc, "sub-op '{}': {} does not compute with integers (acc_df Int32)", sub.name, sub.type);
        check_relu(sub.attributes, sub.output.kind == Kind::Output ? op_.out_df : op_.intermed_df, sub.name, sub.loc,
                   out_);
        return true;
    }

    bool check_blocks(const FusedSubOp& sub) {
        if (sub.mblock_m < 1 || sub.mblock_n < 1 || sub.ublock_rt < 1 || sub.ublock_ct < 1) {
            error(sub.loc, "mblock [{}, {}] and ublock [{}, {}] of sub-op '{}' must be at least 1", sub.mblock_m,
                  sub.mblock_n, sub.ublock_rt, sub.ublock_ct, sub.name);
            return false;
        }
        check_dest_limit(op_, sub.ublock_rt * sub.ublock_ct,
                         fmt::format("the {}x{} ublock of sub-op '{}'", sub.ublock_rt, sub.ublock_ct, sub.name), chip_,
                         out_);
        const auto& b = op_.out;
        if (sub.output.kind == Kind::Output && (sub.mblock_m != b.mblock_m || sub.mblock_n != b.mblock_n ||
                                                sub.ublock_rt != b.ublock_rt || sub.ublock_ct != b.ublock_ct))
            error(sub.loc,
                  "sub-op '{}' writes the output with mblock [{}, {}], ublock [{}, {}]; '{}' has [{}, {}], [{}, {}]",
                  sub.name, sub.mblock_m, sub.mblock_n, sub.ublock_rt, sub.ublock_ct, op_.name, b.mblock_m, b.mblock_n,
                  b.ublock_rt, b.ublock_ct);
        return true;
    }

    /// Every operand, result and pop must name an existing input or intermediate.
    bool check_names(const FusedSubOp& sub) {
        bool valid = true;
        const auto check_one = [&](const FusedOperand& operand, const char* role) {
            const auto limit = operand.kind == Kind::Input      ? op_.fused->inputs
                               : operand.kind == Kind::Intermed ? op_.fused->intermediates
                                                                : 1;
            if (operand.index >= 0 && operand.index < limit) return;
            error(sub.loc, "{} '{}' of sub-op '{}' does not exist: the definition has {} inputs and {} intermediates",
                  role, text(operand), sub.name, op_.fused->inputs, op_.fused->intermediates);
            valid = false;
        };
        for (const auto& operand : sub.inputs) {
            check_one(operand, "input");
            if (operand.kind != Kind::Output) continue;
            error(sub.loc, "sub-op '{}' cannot read 'output'", sub.name);
            valid = false;
        }
        check_one(sub.output, "output");
        if (sub.output.kind == Kind::Input) {
            error(sub.loc, "sub-op '{}' cannot write '{}'; it can write an intermediate, dest or output", sub.name,
                  text(sub.output));
            valid = false;
        }
        for (const auto& operand : sub.pop) check_one(operand, "pop");
        for (const auto& operand : sub.pop_last) check_one(operand, "pop_last");
        return valid;
    }

    void check_inner(const FusedSubOp& sub, bool last) {
        const auto& a = sub.attributes;
        if (a.m_k < 1 || a.u_kt < 1)
            error(sub.loc, "sub-op '{}': {} needs attributes m_k and u_kt of at least 1, they are {} and {}", sub.name,
                  sub.type, a.m_k, a.u_kt);
        if (!last)
            error(sub.loc, "sub-op '{}': a {} must be the last of its schedule; start a new schedule after it",
                  sub.name, sub.type);
        if (a.m_k > 1 && sub.output.kind != Kind::Intermed)
            error(sub.loc, "sub-op '{}': a {} with m_k {} must write an intermediate, not {}", sub.name, sub.type,
                  a.m_k, text(sub.output));
        if (a.accumulate || a.bias || a.requant || a.dequant || a.sfpu_gelu)
            error(sub.loc, "sub-op '{}': accumulate, bias, requant, dequant and sfpu_op are not possible in a fused op",
                  sub.name);
        if (sub.type != "reduce") return;
        if (a.reduce_type != "max")
            error(sub.loc, "sub-op '{}': reduce type '{}' is not possible, only max", sub.name, a.reduce_type);
        if (a.reduce_dim == ReduceDim::None || a.reduce_dim == ReduceDim::Z)
            error(sub.loc, "sub-op '{}': dim of a reduce in a fused op must be r, c or rc", sub.name);
        const bool rows = a.reduce_dim == ReduceDim::R || a.reduce_dim == ReduceDim::RC;
        const bool columns = a.reduce_dim == ReduceDim::C || a.reduce_dim == ReduceDim::RC;
        if ((rows && sub.mblock_m * sub.ublock_rt != 1) || (columns && sub.mblock_n * sub.ublock_ct != 1))
            error(sub.loc, "sub-op '{}': mblock and ublock of a reduced dimension must be 1", sub.name);
    }

    void check_tms(const FusedSubOp& sub, std::size_t k) {
        if (k >= sub.input_tms.size()) return;
        const auto want = operand_tiles(sub, k);
        bool rows = false, columns = false;
        for (const auto& tm : sub.input_tms[k]) {
            if (tm.kind == Tm::TileBroadcastR || tm.kind == Tm::TileBroadcastC) {
                if (k != 1 || (sub.type != "add" && sub.type != "subtract" && sub.type != "multiply"))
                    error(sub.loc,
                          "tile_broadcast is only possible on input 1 of add, subtract and multiply, not on input {} "
                          "of '{}' ({})",
                          k, sub.name, sub.type);
                continue;
            }
            const bool is_row = tm.kind == Tm::BroadcastR;
            (is_row ? rows : columns) = true;
            const auto size = is_row ? want.rt : want.ct;
            if (tm.factor < 1 || (size != 0 && size % tm.factor != 0))
                error(sub.loc, "broadcast of {} on input {} of '{}' does not divide its {} tiles", tm.factor, k,
                      sub.name, size);
            if (sub.inputs[k].kind != Kind::Intermed)
                error(sub.loc,
                      "broadcast on '{}', input {} of '{}': inside a fused op only intermediates can be broadcast",
                      text(sub.inputs[k]), k, sub.name);
            if (sub.type == "matmul" && (is_row || k != 0))
                error(sub.loc, "matmul '{}' can only broadcast c on input 0", sub.name);
        }
        if (rows && columns)
            error(sub.loc, "input {} of '{}' is broadcast along r and c; only one is possible", k, sub.name);
    }

    void check_input(const FusedSubOp& sub, std::size_t k) {
        const auto& have = op_.in[static_cast<std::size_t>(sub.inputs[k].index)];
        const auto want = source_tiles(sub, k);
        const bool product = sub.type == "matmul";
        const auto rows = want.rt * (product && k == 1 ? 1 : op_.out.grid_r);
        const auto cols = want.ct * (product && k == 0 ? 1 : op_.out.grid_c);
        if (want.rt == 0 ? have.z == op_.out.t : have == TileShape{op_.out.t, rows, cols}) return;
        error(sub.loc, "'{}' has {} tiles after its TMs; sub-op '{}' needs {} on the {}x{} grid", text(sub.inputs[k]),
              shape_text(have), sub.name, shape_text({op_.out.t, rows, cols}), op_.out.grid_r, op_.out.grid_c);
    }

    void check_intermediate(const FusedSubOp& sub, std::size_t k) {
        const auto& written = live_[static_cast<std::size_t>(sub.inputs[k].index)];
        const auto name = text(sub.inputs[k]);
        if (!written) return error(sub.loc, "sub-op '{}' reads {}, which holds no result here", sub.name, name);
        const auto& by = *written->by;
        const bool other_schedule = written->schedule != schedule_;
        // Inner blocks of a product loop over its whole schedule, so other results are valid for one block only.
        const auto& ending = op_.fused->schedules[written->schedule].back();
        if (other_schedule && is_product_or_reduce(ending) && ending.attributes.m_k > 1 && !is_product_or_reduce(by))
            error(sub.loc,
                  "sub-op '{}' reads {} of an earlier schedule, which ends in {} '{}' with m_k {}: only its result "
                  "stays valid after it",
                  sub.name, name, ending.type, ending.name, ending.attributes.m_k);
        const auto want = source_tiles(sub, k);
        const CoreTiles have{by.mblock_m * by.ublock_rt, by.mblock_n * by.ublock_ct};
        if (want.rt != 0 && want != have)
            error(sub.loc, "{} has {}x{} tiles per core (written by '{}'), sub-op '{}' needs {}x{}", name, have.rt,
                  have.ct, by.name, sub.name, want.rt, want.ct);
        if (is_product_or_reduce(sub))
            check_inner_source(sub, k, by, other_schedule);
        else
            check_block_source(sub, k, by);
    }

    /// A product reads an intermediate of its own schedule block by block, in the blocks of its writer.
    void check_inner_source(const FusedSubOp& sub, std::size_t k, const FusedSubOp& by, bool other_schedule) {
        const auto& a = sub.attributes;
        if (sub.type == "matmul" && k == 1) {
            if (by.mblock_m * by.mblock_n > 1)
                error(sub.loc,
                      "input 1 of matmul '{}' is {}, whose mblock [{}, {}] has more than one ublock; it must "
                      "then be "
                      "an input of the fused op",
                      sub.name, text(sub.inputs[k]), by.mblock_m, by.mblock_n);
            return;
        }
        if (is_inner_broadcast(sub, k)) return check_inner_broadcast(sub, k, by);
        if (other_schedule || a.reduce_dim == ReduceDim::RC) return;
        const bool rows = a.reduce_dim == ReduceDim::R;
        const auto blocks = rows ? by.mblock_m : by.mblock_n;
        const auto inner = rows ? by.ublock_rt : by.ublock_ct;
        if (a.m_k != blocks || a.u_kt != inner)
            error(sub.loc, "sub-op '{}' has m_k {} and u_kt {}; for {}, made by '{}', they must be {} and {}", sub.name,
                  a.m_k, a.u_kt, text(sub.inputs[k]), by.name, blocks, inner);
    }

    /// Each inner block repeats the columns of one ublock, so both sizes must be multiples.
    void check_inner_broadcast(const FusedSubOp& sub, std::size_t k, const FusedSubOp& by) {
        const auto& a = sub.attributes;
        if (by.mblock_n < 1 || by.ublock_ct < 1) return;  // already reported
        if (a.m_k % by.mblock_n == 0 && a.u_kt % by.ublock_ct == 0) return;
        error(sub.loc,
              "matmul '{}' has m_k {} and u_kt {}; for the c broadcast of {}, made by '{}', they must be multiples of "
              "its mblock_n {} and ublock_ct {}",
              sub.name, a.m_k, a.u_kt, text(sub.inputs[k]), by.name, by.mblock_n, by.ublock_ct);
    }

    /// For other ops blocks must be equal, except that a broadcast dimension must be one tile.
    void check_block_source(const FusedSubOp& sub, std::size_t k, const FusedSubOp& by) {
        bool rows = false, columns = false;
        if (k < sub.input_tms.size())
            for (const auto& tm : sub.input_tms[k]) {
                rows = rows || tm.kind == Tm::BroadcastR;
                columns = columns || tm.kind == Tm::BroadcastC;
            }
        const bool good_rows =
            rows ? by.mblock_m == 1 && by.ublock_rt == 1 : by.mblock_m == sub.mblock_m && by.ublock_rt == sub.ublock_rt;
        const bool good_columns = columns ? by.mblock_n == 1 && by.ublock_ct == 1
                                          : by.mblock_n == sub.mblock_n && by.ublock_ct == sub.ublock_ct;
        if (good_rows && good_columns) return;
        error(
            sub.loc,
            "{} was written in mblock [{}, {}], ublock [{}, {}] by '{}'; sub-op '{}' with [{}, {}], [{}, {}] needs {}",
            text(sub.inputs[k]), by.mblock_m, by.mblock_n, by.ublock_rt, by.ublock_ct, by.name, sub.name, sub.mblock_m,
            sub.mblock_n, sub.ublock_rt, sub.ublock_ct,
            rows || columns ? "one tile along the broadcast dimension and equal blocks along the other"
                            : "equal blocks");
    }

    void check_dest(const FusedSubOp& sub, std::size_t k) {
        if (previous_ == nullptr || previous_->output.kind != Kind::Dest)
            return error(sub.loc, "sub-op '{}' reads dest, but the sub-op before it did not write it", sub.name);
        if (is_product_or_reduce(sub) || sub.type == "maximum")
            error(sub.loc, "sub-op '{}': {} cannot take dest as an operand", sub.name, sub.type);
        else if (k == 1 && !chip_.dest_any_operand)
            error(sub.loc, "sub-op '{}': on this chip dest can only be input 0", sub.name);
        if (previous_->mblock_m != sub.mblock_m || previous_->mblock_n != sub.mblock_n ||
            previous_->ublock_rt != sub.ublock_rt || previous_->ublock_ct != sub.ublock_ct)
            error(sub.loc, "sub-op '{}' takes dest from '{}' but has other mblock or ublock sizes", sub.name,
                  previous_->name);
    }

    void pop(const FusedSubOp& sub) {
        for (const auto* list : {&sub.pop, &sub.pop_last})
            for (const auto& operand : *list) {
                if (operand.kind != Kind::Intermed) continue;
                auto& written = live_[static_cast<std::size_t>(operand.index)];
                if (!written)
                    error(sub.loc, "sub-op '{}' pops {}, which holds no result here", sub.name, text(operand));
                written.reset();
            }
    }

    void write(const FusedSubOp& sub) {
        if (wrote_output_) error(sub.loc, "sub-op '{}' comes after the one that writes 'output'", sub.name);
        if (sub.output.kind == Kind::Output) wrote_output_ = true;
        // The SFPU has both operands of these ops in Dst.
        if (sub.output.kind == Kind::Dest && (is_quantization(sub) || sub.type == "maximum"))
            error(sub.loc, "sub-op '{}': {} cannot leave its result in dest", sub.name, sub.type);
        if (sub.output.kind == Kind::Dest && sub.type == "add" && takes_int32(op_, sub))
            error(sub.loc, "sub-op '{}': add of Int32 cannot leave its result in dest", sub.name);
        if (sub.output.kind != Kind::Intermed) return;
        auto& written = live_[static_cast<std::size_t>(sub.output.index)];
        if (written)
            error(sub.loc, "sub-op '{}' writes {} before the result of '{}' in it was popped", sub.name,
                  text(sub.output), written->by->name);
        written = Written{&sub, schedule_};
    }

    void check_end() {
        for (std::size_t i = 0; i < live_.size(); ++i)
            if (live_[i])
                error(live_[i]->by->loc,
                      "intermed{}, written by '{}', is never popped: its last reader needs pop or pop_last", i,
                      live_[i]->by->name);
        if (!wrote_output_) error(op_.fused->loc, "no sub-op writes 'output'");
    }

    const OpConfig& op_;
    const ChipFeatures& chip_;
    Diagnostics& out_;
    std::vector<std::optional<Written>> live_;
    std::size_t schedule_ = 0;
    const FusedSubOp* previous_ = nullptr;
    bool wrote_output_ = false;
};

}  // namespace

void check_fused(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out) {
    if (op.fused == nullptr)
        return out.error(op.loc, "op '{}': fused_op_id '{}' is not defined in fused_ops", op.name, op.attr.fused_op_id);
    if (!operands_complete(op)) return;
    constexpr std::int64_t max_intermediates = 8;
    const auto& fused = *op.fused;
    if (fused.intermediates < 0 || fused.intermediates > max_intermediates)
        return out.error(fused.loc, "fused op '{}' has {} intermediates, 0 to {} are possible", fused.id,
                         fused.intermediates, max_intermediates);
    FusedCheck(op, chip, out).run();
}

}  // namespace ttsim::impl
