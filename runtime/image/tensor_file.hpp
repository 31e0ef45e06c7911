// Queue entries as files of an image: `.bin`, row-major numbers of a host type, and `.tbin`, the bytes of the queue's
// slots.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"
#include "runtime/image/device_record.hpp"
#include "runtime/image/tilized.hpp"

namespace ttsim::impl::image {

/// An entry of the queue as .bin, in the smallest host type of the queue's family that represents all values exactly.
/// `file`: its name in the image.
struct TensorFile {
    StoredTensor stored;
    std::string bytes;
};
TensorFile to_bin(const Queue& queue, const Tensor& entry, const std::string& file);
/// An entry as .tbin, rounded to the queue's format.
TensorFile to_tbin(const Queue& queue, const Tensor& entry, const std::string& file, const Tilizer& tilizer);

/// Throws Error(Input) at `place` if a file of `size` bytes, its description and the queue are inconsistent;
/// Error(Unsupported) as tilize() does.
void check_file(const Queue& queue, const StoredTensor& stored, std::size_t size, const std::string& place);
/// Decodes a checked file to a float32 entry.
Tensor from_file(const Queue& queue, const StoredTensor& stored, std::string_view bytes);

/// "tensors/torch.Tensor.NAME.bin"; '/' in the name becomes '_'.
std::string tensor_file_name(const std::string& queue, const std::string& extension);

}  // namespace ttsim::impl::image
