// Opens a device image for the interface: unpacks it and reads its record.
#include <filesystem>

#include "api/embedded/bridge/guard.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/tensor_file.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::bridge {

namespace {

template <class From>
Sizes sizes_of(const From& from) {
    Sizes sizes{};
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = static_cast<std::uint32_t>(from[k]);
    return sizes;
}

ImageTensor tensor_of(const impl::image::StoredTensor& stored) {
    ImageTensor tensor;
    tensor.file = stored.file;
    tensor.format = to_string(stored.format);
    tensor.itemsize = static_cast<std::uint32_t>(stored.itemsize);
    tensor.dim = static_cast<std::uint32_t>(stored.dim);
    tensor.tilized = stored.tilized;
    tensor.buffers = static_cast<std::uint32_t>(stored.num_buffers);
    tensor.buffer_bytes = static_cast<std::uint32_t>(stored.buffer_bytes);
    tensor.shape = sizes_of(stored.shape);
    tensor.strides = sizes_of(stored.strides);
    return tensor;
}

/// Shapes are [w, z, y, x]; missing leading sizes are 1.
Prestride prestride_of(const impl::image::TensorTransform& transform, const std::string& name,
                       const std::string& place) {
    impl::image::Shape shape = transform.original;
    while (shape.size() < 4) shape.insert(shape.begin(), 1);
    if (shape.size() > 4 || transform.stride < 1)
        impl::fail_input({place, 0, 0}, "'{}': a Prestride needs an original_shape of four sizes and a stride", name);
    const auto size = [&](std::size_t k) { return static_cast<std::uint32_t>(shape[k]); };
    return {size(1), size(2), size(3), static_cast<std::uint32_t>(transform.stride),
            static_cast<std::uint32_t>(transform.kernel)};
}

ImageFacts facts_of(const std::string& folder) {
    const impl::image::DeviceRecord record = impl::image::read_summary(folder).record;
    ImageFacts facts;
    facts.folder = (fs::path(folder) / impl::image::image_folder).string();
    facts.netlist_file = (fs::path(facts.folder) / fs::path(record.netlist).filename()).string();
    facts.arch = record.arch;
    facts.devtype = record.devtype;
    facts.inputs = record.inputs;
    facts.outputs = record.outputs;
    facts.constants = record.constants;
    facts.parameters = record.parameters;
    for (const auto& [op, queue] : record.intermediates) facts.intermediates.push_back(queue);
    for (std::size_t k = 0; k < record.inputs.size() && k < record.input_transforms.size(); ++k)
        if (record.input_transforms[k].type == "Prestride")
            facts.prestrides[record.inputs[k]] =
                prestride_of(record.input_transforms[k], record.inputs[k], facts.folder + "/device.json");
    for (const auto* values : {&record.constant_values, &record.parameter_values})
        for (const auto& [name, stored] : *values) facts.tensors[name] = tensor_of(stored);
    if (!fs::exists(facts.netlist_file))
        impl::fail_input({facts.netlist_file, 0, 0}, "device.json names this netlist, which is missing in the image");
    return facts;
}

}  // namespace

ImageFacts open_image(const std::string& file, const std::string& folder) {
    return guarded([&] {
        const impl::FolderLockPtr hold = impl::image::extract_image(file, folder);
        ImageFacts facts = facts_of(folder);
        facts.in_use = hold;
        return facts;
    });
}

}  // namespace ttsim::impl::bridge
