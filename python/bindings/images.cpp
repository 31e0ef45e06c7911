#include <ttsim/image.hpp>

#include "python/bindings/bindings.hpp"

namespace tt_python {

using namespace ttsim;

void bind_images(nb::module_& m) {
    nb::class_<ImageInfo>(m, "ImageInfo", "Contents and target of a device image.")
        .def_ro("text", &ImageInfo::text)
        .def_ro("json", &ImageInfo::json)
        .def_ro("record", &ImageInfo::record, "The device.json of the image.");
    m.def("image_info", &image_info, "path"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<MergeReport>(m, "MergeReport", "Memory use and moved buffers after a merge.")
        .def_ro("text", &MergeReport::text, "Bytes in use per channel.")
        .def_ro("moves", &MergeReport::moves, "Old and new address of each buffer.")
        .def_ro("json", &MergeReport::json);
    m.def(
        "merge_images",
        [](const std::string& folder, const std::vector<std::string>& models, const std::string& file,
           const std::string& arch, bool reallocate_channels, bool overlap_dynamic) {
            return merge_images({folder, models, arch, reallocate_channels, overlap_dynamic}, file);
        },
        "folder"_a, "models"_a, "file"_a, "arch"_a = "", nb::kw_only(), "reallocate_channels"_a = true,
        "overlap_dynamic"_a = true, nb::call_guard<nb::gil_scoped_release>(),
        "Merges images FOLDER/NAME.tti into one, which runs them in order on one device. Raises InputError for images "
        "that cannot be merged, and UnsupportedError if memory is full; nothing is written then.");
}

}  // namespace tt_python
