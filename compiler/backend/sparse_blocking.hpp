// Blocks a sparse product on a grid: each grid row has its own list of distinct tiles and its own encoding.
#pragma once

#include "compiler/backend/sparse_pattern.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::ir {

/// Sets the encoding's attributes for the blocks of op.out and op.attr.u_kt, m_k, the shapes of operands 0 and 2, and
/// the strips per core (num_nz_strips). False if a field overflows, or a strip is longer than an encoding tile.
bool size_encoding(const SparsePattern& pattern, OpConfig& op);

/// Operands 0 and 2 as {1, rows, columns} elements; floats hold the bits of the encoding.
struct SparseParts {
    LiteralPtr tiles, encoding;
};
SparseParts make_parts(const SparsePattern& pattern, const OpConfig& op);

}  // namespace ttsim::impl::ir
