#include "isa/chip_part.hpp"

#include <filesystem>

#include "isa/arch.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl {

namespace {

constexpr int most_levels = 5;

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
        if (name->scalar == key) found = value;  // of a repeated key the last holds
    return found;
}

YamlPtr without_like(const YamlNode& map) {
    auto rest = std::make_shared<YamlNode>(map);
    std::erase_if(rest->entries, [](const auto& entry) { return entry.first->scalar == "like"; });
    return rest;
}

/// `over` with what only `base` says.
YamlPtr laid_over(const YamlPtr& base, const YamlPtr& over) {
    if (!base->is_map() || !over->is_map()) return over;
    auto all = std::make_shared<YamlNode>(*over);
    for (auto& [key, value] : all->entries)
        if (const YamlPtr below = value_of(*base, key->scalar)) value = laid_over(below, value);
    for (const auto& [key, value] : base->entries)
        if (!value_of(*over, key->scalar)) all->entries.emplace_back(key, value);
    return all;
}

std::string like_file(const std::string& like, const std::string& file, ChipPart part) {
    const bool path = like.find('/') != std::string::npos || like.ends_with(".yaml");
    return path ? (fs::path(file).parent_path() / like).string() : file_of(chip(like).files, part);
}

YamlPtr read_layers(const std::string& file, ChipPart part, int level) {
    const YamlPtr top = load_yaml_file(file);
    if (!top->is_map()) return top;
    const YamlPtr like = value_of(*top, "like");
    if (!like) return top;
    if (!like->is_scalar()) fail_input(like->loc(file), "'like' needs the name of a chip or of a file");
    if (level == most_levels)
        fail_input(like->loc(file), "'like: {}' goes round in a circle or too deep", like->scalar);
    return laid_over(read_layers(like_file(like->scalar, file, part), part, level + 1), without_like(*top));
}

}  // namespace

YamlMap read_chip_part(const std::string& file, ChipPart part) { return {read_layers(file, part, 0), file, ""}; }

}  // namespace ttsim::impl
