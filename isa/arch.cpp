#include "isa/arch.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "base/error_codes.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "isa/config_dir.hpp"
#include "isa/coord_text.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl {

NocCoord read_coord(const YamlNode& node, const std::string& file, std::string_view what, CoordBound bound) {
    const std::string_view text = node.scalar;
    const char* const end = text.data() + text.size();
    NocCoord coord;
    const auto [dash, x_code] = std::from_chars(text.data(), end, coord.x);
    bool valid = node.is_scalar() && x_code == std::errc() && dash != end && *dash == '-';
    if (valid) {
        const auto [stop, y_code] = std::from_chars(dash + 1, end, coord.y);
        valid = y_code == std::errc() && stop == end;
    }
    if (!valid)
        fail_input(node.loc(file), "'{}' is {}; a NoC coordinate such as 4-10 (x-y) is wanted", what,
                   node.is_scalar() ? fmt::format("'{}'", text) : "no scalar");
    if (coord.x < 0 || coord.y < 0 || coord.x >= bound.x || coord.y >= bound.y)
        fail_input(node.loc(file), "'{}' names {}; x must lie in 0..{} and y in 0..{}", what, text, bound.x - 1,
                   bound.y - 1);
    return coord;
}

std::vector<NocCoord> read_coords(const YamlNode& node, const std::string& file, std::string_view what,
                                  CoordBound bound) {
    std::vector<NocCoord> coords;
    if (node.is_sequence())
        for (const YamlPtr& item : node.items) coords.push_back(read_coord(*item, file, what, bound));
    else
        coords.push_back(read_coord(node, file, what, bound));
    return coords;
}

namespace {

/// Reads keys of one section into fields. Keys are optional if the chip inherits from another (`like`).
class Section {
public:
    Section(YamlMap& parent, std::string_view name, bool optional)
        : optional_(optional),
          map_(parent.has(name) || !optional ? std::make_unique<YamlMap>(parent.map(name)) : nullptr) {}

    template <class Int>
    void integer(std::string_view key, Int& field, IntRange allowed = {0, std::int64_t{1} << 40}) {
        if (is_present(key)) field = static_cast<Int>(map_->integer(key, allowed));
    }
    void number(std::string_view key, double& field) {
        if (!is_present(key)) return;
        const double value = map_->number(key);
        if (!(value > 0)) fail_input(map_->where(key), "'{}' is {}; it must be above 0", key, value);
        field = value;
    }
    void flag(std::string_view key, bool& field) {
        if (!is_present(key)) return;
        const YamlPtr node = map_->node(key);
        field = yaml_flag(*node, map_->where().file, key);
    }
    YamlPtr node(std::string_view key) { return is_present(key) ? map_->node(key) : nullptr; }
    std::string file() const { return map_ ? map_->where().file : ""; }
    void done() const {
        if (map_) map_->done();
    }

private:
    bool is_present(std::string_view key) const { return map_ && (!optional_ || map_->has(key)); }

