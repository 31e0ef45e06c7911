#include "kernels/ops/product_checks.hpp"

#include "kernels/ops/op_checks.hpp"

namespace ttsim::impl {

std::int64_t slices_per_output(const OpConfig& op) { return op.attr.accumulate && op.attr.z > 0 ? op.attr.z : 1; }

void check_inner_blocks(const OpConfig& op, Diagnostics& out) {
    if (op.attr.m_k < 1 || op.attr.u_kt < 1)
        out.error(op.loc, "op '{}': {} needs attributes m_k and u_kt of at least 1, they are {} and {}", op.name,
                  op.type, op.attr.m_k, op.attr.u_kt);
}

void expect_shape(const OpConfig& op, std::size_t operand, TileShape want, std::string_view text, Diagnostics& out) {
    const auto& have = op.in[operand];
    if (have == want) return;
    out.error(op.loc, "op '{}': input {} has {} tiles after its TMs, must have {} ({})", op.name, operand,
              shape_text(have), shape_text(want), text);
}

void check_product_tiles(const OpConfig& op, Diagnostics& out) {
    if (op.attr.sfpu_gelu && op.tile.h < tile_edge)
        out.error(op.loc, "op '{}': sfpu_op gelu needs tiles of 32 rows, tile_dim is {}", op.name, op.tile);
}

static void check_integers(const OpConfig& op, std::size_t next, Diagnostics& out) {
    const auto& a = op.attr;
    const auto in1 = op.in_df[1];
    if (in1 != DataFormat::Int8 && in1 != DataFormat::UInt8)
        out.error(op.loc, "op '{}': input 1 of an integer {} is {}, must be Int8 or UInt8", op.name, op.type,
                  to_string(in1));
    if (op.fidelity != Fidelity::HiFi4)
        out.error(op.loc, "op '{}': an integer {} needs math_fidelity HiFi4, not {}", op.name, op.type,
                  to_string(op.fidelity));
    if (op.acc_df != DataFormat::Int32)
        out.error(op.loc, "op '{}': an integer {} needs acc_df Int32, not {}", op.name, op.type, to_string(op.acc_df));
    if (a.l1_acc) out.error(op.loc, "op '{}': an integer {} cannot use l1_acc", op.name, op.type);
    if (a.min_buffer_input == 1)
        out.error(op.loc, "op '{}': min_buffer_input of an integer {} cannot be 1", op.name, op.type);
    if (a.sfpu_gelu) out.error(op.loc, "op '{}': an integer {} cannot use sfpu_op", op.name, op.type);
    if (a.bias && op.in_df[next] != DataFormat::Int32)
        out.error(op.loc, "op '{}': the bias of an integer {} is {}, must be Int32", op.name, op.type,
                  to_string(op.in_df[next]));
    const auto scale = next + (a.bias ? 1 : 0);
    if ((a.requant || a.dequant) && op.in_df[scale] != DataFormat::Float32)
        out.error(op.loc, "op '{}': input {}, the scale of requant or dequant, is {}, must be Float32", op.name, scale,
                  to_string(op.in_df[scale]));
    if (a.requant && op.out_df != DataFormat::Int8)
        out.error(op.loc, "op '{}': requant gives Int8, out_df is {}", op.name, to_string(op.out_df));
}

void check_product_rules(const OpConfig& op, std::size_t next, Diagnostics& out) {
    const auto& a = op.attr;
    if (op.out.order != UblockOrder::Row)
        out.error(op.loc, "op '{}': {} needs ublock_order r, not c", op.name, op.type);
    for (auto k = next; k < op.in.size(); ++k) expect_shape(op, k, op.out.shape(), "as the output", out);
    if (a.requant && a.dequant) out.error(op.loc, "op '{}': requant and dequant exclude each other", op.name);
    if (is_integer(op.in_df[0]))
        check_integers(op, next, out);
    else if (a.requant || a.dequant)
        out.error(op.loc, "op '{}': requant and dequant need integer inputs, input 0 is {}", op.name,
                  to_string(op.in_df[0]));
}

}  // namespace ttsim::impl
