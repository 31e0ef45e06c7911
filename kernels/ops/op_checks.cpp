#include "kernels/ops/op_checks.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "kernels/copy_ops.hpp"
#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

static bool is_small_block_float(DataFormat f) {
    return f == DataFormat::Bfp2 || f == DataFormat::Bfp2_b || f == DataFormat::Bfp4 || f == DataFormat::Bfp4_b;
}
static bool is_32bit_dest(DataFormat acc) { return acc == DataFormat::Float32 || acc == DataFormat::Int32; }

std::string shape_text(TileShape shape) { return fmt::format("{}x{}x{}", shape.z, shape.rt, shape.ct); }

bool operands_complete(const OpConfig& op) {
    const auto want = static_cast<std::size_t>(operand_count(op));
    return want > 0 && op.in.size() == want && op.in_df.size() == want && op.in_tile.size() == want;
}

int dest_limit(DataFormat acc_df, const ChipFeatures& chip) {
    return is_32bit_dest(acc_df) ? chip.dest_tiles_32b : chip.dest_tiles_16b;
}

void check_dest_limit(const OpConfig& op, std::int64_t tiles, const std::string& what, const ChipFeatures& chip,
                      Diagnostics& out) {
    const int limit = dest_limit(op.acc_df, chip);
    if (tiles <= limit) return;
    out.error(op.loc, "{} has {} tiles and does not fit into Dst; with acc_df {} at most {} tiles fit", what, tiles,
              to_string(op.acc_df), limit);
}

void check_eltwise_shapes(const OpConfig& op, Diagnostics& out) {
    const TileShape want = op.out.shape();
    for (std::size_t k = 0; k < op.in.size(); ++k) {
        if (op.in[k] == want) continue;
        out.error(op.loc,
                  "input {} of '{}' has {} tiles (slices x rows x columns) after its TMs; {} needs the output's {}", k,
                  op.name, shape_text(op.in[k]), op.type, shape_text(want));
    }
}

void check_same_tile_dim(const OpConfig& op, Diagnostics& out) {
    if (op.in_tile[0] == op.in_tile[1]) return;
    out.error(op.loc, "inputs of '{}' have tile_dim {} and {}; {} needs equal ones", op.name, op.in_tile[0],
              op.in_tile[1], op.type);
}

void check_relu(const OpAttributes& attr, DataFormat out_df, const std::string& name, const SourceLoc& loc,
                Diagnostics& out) {
    if (!attr.relu_en) return;
    if (attr.relu == ReluMode::None) {
        out.error(loc, "'{}' has relu_en without a relu_mode; it must be min or max", name);
    }
    if (!(attr.relu_threshold >= 0.0F)) {
        out.error(loc, "relu_threshold of '{}' is {}; it must be 0 or more", name, attr.relu_threshold);
    }
    if (out_df == DataFormat::Int8 && !(std::fabs(attr.relu_threshold) < 127.0F)) {
        out.error(loc, "relu_threshold of '{}' is {}; with out_df Int8 it must be below 127", name,
                  attr.relu_threshold);
    }
    if (out_df == DataFormat::Int32 && (attr.relu != ReluMode::Min || attr.relu_threshold != 0.0F)) {
        out.error(loc, "relu of '{}' must have relu_mode min and relu_threshold 0 with out_df Int32", name);
    }
}

// --- the parts of check_common ----------------------------------------------------------------------------------

static void check_counts(const OpConfig& op, const OpDef& def, Diagnostics& out) {
    const int want = operand_count(op);
    if (op.in.size() != static_cast<std::size_t>(want)) {
        out.error(op.loc, "'{}' has {} inputs; {} needs {} here", op.name, op.in.size(), op.type, want);
    } else if (want < def.min_inputs || want > def.max_inputs) {
        out.error(op.loc, "'{}' has {} inputs; {} takes {} to {}", op.name, want, op.type, def.min_inputs,
                  def.max_inputs);
    }
    if (op.in_df.size() != op.in.size()) {
        out.error(op.loc, "in_df of '{}' lists {} formats for {} inputs", op.name, op.in_df.size(), op.in.size());
    }
    const Blocking& b = op.out;
    const std::pair<const char*, std::int64_t> sizes[] = {{"grid_size rows", b.grid_r},
                                                          {"grid_size columns", b.grid_c},
                                                          {"mblock rows", b.mblock_m},
                                                          {"mblock columns", b.mblock_n},
                                                          {"ublock rows", b.ublock_rt},
                                                          {"ublock columns", b.ublock_ct},
                                                          {"t", b.t}};
    for (const auto& [what, n] : sizes) {
        if (n < 1) out.error(op.loc, "{} of '{}' is {}; it must be 1 or more", what, op.name, n);
    }
}

