#include <ttsim/image.hpp>

#include "api/library/internal.hpp"
#include "runtime/image/info.hpp"
#include "runtime/image/merge.hpp"

namespace ttsim {

ImageInfo image_info(const std::string& path) {
    return guarded([&] {
        tt::image::Summary summary = tt::image::read_summary(path);
        ImageInfo info{tt::image::info_text(summary), tt::image::info_json(summary), ""};
        info.record = std::move(summary.record_text);
        return info;
    });
}

MergeReport merge_images(const MergeOptions& options, const std::string& file) {
    return guarded([&] {
        tt::image::MergeOptions given;
        given.folder = options.folder;
        given.models = options.models;
        given.arch = options.arch;
        given.placing = {options.reallocate_channels, options.overlap_dynamic};
        given.image.release = TTSIM_VERSION;
        const tt::image::MergeReport made = tt::image::merge_images(given, file);
        return MergeReport{tt::image::merge_text(made), tt::image::moves_text(made), tt::image::merge_json(made)};
    });
}

}  // namespace ttsim
