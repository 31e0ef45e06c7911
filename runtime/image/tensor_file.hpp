// Values of a queue's entries as files of an image: `.bin`, row-major numbers of a host type, and `.tbin`, the bytes as
// they lie in the queue's slots.
#pragma once

#include <string>

#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"
#include "runtime/image/device_record.hpp"
#include "runtime/image/tilized.hpp"

namespace tt::image {

/// One entry of the queue as .bin: in the narrowest host type of the queue's family that holds all values exactly.
/// `file`: its name in the image.
struct TensorFile {
    StoredTensor stored;
    std::string bytes;
};
TensorFile to_bin(const Queue& queue, const Tensor& entry, const std::string& file);
/// The same as .tbin: rounded to the queue's format.
TensorFile to_tbin(const Queue& queue, const Tensor& entry, const std::string& file, const Tilizer& tilizer);

/// The entry back as float32. Throws Error(Input) at `place` when file, description and queue do not fit together.
Tensor from_file(const Queue& queue, const StoredTensor& stored, const std::string& bytes, const std::string& place);

/// "tensors/torch.Tensor.NAME.bin"; a '/' of the name becomes '_'.
std::string tensor_file_name(const std::string& queue, const std::string& extension);

}  // namespace tt::image