/// Checks attributes against their definitions. The reader checks files by the same definitions; a default value may
/// mean "not given".
static void check_attributes(const OpConfig& op, const OpDef& def, Diagnostics& out) {
    for (const AttrDef& attr : def.attributes) {
        if (is_default(op.attr, attr)) continue;
        const AttrValue value = attribute(op.attr, attr);
        if (attr.kind == AttrKind::Integer || attr.kind == AttrKind::Number) {
            const double number = attribute_number(op.attr, attr);
            if (!(number >= static_cast<double>(attr.low) && number <= static_cast<double>(attr.high)))
                out.error(op.loc, "{} of '{}' is {}; it must lie in {}..{}", attr.name, op.name, number, attr.low,
                          attr.high);
        } else if (attr.kind == AttrKind::Word && !attr.words.empty()) {
            const std::vector<std::string> words = attribute_words(attr);
            if (std::find(words.begin(), words.end(), std::get<std::string>(value)) == words.end())
                out.error(op.loc, "{} of '{}' is '{}'; it must be one of {}", attr.name, op.name,
                          std::get<std::string>(value), fmt::join(words, ", "));
        }
    }
}

static void check_chip(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out) {
    if (!chip.fp32_dest && is_32bit_dest(op.acc_df)) {
        out.error(op.loc, "acc_df of '{}' is {}; this chip's Dst has 16-bit formats only: Float16 or Float16_b",
                  op.name, to_string(op.acc_df));
    }
    const std::string& mode = op.attr.stoch_rnd_mode;
    if (mode != "none" && mode != "fpu" && mode != "pack" && mode != "all") {
        out.error(op.loc, "stoch_rnd_mode of '{}' is '{}'; it must be none, fpu, pack or all", op.name, mode);
    } else if (mode != "none") {
        if (!chip.stochastic_rounding) {
            out.error(op.loc,
                      "'{}' asks for stochastic rounding, which this chip does not have; leave stoch_rnd_mode out",
                      op.name);
        }
        if (mode != "fpu" && op.out_df == DataFormat::Bfp8) {
            out.error(op.loc, "stoch_rnd_mode {} of '{}' cannot be used with out_df Bfp8; fpu can", mode, op.name);
        }
        if (mode != "pack" && op.acc_df == DataFormat::Float32) {
            out.error(op.loc, "stoch_rnd_mode {} of '{}' cannot be used with acc_df Float32; pack can", mode, op.name);
        }
    }
    if (op.attr.sfpu_on_pack && !chip.sfpu_on_pack_thread) {
        out.error(op.loc, "sfpu_execution_thread of '{}' is pack; on this chip it must be math", op.name);
    }
    if (op.attr.l1_acc && !chip.l1_accumulate) {
        out.error(op.loc, "'{}' has l1_acc, which this chip's packer does not have; leave it out", op.name);
    } else if (op.attr.l1_acc && op.intermed_df != DataFormat::Float32 && op.intermed_df != DataFormat::Float16_b &&
               op.intermed_df != DataFormat::Int32) {
        out.error(op.loc, "intermed_df of '{}' is {}; with l1_acc it must be Float32, Float16_b or Int32", op.name,
                  to_string(op.intermed_df));
    }
}

