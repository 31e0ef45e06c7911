// Reads and writes manifest.json of --dump-io and --inputs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ttsim::impl {

struct ManifestEntry {
    std::string queue, file;
    std::int64_t first_entry = 0;
};
struct Manifest {
    std::string netlist, arch;
    std::vector<std::string> programs;
    std::map<std::string, std::int64_t> params;  ///< "$p_x" -> value
    std::optional<std::int64_t> inputs_count;
    std::vector<ManifestEntry> inputs, outputs;
};

Manifest read_manifest(const std::string& folder);  ///< Throws Error(Input)
/// Whether the folder is that of a model compiled for training.
bool is_of_training(const Manifest& manifest);
void write_manifest(const std::string& folder, const Manifest& manifest);
/// A unique file name for a queue: its name with characters other than letters, digits, '.', '_' and '-' replaced.
std::string npy_name(const std::string& queue);

}  // namespace ttsim::impl
