#include "api/embedded/api/device_image.hpp"

#include <algorithm>
#include <filesystem>

#include "api/embedded/api/names.hpp"

namespace tt {

tt_device_image::tt_device_image(const std::string& tti_path, const std::string& output_path)
    : impl_(std::make_unique<Impl>(Impl{tt::bridge::open_image(tti_path, output_path)})) {}
tt_device_image::~tt_device_image() = default;

std::string tt_device_image::arch() const { return impl_->facts.arch; }
std::string tt_device_image::backend() const { return impl_->facts.devtype; }
std::string tt_device_image::get_netlist_path() const { return impl_->facts.netlist_file; }
std::string tt_device_image::get_model_path(const std::string& relative) const {
    return (std::filesystem::path(impl_->facts.folder) / relative).string();
}
std::vector<std::string> tt_device_image::get_graph_input_names() const { return impl_->facts.inputs; }
std::vector<std::string> tt_device_image::get_graph_output_names() const { return impl_->facts.outputs; }
std::vector<std::string> tt_device_image::get_graph_intermediate_names() const { return impl_->facts.intermediates; }

std::vector<std::string> tt_device_image::get_graph_constant_and_parameter_names() const {
    std::vector<std::string> all;
    for (const auto* names : {&impl_->facts.constants, &impl_->facts.parameters}) {
        const std::set<std::string> sorted(names->begin(), names->end());
        all.insert(all.end(), sorted.begin(), sorted.end());
    }
    return all;
}

std::unordered_map<std::string, prestride_info> tt_device_image::get_io_prestride_map() const {
    std::unordered_map<std::string, prestride_info> map;
    for (const auto& [name, p] : impl_->facts.prestrides) map.emplace(name, prestride_info{p.z, p.y, p.x, p.stride});
    return map;
}

tensor_meta tt_device_image::get_tensor_meta(const std::string& name) const {
    const auto found = impl_->facts.tensors.find(name);
    if (found == impl_->facts.tensors.end())
        throw std::runtime_error(impl_->facts.folder + "/device.json: it has no values of '" + name +
                                 "'; get_graph_constant_and_parameter_names() lists those it has");
    const tt::bridge::ImageTensor& tensor = found->second;
    const DataFormat format = tt_backend_api::format_named(tensor.format);
    const std::string path = get_model_path(tensor.file);
    if (tensor.tilized) return {path, tensor.buffers, format, {}, {}, tensor.buffer_bytes};
    return {path, tensor.itemsize, format, tensor.shape, tensor.strides, tensor.dim};
}

}  // namespace tt