static void check_tile_dims(const OpConfig& op, const OpDef& def, const ChipFeatures& chip, Diagnostics& out) {
    const auto one = [&](TileDim dim, const std::string& what) {
        if (!is_legal(dim)) {
            out.error(op.loc, "tile_dim of {} is {}; legal are 32x32, 16x32, 32x16, 8x32, 4x32, 2x32 and 1x32", what,
                      dim);
        } else if (dim != TileDim{} && !chip.tiny_tiles) {
            out.error(op.loc, "tile_dim of {} is {}; on this chip it must be 32x32", what, dim);
        }
    };
    bool tiny = op.tile != TileDim{};
    one(op.tile, fmt::format("'{}'", op.name));
    for (std::size_t k = 0; k < op.in_tile.size(); ++k) {
        if (op.in_tile[k] != op.tile) one(op.in_tile[k], fmt::format("input {} of '{}'", k, op.name));
        tiny = tiny || op.in_tile[k] != TileDim{};
    }
    if (!tiny) return;
    const bool supports_tiny = def.op_class == OpClass::Sfpu || def.op_class == OpClass::Binary ||
                               def.op_class == OpClass::SfpuBinary || def.op_class == OpClass::Matmul ||
                               def.op_class == OpClass::SparseMatmul || def.op_class == OpClass::Reduce ||
                               def.op_class == OpClass::Ethernet || is_core_copy(op.type) || op.type == "tilizer";
    if (!supports_tiny) {
        out.error(op.loc, "'{}' has tiles other than 32x32, which {} does not support", op.name, op.type);
    }
    const auto forbids_tiny = [](DataFormat f) { return f == DataFormat::Int8 || f == DataFormat::Int32; };
    if (forbids_tiny(op.out_df) || std::any_of(op.in_df.begin(), op.in_df.end(), forbids_tiny)) {
        out.error(op.loc, "'{}' has tiles other than 32x32, which Int8 and Int32 do not support", op.name);
    }
    if (op.gradient && op.type == "matmul") {
        out.error(op.loc, "'{}' is a gradient_op; it needs tiles of 32x32", op.name);
    }
}

static void check_gradient(const OpConfig& op, const OpDef& def, const ChipFeatures& chip, Diagnostics& out) {
    if (!op.gradient) return;
    if (!def.gradient_on_all_chips && !(def.gradient_if_any_op && chip.gradient_any_op)) {
        out.error(op.loc, "'{}' is a gradient_op, which {} cannot be on this chip; {} can", op.name, op.type,
                  chip.gradient_any_op ? "matmul, datacopy, add, subtract, multiply and maximum"
                                       : "matmul, multiply and datacopy");
    }
    if (op.out_df != op.intermed_df) {
        out.error(op.loc, "'{}' is a gradient_op with out_df {} and intermed_df {}; they must be equal", op.name,
                  to_string(op.out_df), to_string(op.intermed_df));
    }
    if (op.acc_df == DataFormat::Int32) {
        out.error(op.loc, "'{}' is a gradient_op with acc_df Int32; it must be a float format", op.name);
    }
    if (op.attr.identity) {
        out.error(op.loc, "'{}' is a gradient_op and an identity matmul; only one of both can be", op.name);
    }
}

static void check_untilize(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out) {
    if (!op.untilize) return;
    if (op.out.order != UblockOrder::Row) {
        out.error(op.loc, "'{}' has untilize_output; its ublock_order must be r", op.name);
    }
    const bool is_float =
        op.out_df == DataFormat::Float16 || op.out_df == DataFormat::Float16_b || op.out_df == DataFormat::Float32;
    const bool is_int = op.out_df == DataFormat::Int8 || op.out_df == DataFormat::Int32;
    if (!is_float && !(is_int && chip.untilize_integers)) {
        out.error(op.loc, "'{}' has untilize_output with out_df {}; it must be Float16, Float16_b or Float32{}",
                  op.name, to_string(op.out_df), chip.untilize_integers ? ", Int8 or Int32" : "");
    }
    if (op.type == "matmul" && op.attr.m_k > 1) {
        out.error(op.loc, "'{}' has untilize_output with m_k {}; a matmul needs m_k 1 for it", op.name, op.attr.m_k);
    }
    if (op.type == "reduce" && op.attr.reduce_dim == ReduceDim::Z) {
        out.error(op.loc, "'{}' has untilize_output, which a reduce along z cannot; leave it out", op.name);
    }
}

