// Attributes shared by several ops.
#pragma once

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

inline constexpr std::int64_t attr_lowest = -(std::int64_t{1} << 31);

inline constexpr AttrDef attr_vector{
    .name = "vector",
    .kind = AttrKind::Word,
    .default_text = "rc",
    .meaning =
        "part of each tile that is computed: r the first 4 rows, c the first 16 "
        "columns, rc all; tiles of at most 16 rows or columns are always computed completely",
    .words = "r|c|rc",
    .place = &enum_field<&OpAttributes::vector, VectorMode::R, VectorMode::C, VectorMode::RC>};
inline constexpr AttrDef attr_approximate_mode{
    .name = "approximate_mode",
    .kind = AttrKind::Bool,
    .default_text = "false",
    .meaning = "asks for the faster approximation; values here do not change",
    .place = &at<&OpAttributes::approximate_mode>};
inline constexpr AttrDef attr_sfpu_execution_thread{
    .name = "sfpu_execution_thread",
    .kind = AttrKind::Word,
    .default_text = "math",
    .meaning = "thread that runs the vector unit (pack: chips with sfpu_on_pack_thread)",
    .words = "math|pack",
    .place = &enum_field<&OpAttributes::sfpu_on_pack, false, true>};
inline constexpr AttrDef attr_zero_point{.name = "zero_point",
                                         .kind = AttrKind::Number,
                                         .default_text = "0",
                                         .meaning = "offset of the quantized scale",
                                         .low = attr_lowest,
                                         .place = &at<&OpAttributes::zero_point>};
inline constexpr AttrDef attr_m_k{.name = "m_k",
                                  .kind = AttrKind::Integer,
                                  .default_text = "0",
                                  .meaning = "number of blocks the inner dimension is cut into",
                                  .place = &at<&OpAttributes::m_k>};
inline constexpr AttrDef attr_u_kt{.name = "u_kt",
                                   .kind = AttrKind::Integer,
                                   .default_text = "0",
                                   .meaning = "tiles of the inner dimension in one block",
                                   .place = &at<&OpAttributes::u_kt>};

}  // namespace ttsim::impl
