// Device images: summary of an image, and merging of several images. CompiledModel (ttsim/model.hpp) writes and reads
// them.
#pragma once

#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

/// Summary of an image.
struct ImageInfo {
    std::string text;  ///< the summary that `ttsim tti info` prints
    std::string json;
    std::string record;  ///< content of its device.json
};
/// Reads the summary of an image. Throws Error(Input) that names the missing or damaged member.
TTSIM_API ImageInfo image_info(const std::string& path);

/// Options of `ttsim tti merge`.
struct MergeOptions {
    std::string folder;               ///< folder with NAME.tti of each model
    std::vector<std::string> models;  ///< names, in the order of execution
    std::string arch;                 ///< chip for which all of them were compiled; "": that of the first
    bool reallocate_channels = true;  ///< move queues from full DRAM channels to other channels
    bool overlap_dynamic = true;      ///< queues that programs allocate and deallocate share one memory area
};

/// Result of a merge.
struct MergeReport {
    std::string text;   ///< used bytes by DRAM channel
    std::string moves;  ///< old and new address of each buffer
    std::string json;   ///< both as JSON
};

/// Merges the models into one image and writes it to `file`. Throws Error: Input for missing or incompatible images,
/// Unsupported when memory is exhausted. No file is written then.
TTSIM_API MergeReport merge_images(const MergeOptions& options, const std::string& file);

}  // namespace ttsim
