// Merges several images into one: their models share a device and run one after the other.
// Names of model i get the prefix model_<i>_: queues, graphs, ops, programs, inputs and outputs. Every queue gets a new
// address (merge_memory.hpp).
#pragma once

#include <string>
#include <vector>

#include "runtime/image/image.hpp"
#include "runtime/image/merge_memory.hpp"

namespace ttsim::impl::image {

struct MergeOptions {
    std::string folder;               ///< holds NAME.tti of each model
    std::vector<std::string> models;  ///< names, in execution order
    std::string arch;                 ///< chip that all images are for; "": that of the first
    PlacingOptions placing;
    ImageOptions image;
    std::vector<std::uint64_t> dram_bytes;  ///< sizes of the channels; empty: the machine's. For tests
};

struct MergeReport {
    std::vector<std::string> models;  ///< in the order of their prefixes
    MergedMemory memory;
    std::vector<std::string> notes;
};

/// Writes the merged image. Throws Error(Input) for missing or incompatible images, Error(Unsupported) if memory is
/// full; then nothing is written.
MergeReport merge_images(const MergeOptions& options, const std::string& file);

/// Joins the models of several images into one; queue addresses are unchanged.
ir::CompiledModel joined(const std::vector<ir::CompiledModel>& models);

/// The memory footprint in MB in the vendor's format ("0 : 161.17"), after the notes.
std::string merge_text(const MergeReport& report);
std::string merge_json(const MergeReport& report);
/// The moved buffers with old and new addresses.
std::string moves_text(const MergeReport& report);

}  // namespace ttsim::impl::image
