// Device images: what one says of itself, and several as one. Compiled models write and read them: ttsim/model.hpp.
#pragma once

#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

struct ImageInfo {
    std::string text;  ///< the summary that `ttsim tti info` prints
    std::string json;
    std::string record;  ///< its device.json
};
/// Throws Error(Input) at the member that is missing or damaged.
TTSIM_API ImageInfo image_info(const std::string& path);

/// As `ttsim tti merge` has them.
struct MergeOptions {
    std::string folder;                ///< holds NAME.tti of each model
    std::vector<std::string> models;   ///< names, in the order in which they run
    std::string arch = "wormhole_b0";  ///< chip that all of them were compiled for
    bool reallocate_channels = true;   ///< a queue whose DRAM channel is full goes to another one
    bool overlap_dynamic = true;       ///< queues that programs allocate and free share one area
};

struct MergeReport {
    std::string text;   ///< bytes in use by channel
    std::string moves;  ///< where each buffer was, and where it is
    std::string json;   ///< both
};

/// Writes one image. Throws Error: Input for images that are missing or do not go together, Unsupported when memory is
/// full; nothing is written then.
TTSIM_API MergeReport merge_images(const MergeOptions& options, const std::string& file);

}  // namespace ttsim
