#include <ttsim/image.hpp>

#include "python/bindings/bindings.hpp"

namespace tt_python {

using namespace ttsim;

void bind_images(nb::module_& m) {
    nb::class_<ImageInfo>(m, "ImageInfo", "What a device image says of itself.")
        .def_ro("text", &ImageInfo::text)
        .def_ro("json", &ImageInfo::json)
        .def_ro("record", &ImageInfo::record, "Its device.json.");
    m.def("image_info", &image_info, "path"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<MergeReport>(m, "MergeReport", "What merging images moved.")
        .def_ro("text", &MergeReport::text, "Bytes in use by channel.")
        .def_ro("moves", &MergeReport::moves, "Where each buffer was, and where it is.")
        .def_ro("json", &MergeReport::json);
    m.def(
        "merge_images",
        [](const std::string& folder, const std::vector<std::string>& models, const std::string& file,
           const std::string& arch, bool reallocate_channels, bool overlap_dynamic) {
            return merge_images({folder, models, arch, reallocate_channels, overlap_dynamic}, file);
        },
        "folder"_a, "models"_a, "file"_a, "arch"_a = "wormhole_b0", nb::kw_only(), "reallocate_channels"_a = true,
        "overlap_dynamic"_a = true, nb::call_guard<nb::gil_scoped_release>(),
        "Several images FOLDER/NAME.tti as one, which runs them in order on one device. Raises InputError for images "
        "that do not go together, UnsupportedError when memory is full; nothing is written then.");
}

}  // namespace tt_python
