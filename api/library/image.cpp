#include <ttsim/image.hpp>

#include "api/library/internal.hpp"
#include "runtime/image/info.hpp"
#include "runtime/image/merge.hpp"

namespace ttsim {

ImageInfo image_info(const std::string& path) {
    return guarded([&] {
        impl::image::Summary summary = impl::image::read_summary(path);
        ImageInfo info{impl::image::info_text(summary), impl::image::info_json(summary), ""};
        info.record = std::move(summary.record_text);
        return info;
    });
}

MergeReport merge_images(const MergeOptions& options, const std::string& file) {
    return guarded([&] {
        impl::image::MergeOptions given;
        given.folder = options.folder;
        given.models = options.models;
        given.arch = options.arch;
        given.placing = {options.reallocate_channels, options.overlap_dynamic};
        given.image.release = TTSIM_VERSION;
        const impl::image::MergeReport made = impl::image::merge_images(given, file);
        return MergeReport{impl::image::merge_text(made), impl::image::moves_text(made), impl::image::merge_json(made)};
    });
}

}  // namespace ttsim
