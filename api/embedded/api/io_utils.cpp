#include <io_utils.h>

#include <algorithm>

#include "api/embedded/api/memory.hpp"
#include "api/embedded/api/names.hpp"
#include "api/embedded/api/registry.hpp"

namespace tt::io::utils {

tt_dram_io_desc get_queue_descriptor(const std::shared_ptr<tt_backend>& backend, const std::string& queue) {
    tt_dram_io_desc q = backend->get_queue_descriptor(queue);
    if (tt::backend::translate_addresses(q) != DEVICE_STATUS_CODE::Success)
        throw std::runtime_error(tt::backend::last_error());
    return q;
}

std::vector<std::uint32_t> get_tensor_shape_from_model(const std::string& name,
                                                       const std::shared_ptr<tt_device_image>& model,
                                                       const tt_dram_io_desc& q) {
    const auto prestrides = model->get_io_prestride_map();
    if (const auto found = prestrides.find(name); found != prestrides.end()) {
        const auto& [z, y, x, stride] = found->second;
        return {q.input_count, z, y, x};
    }
    return {q.input_count, q.t / (q.hstack_factor * q.vstack_factor),
            q.bufq_grid_dim_r * q.mblock_m * q.ublock_rt * q.tile_height,
            q.bufq_grid_dim_c * q.mblock_n * q.ublock_ct * q.tile_width};
}

DataFormat get_pytorch_tensor_format_from_queue(const tt_dram_io_desc& q) {
    if (q.bufq_target_format == DataFormat::UInt16 || q.bufq_target_format == DataFormat::Lf8)
        throw std::runtime_error("queue '" + q.queue_name + "': no tensor has numbers of " +
                                 get_string(q.bufq_target_format));
    return tt_backend_api::format_named(tt_backend_api::find(q)->queues->queue(q.queue_name).host_format);
}

tt_PytorchTensorDesc to_tensor_descptor(std::uint32_t w, std::uint32_t z, std::uint32_t r, std::uint32_t c,
                                        DataFormat format, unsigned dim) {
    const std::uint32_t bytes = tt::backend::sizeof_format(format);
    return {nullptr, bytes, format, {w, z, r, c}, {z * r * c * bytes, r * c * bytes, c * bytes, bytes}, dim};
}

tt_PytorchTensorDesc get_tensor_descriptor(const std::string& name, const std::shared_ptr<tt_device_image>& model,
                                           const tt_dram_io_desc& q) {
    const std::vector<std::uint32_t> shape = get_tensor_shape_from_model(name, model, q);
    tt_PytorchTensorDesc desc =
        to_tensor_descptor(shape[0], shape[1], shape[2], shape[3], get_pytorch_tensor_format_from_queue(q));
    desc.owner = OWNERSHIP::Backend;
    return desc;
}

void fill_tensor_with_data(const std::string& name, tt_PytorchTensorDesc& tensor) {
    std::size_t bytes = tensor.itemsize;
    for (const std::uint32_t size : tensor.shape) bytes *= size;
    if (bytes == 0) throw std::runtime_error("tensor '" + name + "' has no size: fill its shape and itemsize first");
    tensor.ptr = tt_backend_api::keep(std::make_shared<std::vector<std::uint32_t>>((bytes + 3) / 4));
    tensor.owner = OWNERSHIP::Backend;
}

}  // namespace tt::io::utils
