// A sparse product on a grid: each grid row of cores has its own list of distinct tiles and its own encoding.
#pragma once

#include "compiler/backend/sparse_pattern.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

/// Sizes the fields of the encoding for the blocks of op.out and op.attr.u_kt, m_k: attributes and the shapes of
/// operands 0 and 2, and the strips each core takes (num_nz_strips). False when a field cannot hold what it must, or a
/// strip is longer than an encoding tile.
bool size_encoding(const SparsePattern& pattern, OpConfig& op);

/// Operands 0 and 2 as {1, rows, columns} elements; the encoding as bits inside floats.
struct SparseParts {
    LiteralPtr tiles, encoding;
};
SparseParts make_parts(const SparsePattern& pattern, const OpConfig& op);

}  // namespace ttsim::impl::ir
