// Descriptors of queues and tensors, made from a backend and an image.
#pragma once

#include <tt_backend_api.hpp>

namespace tt::io::utils {

/// With its addresses translated.
TT_BACKEND_API tt_dram_io_desc get_queue_descriptor(const std::shared_ptr<tt_backend>& backend,
                                                    const std::string& queue);
/// Of an input, without memory: shape and format as the next two say; the backend's.
TT_BACKEND_API tt_PytorchTensorDesc get_tensor_descriptor(const std::string& name,
                                                          const std::shared_ptr<tt_device_image>& model,
                                                          const tt_dram_io_desc& q);
/// [input_count, z, y, x] of what is pushed.
TT_BACKEND_API std::vector<std::uint32_t> get_tensor_shape_from_model(const std::string& name,
                                                                      const std::shared_ptr<tt_device_image>& model,
                                                                      const tt_dram_io_desc& q);
/// The type in which get_output() gives entries. Throws for UInt16 and Lf8.
TT_BACKEND_API DataFormat get_pytorch_tensor_format_from_queue(const tt_dram_io_desc& q);
/// Contiguous, without memory.
TT_BACKEND_API tt_PytorchTensorDesc to_tensor_descptor(std::uint32_t w, std::uint32_t z, std::uint32_t r,
                                                       std::uint32_t c, DataFormat format,
                                                       unsigned dim = PY_TENSOR_DIMS);
/// Gives the tensor memory of the backend, all zeros, for the program to fill.
TT_BACKEND_API void fill_tensor_with_data(const std::string& name, tt_PytorchTensorDesc& tensor);

}  // namespace tt::io::utils
