#include "isa/chip_part.hpp"

#include <filesystem>
#include <vector>

#include "base/yaml_arena.hpp"
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

YamlPtr value_of(const YamlNode& map, std::string_view key) {
    YamlPtr found = nullptr;
    for (const auto& [name, value] : map.entries)
        if (name->scalar == key) found = value;  // the last value of a repeated key wins
    return found;
}

using Entries = std::vector<std::pair<YamlPtr, YamlPtr>>;

YamlPtr with_entries(YamlArena& arena, YamlNode map, const Entries& entries) {
    map.entries = arena.copy(std::span(entries));
    return arena.add(map);
}

YamlPtr without_like(YamlArena& arena, const YamlNode& map) {
    Entries rest(map.entries.begin(), map.entries.end());
    std::erase_if(rest, [](const auto& entry) { return entry.first->scalar == "like"; });
    return with_entries(arena, map, rest);
}

/// `overlay` plus the keys that only `base` has.
YamlPtr merge_maps(YamlArena& arena, YamlPtr base, YamlPtr overlay) {
    if (!base->is_map() || !overlay->is_map()) return overlay;
    Entries merged(overlay->entries.begin(), overlay->entries.end());
    for (auto& [key, value] : merged)
        if (const YamlPtr inherited = value_of(*base, key->scalar)) value = merge_maps(arena, inherited, value);
    for (const auto& [key, value] : base->entries)
        if (!value_of(*overlay, key->scalar)) merged.emplace_back(key, value);
    return with_entries(arena, *overlay, merged);
}

std::string like_file(const std::string& like, const std::string& file, ChipPart part) {
    const bool path = like.find('/') != std::string::npos || like.ends_with(".yaml");
    return path ? (fs::path(file).parent_path() / like).string() : file_of(chip(like).files, part);
}

YamlRoot read_layers(const std::string& file, ChipPart part, int level) {
    const YamlRoot root = load_yaml_file(file);
    if (!root->is_map()) return root;
    const YamlPtr like = value_of(*root, "like");
    if (!like) return root;
    if (!like->is_scalar()) fail_input(like->loc(file), "'like' needs the name of a chip or of a file");
    if (level == max_levels) fail_input(like->loc(file), "'like: {}' is cyclic or nested too deep", like->scalar);
    const YamlRoot base = read_layers(like_file(std::string(like->scalar), file, part), part, level + 1);
    const auto arena = std::make_shared<YamlArena>();
    arena->keep(root);
    arena->keep(base);
    return {arena, merge_maps(*arena, base.get(), without_like(*arena, *root))};
}

}  // namespace

YamlMap read_chip_part(const std::string& file, ChipPart part) { return {read_layers(file, part, 0), file, ""}; }

}  // namespace ttsim::impl
