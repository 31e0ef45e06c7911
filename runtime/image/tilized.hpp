// Entries of a queue as they lie in its slots: what `.tbin` files of images hold.
//
// A buffer for each cell of the grid, row-major; in it, slice by slice, the ublocks in the queue's order, each of
// row-major tiles: 16 bytes of header (the tile's bytes / 16, then zeros), exponents, elements, filled up to 32 bytes.
// Flat queues have lines of elements without headers. Raw formats are linear memory, 1,024 numbers a tile.
#pragma once

#include <string>
#include <string_view>

#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::image {

/// How the original's two tilizers differ: the one in vector code can be told not to round Bfp8 and Bfp8_b, the other
/// one always rounds and takes every format.
struct Tilizer {
    bool scalar = false;    ///< TT_BACKEND_FORCE_SW_OFFLINE_TILIZE
    bool truncate = false;  ///< TT_BACKEND_DISABLE_BFP_RTE
};
/// As the environment says; a variable that is 0 or empty is off.
Tilizer tilizer_of_environment();

/// Bytes of one buffer of one entry, without the queue's header. Throws as tilize() does.
std::int64_t tilized_buffer_bytes(const Queue& queue);

/// Rounds an entry as tilize() does before it lays it out. Doing so again changes nothing.
void round_to_queue(const Queue& queue, Tensor& entry, const Tilizer& tilizer);
/// Whether the tilizer in vector code takes numbers of a host type to such a queue.
bool in_vector_code(DataFormat host, const Queue& queue, const Tilizer& tilizer);

/// All buffers of one entry. Throws Error(Unsupported) for block floats in a flat queue, which the format lacks.
std::string tilize(const Queue& queue, Tensor entry, const Tilizer& tilizer);
/// The entry back; `bytes` has the size of all buffers. Throws as tilize() does.
Tensor untilize(const Queue& queue, std::string_view bytes);

/// A raw entry as linear memory: the numbers of its tiles one after the other, in the order of the slot.
std::vector<float> linear(const Queue& queue, const Tensor& entry);
Tensor from_linear(const Queue& queue, const std::vector<float>& values);

}  // namespace ttsim::impl::image
