// Helpers that create descriptors of queues and tensors from a backend and an image.
#pragma once

#include <tt_backend_api.hpp>

namespace tt::io::utils {

/// Descriptor of a queue with translated addresses. Throws std::runtime_error for an unknown queue.
TT_BACKEND_API tt_dram_io_desc get_queue_descriptor(const std::shared_ptr<tt_backend>& backend,
                                                    const std::string& queue);
/// Descriptor of an input without memory, owned by the backend. Shape and format are those of the next two functions.
TT_BACKEND_API tt_PytorchTensorDesc get_tensor_descriptor(const std::string& name,
                                                          const std::shared_ptr<tt_device_image>& model,
                                                          const tt_dram_io_desc& q);
/// Shape [input_count, z, y, x] in elements of the tensor to push.
TT_BACKEND_API std::vector<std::uint32_t> get_tensor_shape_from_model(const std::string& name,
                                                                      const std::shared_ptr<tt_device_image>& model,
                                                                      const tt_dram_io_desc& q);
/// Element type of the entries that get_output() returns. Throws for UInt16 and Lf8.
TT_BACKEND_API DataFormat get_pytorch_tensor_format_from_queue(const tt_dram_io_desc& q);
/// Descriptor of a contiguous tensor of w x z x r x c elements, without memory.
TT_BACKEND_API tt_PytorchTensorDesc to_tensor_descptor(std::uint32_t w, std::uint32_t z, std::uint32_t r,
                                                       std::uint32_t c, DataFormat format,
                                                       unsigned dim = PY_TENSOR_DIMS);
/// Allocates zeroed backend memory for the tensor, which the program fills.
TT_BACKEND_API void fill_tensor_with_data(const std::string& name, tt_PytorchTensorDesc& tensor);

}  // namespace tt::io::utils
