#include "isa/chip_part.hpp"

#include <filesystem>

#include "isa/arch.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl {

namespace {

constexpr int max_levels = 5;

const std::string& file_of(const ChipFiles& files, ChipPart part) {
    switch (part) {
        case ChipPart::Isa:
            return files.isa;
        case ChipPart::Timing:
            return files.timing;
        case ChipPart::Memory:
            return files.memory;
        case ChipPart::Noc:
            return files.noc;
    }
    return files.isa;
}

YamlPtr value_of(const YamlNode& map, const std::string& key) {
    YamlPtr found;
    for (const auto& [name, value] : map.entries)
        if (name->scalar == key) found = value;  // the last value of a repeated key wins
    return found;
}

YamlPtr without_like(const YamlNode& map) {
    auto rest = std::make_shared<YamlNode>(map);
    std::erase_if(rest->entries, [](const auto& entry) { return entry.first->scalar == "like"; });
    return rest;
}

/// `overlay` plus the keys that only `base` has.
YamlPtr merge_maps(const YamlPtr& base, const YamlPtr& overlay) {
    if (!base->is_map() || !overlay->is_map()) return overlay;
    auto merged = std::make_shared<YamlNode>(*overlay);
    for (auto& [key, value] : merged->entries)
        if (const YamlPtr inherited = value_of(*base, key->scalar)) value = merge_maps(inherited, value);
    for (const auto& [key, value] : base->entries)
        if (!value_of(*overlay, key->scalar)) merged->entries.emplace_back(key, value);
    return merged;
}

std::string like_file(const std::string& like, const std::string& file, ChipPart part) {
    const bool path = like.find('/') != std::string::npos || like.ends_with(".yaml");
    return path ? (fs::path(file).parent_path() / like).string() : file_of(chip(like).files, part);
}

YamlPtr read_layers(const std::string& file, ChipPart part, int level) {
    const YamlPtr root = load_yaml_file(file);
    if (!root->is_map()) return root;
    const YamlPtr like = value_of(*root, "like");
    if (!like) return root;
    if (!like->is_scalar()) fail_input(like->loc(file), "'like' needs the name of a chip or of a file");
    if (level == max_levels) fail_input(like->loc(file), "'like: {}' is cyclic or nested too deep", like->scalar);
    return merge_maps(read_layers(like_file(like->scalar, file, part), part, level + 1), without_like(*root));
}

}  // namespace

YamlMap read_chip_part(const std::string& file, ChipPart part) { return {read_layers(file, part, 0), file, ""}; }

}  // namespace ttsim::impl
