// Queue entries in the layout of the queue's slots: the contents of `.tbin` files.
// One buffer per grid cell, row-major; in it, by slices, the ublocks in the queue's order, each of row-major tiles: 16
// bytes of header (the tile's bytes / 16, then zeros), exponents, elements, padded to 32 bytes. Flat queues have lines
// of elements without headers. Raw formats are linear memory, 1,024 numbers per tile.
#pragma once

#include <string>
#include <string_view>

#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::image {

/// Settings of the vendor's two tilizers: the vectorized one can disable rounding of Bfp8 and Bfp8_b; the scalar one
/// always rounds and accepts every format.
struct Tilizer {
    bool scalar = false;    ///< TT_BACKEND_FORCE_SW_OFFLINE_TILIZE
    bool truncate = false;  ///< TT_BACKEND_DISABLE_BFP_RTE
};
/// Reads the settings from the environment; a variable that is 0 or empty is off.
Tilizer tilizer_of_environment();

/// Bytes of one buffer of one entry, without the queue's header. Throws as tilize() does.
std::int64_t tilized_buffer_bytes(const Queue& queue);

/// Rounds an entry as tilize() does before encoding. Idempotent.
void round_to_queue(const Queue& queue, Tensor& entry, const Tilizer& tilizer);
/// Whether the vectorized tilizer supports the host type and queue.
bool uses_vector_tilizer(DataFormat host, const Queue& queue, const Tilizer& tilizer);

/// Encodes all buffers of an entry. Throws Error(Unsupported) for block floats in a flat queue, which the format does
/// not support.
std::string tilize(const Queue& queue, Tensor entry, const Tilizer& tilizer);
/// Decodes an entry; `bytes` has the size of all buffers. Throws as tilize() does.
Tensor untilize(const Queue& queue, std::string_view bytes);

/// A raw entry as linear memory: the numbers of its tiles in slot order.
std::vector<float> linear(const Queue& queue, const Tensor& entry);
Tensor from_linear(const Queue& queue, const std::vector<float>& values);

}  // namespace ttsim::impl::image