    bool optional_;
    std::unique_ptr<YamlMap> map_;
};

std::vector<int> ascending(YamlPtr list, const std::string& file, std::string_view what, int bound) {
    if (!list->is_sequence() || list->items.empty())
        fail_input(list->loc(file), "'{}' needs a list of at least one number", what);
    std::vector<int> values;
    for (const YamlPtr& item : list->items) {
        const int value = static_cast<int>(yaml_integer(*item, file, what, {0, bound - 1}));
        if (!values.empty() && value <= values.back())
            fail_input(item->loc(file), "'{}' has {} after {}; the numbers must ascend", what, value, values.back());
        values.push_back(value);
    }
    return values;
}

void read_places(YamlMap& map, bool optional, ChipParams& p) {
    Section grid(map, "grid", optional);
    grid.integer("x", p.grid_x, {1, 64});
    grid.integer("y", p.grid_y, {1, 64});
    grid.done();

    Section workers(map, "workers", optional);
    if (const YamlPtr x = workers.node("x")) p.worker_x = ascending(x, workers.file(), "x", p.grid_x);
    if (const YamlPtr y = workers.node("y")) p.worker_y = ascending(y, workers.file(), "y", p.grid_y);
    workers.done();

    const CoordBound bound{p.grid_x, p.grid_y};
    const std::string file = map.where().file;
    Section dram(map, "dram", optional);
    if (const YamlPtr ports = dram.node("ports")) {
        if (!ports->is_sequence() || ports->items.empty())
            fail_input(ports->loc(file), "'ports' needs a list of channels, each a list of ports");
        p.dram.clear();
        for (const YamlPtr& channel : ports->items) p.dram.push_back(read_coords(*channel, file, "ports", bound));
    }
    dram.integer("channel_bytes", p.dram_channel_bytes, {1, std::int64_t{1} << 40});
    dram.integer("blocks", p.dram_blocks, {1, 16});
    dram.done();

    const auto place = [&](std::string_view key) { return !optional || map.has(key) ? map.node(key) : nullptr; };
    if (const YamlPtr eth = place("eth")) p.eth = read_coords(*eth, file, "eth", bound);
    if (const YamlPtr pcie = place("pcie")) p.pcie = read_coord(*pcie, file, "pcie", bound);
    if (const YamlPtr arc = place("arc")) p.arc = read_coord(*arc, file, "arc", bound);
}

void read_features(YamlMap& map, bool optional, ChipFeatures& f) {
    Section section(map, "features", optional);
    section.flag("fp32_dest", f.fp32_dest);
    section.flag("tf32", f.tf32);
    section.integer("fpu_rows", f.fpu_rows, {1, 16});
    section.integer("sfpu_lanes", f.sfpu_lanes, {1, 256});
    section.flag("tiny_tiles", f.tiny_tiles);
    section.flag("l1_accumulate", f.l1_accumulate);
    section.flag("stochastic_rounding", f.stochastic_rounding);
    section.flag("transpose_binary", f.transpose_binary);
    section.flag("sfpu_on_pack_thread", f.sfpu_on_pack_thread);
    section.flag("gradient_any_op", f.gradient_any_op);
    section.flag("dram_ports", f.dram_ports);
    section.flag("cross_graph_ops", f.cross_graph_ops);
    section.flag("dest_any_operand", f.dest_any_operand);
    section.flag("broadcast_blocks", f.broadcast_blocks);
    section.flag("untilize_integers", f.untilize_integers);
    section.flag("fpu_minus_unit", f.fpu_minus_unit);
    section.integer("noc_alignment", f.noc_alignment, {16, 4096});
    section.integer("dest_tiles_16b", f.dest_tiles_16b, {1, 64});
    section.integer("dest_tiles_32b", f.dest_tiles_32b, {1, 64});
    section.done();
}

void read_timing(YamlMap& map, bool optional, ChipTiming& t) {
    constexpr IntRange cycles{0, 1'000'000'000};
    Section section(map, "timing", optional);
    section.number("noc_link_bytes", t.noc_link_bytes);
    section.integer("noc_hop", t.noc_hop, cycles);
    section.integer("noc_niu", t.noc_niu, cycles);
    section.integer("noc_packet_bytes", t.noc_packet_bytes, {32, 1 << 20});
    section.integer("noc_issue", t.noc_issue, cycles);
    section.number("dram_read_bytes", t.dram_read_bytes);
    section.number("dram_write_bytes", t.dram_write_bytes);
    section.integer("epoch_load", t.epoch_load, cycles);
    section.done();
}

void read_images(YamlMap& map, ChipImages& images) {
    Section section(map, "images", true);
    section.integer("epoch_slots", images.epoch_slots, {1, 1 << 20});
    section.integer("channel_cores", images.channel_cores, {0, 1 << 20});
    if (const YamlPtr sizes = section.node("host_mib")) {
        if (!sizes->is_sequence()) fail_input(sizes->loc(section.file()), "'host_mib' needs a list of sizes in MiB");
        images.host_bytes.clear();
        for (const YamlPtr& item : sizes->items)
            images.host_bytes.push_back(yaml_integer(*item, section.file(), "host_mib", {1, 1 << 20}) << 20);
    }
    section.done();
}

/// Checks coordinates against the grid: inherited ones may lie outside a smaller grid.
void check_places(const YamlMap& map, const ChipParams& p) {
    const auto outside = [&](std::string_view key, const std::string& place) {
        fail_input(map.where("grid"), "the grid is {}x{}, but '{}' has {}", p.grid_x, p.grid_y, key, place);
    };
    for (const auto& [list, bound] : {std::pair{&p.worker_x, p.grid_x}, {&p.worker_y, p.grid_y}})
        if (const auto outside_value = std::lower_bound(list->begin(), list->end(), bound);
            outside_value != list->end())
            outside("workers", fmt::format("{}", *outside_value));
    const auto check = [&](std::string_view key, NocCoord at) {
        if (at.x >= p.grid_x || at.y >= p.grid_y) outside(key, fmt::format("{}-{}", at.x, at.y));
    };
    for (const std::vector<NocCoord>& channel : p.dram)
        for (const NocCoord port : channel) check("dram", port);
    for (const NocCoord core : p.eth) check("eth", core);
    check("pcie", p.pcie);
    check("arc", p.arc);
}

std::string part_file(YamlMap& parts, const char* key, const std::string& chip_file) {
    const fs::path file = fs::path(chip_file).parent_path() / parts.text(key);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) fail_input(parts.where(key), "there is no file {}", file.string());
    return fs::weakly_canonical(file, ignored).string();
}

void read_parts(YamlMap& map, bool optional, const std::string& file, ChipFiles& files) {
    if (optional && !map.has("parts")) return;
    YamlMap parts = map.map("parts");
    for (const auto& [key, field] :
         {std::pair{"isa", &files.isa}, {"timing", &files.timing}, {"memory", &files.memory}, {"noc", &files.noc}})
        if (!optional || parts.has(key)) *field = part_file(parts, key, file);
    parts.done();
}

/// Path of the chip.yaml of `name`, which `file` inherits from: in a sibling folder, or in a configuration folder.
std::string like_file(YamlMap& map, const std::string& name, const std::string& file) {
    std::error_code ignored;
    const fs::path sibling_file = fs::path(file).parent_path().parent_path() / name / "chip.yaml";
    if (name.find('/') == std::string::npos) {
        if (fs::is_regular_file(sibling_file, ignored)) return sibling_file.string();
        const std::vector<std::string> known = config_files("chips/" + name + "/chip.yaml");
        if (!known.empty()) return known.front();
    }
    fail_input(map.where("like"), "'like' names '{}', but there is no {} and no chips/{}/chip.yaml in {}", name,
               sibling_file.string(), name, fmt::join(config_dirs(), ", "));
}

ChipParams read_chip_like(const std::string& file, int depth) {
    YamlMap map = YamlMap::from_file(file);
    const std::string like = map.text_or("like", "");
    ChipParams p;
    const bool optional = !like.empty();
    if (optional) {
        if (depth > 4) fail_input(map.where("like"), "'like: {}' is cyclic or nested too deep", like);
        p = read_chip_like(like_file(map, like, file), depth + 1);
    }
    p.name = map.text("name");
    if (p.name.empty() || p.name != to_lower(p.name) || p.name.find('/') != std::string::npos)
        fail_input(map.where("name"), "'name' is '{}'; a word of small letters is wanted", p.name);
    p.summary = map.text_or("summary", "");
    p.note = map.text_or("note", "");
    p.validated = map.flag_or("validated", false);
    p.is_default = map.flag_or("default", false);
    p.tt_perf_report = map.text_or("tt_perf_report", p.tt_perf_report);
    std::error_code ignored;
    p.file = fs::weakly_canonical(fs::absolute(file, ignored), ignored).string();
    p.timing.chip = p.file;
    read_places(map, optional, p);
    check_places(map, p);
    read_parts(map, optional, file, p.files);
    if (!optional || map.has("harvest_from_end")) {
        const YamlPtr node = map.node("harvest_from_end");
        p.harvest_from_end = yaml_flag(*node, file, "harvest_from_end");
    }
    if (!optional || map.has("harvest")) p.harvests_columns = map.word("harvest", {"rows", "columns"}) == "columns";
    if (!optional || map.has("clock_mhz")) p.clock_mhz = map.integer("clock_mhz", {1, 100'000});
    Section l1(map, "l1", optional);
    l1.integer("bytes", p.l1_bytes);
    l1.integer("reserved", p.l1_reserved);
    l1.integer("eth_bytes", p.eth_l1_bytes);
    l1.integer("eth_reserved", p.eth_l1_reserved);
    l1.done();
    read_features(map, optional, p.features);
    read_timing(map, optional, p.timing);
    read_images(map, p.images);
    map.done();
    if (p.features.noc_alignment % 16 != 0)
        fail_input(map.where("features"), "'noc_alignment' is {}; a multiple of 16 is wanted",
                   p.features.noc_alignment);
    if (p.l1_reserved >= p.l1_bytes)
        fail_input(map.where("l1"), "'reserved' is {} of {} bytes; nothing is left", p.l1_reserved, p.l1_bytes);
    return p;
}

}  // namespace

ChipParams read_chip(const std::string& file) { return read_chip_like(file, 0); }

namespace {

/// All chips read so far. Entries are never removed, because callers hold references to them.
struct ChipRegistry {
    std::mutex mutex;
    std::map<std::string, ChipParams> by_file;
    std::map<std::string, std::string> by_name;  ///< files of chips found by their path
};

ChipRegistry& registry() {
    static ChipRegistry registry_instance;
    return registry_instance;
}

const ChipParams& chip_of_file(const std::string& file) {
    std::error_code ignored;
    const std::string key = fs::weakly_canonical(fs::absolute(file, ignored), ignored).string();
    const std::lock_guard lock(registry().mutex);
    if (const auto found = registry().by_file.find(key); found != registry().by_file.end()) return found->second;
    return registry().by_file.emplace(key, read_chip(key)).first->second;
}

/// The chip.yaml of a path to a chip's folder or file.
fs::path chip_file(const std::string& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored) ? fs::path(path) / "chip.yaml" : fs::path(path);
}

std::string find_chip_file(const std::string& name) {
    const std::vector<std::string> files = config_files("chips/" + name + "/chip.yaml");
    if (!files.empty()) return files.front();
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().by_name.find(name);
    return found == registry().by_name.end() ? "" : found->second;
}

}  // namespace

bool is_chip_path(const std::string& text) {
    std::error_code ignored;
    const fs::path file = chip_file(text);
    if (!fs::is_regular_file(file, ignored)) return false;
    if (file.filename() == "chip.yaml") return true;
    if (file.extension() != ".yaml" && file.extension() != ".yml") return false;
    const YamlMap map = YamlMap::from_file(file.string());
    return map.has("name") && !map.has("arch_name");
}

std::vector<std::string> chip_names() {
    std::set<std::string> names;
    std::error_code ignored;
    for (const std::string& dir : config_dirs())
        for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(dir) / "chips", ignored))
            if (fs::is_regular_file(entry.path() / "chip.yaml", ignored)) names.insert(entry.path().filename());
    const std::lock_guard lock(registry().mutex);
    for (const auto& [name, file] : registry().by_name) names.insert(name);
    return {names.begin(), names.end()};
}

