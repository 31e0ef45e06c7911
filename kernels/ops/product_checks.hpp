// Attributes and rules shared by matmul, sparse matmul and depthwise.
#pragma once

#include <string_view>

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

inline constexpr AttrDef attr_bias{.name = "bias",
                                   .kind = AttrKind::Bool,
                                   .default_text = "false",
                                   .meaning =
                                       "one more input, whose row 0 of each tile is added to every row of the tile "
                                       "(integers: the full tile)",
                                   .place = &at<&OpAttributes::bias>};
inline constexpr AttrDef attr_l1_acc{.name = "l1_acc",
                                     .kind = AttrKind::Bool,
                                     .default_text = "false",
                                     .meaning = "the packer adds partial sums in L1 (chips with l1_accumulate)",
                                     .place = &at<&OpAttributes::l1_acc>};
inline constexpr AttrDef attr_min_buffer_input{.name = "min_buffer_input",
                                               .kind = AttrKind::Integer,
                                               .default_text = "none",
                                               .meaning = "input that gets the smallest buffer",
                                               .low = -1,
                                               .high = 1,
                                               .place = &at<&OpAttributes::min_buffer_input>};
inline constexpr AttrDef attr_requant{
    .name = "requant",
    .kind = AttrKind::Bool,
    .default_text = "false",
    .meaning = "integers: result * scale + zero_point as Int8; scale is one more input",
    .place = &at<&OpAttributes::requant>};
inline constexpr AttrDef attr_dequant{.name = "dequant",
                                      .kind = AttrKind::Bool,
                                      .default_text = "false",
                                      .meaning = "integers: (result - zero_point) * scale; scale is one more input",
                                      .place = &at<&OpAttributes::dequant>};

/// Input slices per output slice.
std::int64_t slices_per_output(const OpConfig& op);

/// m_k and u_kt must be given.
void check_inner_blocks(const OpConfig& op, Diagnostics& out);
/// Operand k must have that shape; `text` describes it in words.
void expect_shape(const OpConfig& op, std::size_t operand, TileShape want, std::string_view text, Diagnostics& out);
/// Reports a fused gelu on small tiles.
void check_product_tiles(const OpConfig& op, Diagnostics& out);
/// Order, bias, requantization and integer rules; operands from `next` on are bias and scale.
void check_product_rules(const OpConfig& op, std::size_t next, Diagnostics& out);

}  // namespace ttsim::impl