static void check_integers(const OpConfig& op, const OpDef& def, Diagnostics& out) {
    const bool moves = def.op_class == OpClass::Ethernet || op.type == "embedding";
    bool integer = false;
    const auto one = [&](DataFormat f, const std::string& what) {
        if (f == DataFormat::UInt16) {
            if (op.type != "topk" && !moves) out.error(op.loc, "{} is UInt16, which only topk takes", what);
            return;
        }
        integer = integer || is_integer(f);
        const bool computes =
            def.op_class == OpClass::Binary || def.op_class == OpClass::SfpuBinary || def.op_class == OpClass::Sfpu;
        if (is_raw(f) && computes) {
            out.error(op.loc, "{} is {}, with which {} cannot compute; raw formats can only be moved", what,
                      to_string(f), op.type);
        }
    };
    for (std::size_t k = 0; k < op.in_df.size(); ++k) one(op.in_df[k], fmt::format("in_df[{}] of '{}'", k, op.name));
    one(op.out_df, fmt::format("out_df of '{}'", op.name));
    if (moves) return;
    if (integer && !def.integer_capable) {
        out.error(op.loc, "'{}' has integer formats, which {} cannot take", op.name, op.type);
    } else if (integer && op.acc_df != DataFormat::Int32) {
        out.error(op.loc, "acc_df of '{}' is {}; with integer formats it must be Int32", op.name, to_string(op.acc_df));
    } else if (!integer && is_integer(op.acc_df) &&
               def.op_class != OpClass::Fused) {  // sub-ops may quantize, so they may need an integer Dst
        out.error(op.loc, "acc_df of '{}' is {}, but none of its inputs nor its output is an integer", op.name,
                  to_string(op.acc_df));
    }
}

static void check_broadcasts(const OpConfig& op, Diagnostics& out) {
    const auto one = [&](const std::map<int, std::int64_t>& entries, const char* what) {
        for (const auto& [input, tiles] : entries) {
            if (input < 0 || static_cast<std::size_t>(input) >= op.in.size()) {
                out.error(op.loc, "{} of '{}' names input {}; it has {} inputs", what, op.name, input, op.in.size());
            }
            if (tiles < 1) {
                out.error(op.loc, "{} of '{}' gives input {} {} tiles; it must be 1 or more", what, op.name, input,
                          tiles);
            }
        }
    };
    one(op.attr.kernel_broadcast, "kernel_broadcast");
    one(op.attr.kernel_broadcast_per_t, "kernel_broadcast_per_t");
    for (const auto& [input, tiles] : op.attr.kernel_broadcast_per_t) {
        if (op.attr.kernel_broadcast.contains(input)) {
            out.error(op.loc,
                      "input {} of '{}' is in kernel_broadcast and in kernel_broadcast_per_t; only one may name it",
                      input, op.name);
        }
    }
}

void check_common(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out) {
    const OpDef* def = find_op(op.type);
    if (def == nullptr) {
        out.error(op.loc, "'{}' has the unknown type '{}'", op.name, op.type);
        return;
    }
    check_counts(op, *def, out);
    check_attributes(op, *def, out);
    check_chip(op, chip, out);
    if (op.type == "topk") {
        check_dest_limit(op, op.out.ublock_rt * op.attr.u_kt, fmt::format("ublock row by u_kt of '{}'", op.name), chip,
                         out);
    } else if (def->op_class != OpClass::Ethernet) {
        check_dest_limit(op, op.out.ublock_tiles(),
                         fmt::format("the {}x{} ublock of '{}'", op.out.ublock_rt, op.out.ublock_ct, op.name), chip,
                         out);
    }
    check_tile_dims(op, *def, chip, out);
    check_relu(op.attr, op.out_df, op.name, op.loc, out);
    check_gradient(op, *def, chip, out);
    check_untilize(op, chip, out);
    check_integers(op, *def, out);
    check_broadcasts(op, out);
    const bool accumulates = op.gradient || (def->op_class == OpClass::Matmul && op.attr.m_k > 1);
    if (accumulates && is_small_block_float(op.intermed_df)) {
        out.error(op.loc, "intermed_df of '{}' is {}, too coarse for partial sums; use Bfp8, Float16 or wider", op.name,
                  to_string(op.intermed_df));
    }
}

}  // namespace ttsim::impl