const ChipParams& default_chip() {
    const std::vector<std::string> names = chip_names();
    for (const std::string& name : names)
        if (const ChipParams& params = chip(name); params.is_default) return params;
    fail_input({}, "no chip has 'default: true' in its chip.yaml; name one of {}", fmt::join(names, ", "));
}

bool is_validated(const std::string& name) {
    const std::vector<std::string> names = chip_names();
    return std::find(names.begin(), names.end(), name) != names.end() && chip(name).validated;
}

std::vector<std::string> chip_notes(const ChipParams& params) {
    std::vector<std::string> notes;
    if (!params.note.empty()) notes.push_back(fmt::format("chip '{}': {}", params.name, params.note));
    if (!params.validated)
        notes.push_back(
            fmt::format("chip '{}' is not validated: no result was compared with measurements of it", params.name));
    return notes;
}

const ChipParams& chip(const std::string& name) {
    {  // fast path for ChipTiming::chip, which is looked up often
        const std::lock_guard lock(registry().mutex);
        if (const auto found = registry().by_file.find(name); found != registry().by_file.end()) return found->second;
    }
    if (name.find('/') != std::string::npos && is_chip_path(name)) {
        const ChipParams& found = chip_of_file(chip_file(name).string());
        if (config_files("chips/" + found.name + "/chip.yaml").empty()) {
            const std::lock_guard lock(registry().mutex);
            registry().by_name[found.name] = found.file;
        }
        return found;
    }
    const std::string lower = to_lower(name);
    const std::string file = lower.empty() || lower.find('/') != std::string::npos ? "" : find_chip_file(lower);
    if (file.empty()) {
        const std::vector<std::string> names = chip_names();
        fail_input_as(error_code::unknown_name, {}, "there is no chip '{}'{}; known: {}", name,
                      did_you_mean(lower, names), fmt::join(names, ", "));
    }
    const ChipParams& found = chip_of_file(file);
    if (found.name != lower)
        fail_input({file, 0, 0}, "'name' is '{}', but the folder is called '{}'", found.name, lower);
    return found;
}

}  // namespace ttsim::impl
