// Several images as one: their models share a device and run one after the other.
//
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
    std::vector<std::string> models;  ///< names, in the order in which they run
    std::string arch = "wormhole_b0";
    PlacingOptions placing;
    ImageOptions image;
    std::vector<std::uint64_t> dram_bytes;  ///< of the channels; empty: the machine's. For tests
};

struct MergeReport {
    std::vector<std::string> models;  ///< in the order of their prefixes
    MergedMemory memory;
    std::vector<std::string> notes;
};

/// Writes the merged image. Throws Error(Input) for images that are missing or do not go together, Error(Unsupported)
/// when memory is full; nothing is written then.
MergeReport merge_images(const MergeOptions& options, const std::string& file);

/// The models of several images as one; its queues lie where they lay.
ir::CompiledModel joined(const std::vector<ir::CompiledModel>& models);

/// "0 : 161.17", in MB: the footprint in the form of the original, with notes before it.
std::string merge_text(const MergeReport& report);
std::string merge_json(const MergeReport& report);
/// What moved where.
std::string moves_text(const MergeReport& report);

}  // namespace ttsim::impl::image
