// Stimulus of the sparse ("identity") matmul: selection tiles for operand 0, a valid encoding for operand 2.
#pragma once

#include "netlist/netlist.hpp"
#include "netlist/stimulus/generator.hpp"

namespace ttsim::impl {

/// Sets a single 1 per row of every tile, in a random column.
void fill_sparse_tiles(Tensor& entry, TileDim tile, Mt19937& engine);

/// Random encodings for all parts of operand 2 of `op`, with the zero frequencies (or counts) of `stimulus`. An
/// encoding that does not fit the queue's tiles is drawn again, sparser each time.
void fill_sparse_encoding(Tensor& entry, const Queue& queue, const Op& op, const Stimulus& stimulus, Mt19937& engine);

}  // namespace ttsim::impl
