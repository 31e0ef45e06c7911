#include "isa/arch.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "isa/coord_text.hpp"

namespace fs = std::filesystem;

namespace tt {

NocCoord read_coord(const YamlNode& node, const std::string& file, std::string_view what, CoordBound bound) {
    const std::string& text = node.scalar;
    const char* const end = text.data() + text.size();
    NocCoord coord;
    const auto [dash, x_code] = std::from_chars(text.data(), end, coord.x);
    bool good = node.is_scalar() && x_code == std::errc() && dash != end && *dash == '-';
    if (good) {
        const auto [stop, y_code] = std::from_chars(dash + 1, end, coord.y);
        good = y_code == std::errc() && stop == end;
    }
    if (!good)
        fail_input(node.loc(file), "'{}' is {}; a NoC coordinate such as 4-10 (x-y) is wanted", what,
                   node.is_scalar() ? "'" + text + "'" : "no scalar");
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

/// Reads keys of one section into fields. Of a chip that is like another one, keys may be left out.
class Section {
public:
    Section(YamlMap& parent, std::string_view name, bool optional)
        : optional_(optional),
          map_(parent.has(name) || !optional ? std::make_unique<YamlMap>(parent.map(name)) : nullptr) {}

    template <class Int>
    void whole(std::string_view key, Int& field, IntRange allowed = {0, std::int64_t{1} << 40}) {
        if (wanted(key)) field = static_cast<Int>(map_->whole(key, allowed));
    }
    void number(std::string_view key, double& field) {
        if (!wanted(key)) return;
        const double value = map_->number(key);
        if (!(value > 0)) fail_input(map_->where(key), "'{}' is {}; it must be above 0", key, value);
        field = value;
    }
    void flag(std::string_view key, bool& field) {
        if (!wanted(key)) return;
        const YamlPtr node = map_->node(key);
        field = yaml_flag(*node, map_->where().file, key);
    }
    YamlPtr node(std::string_view key) { return wanted(key) ? map_->node(key) : nullptr; }
    std::string file() const { return map_ ? map_->where().file : ""; }
    void done() const {
        if (map_) map_->done();
    }

private:
    bool wanted(std::string_view key) const { return map_ && (!optional_ || map_->has(key)); }

    bool optional_;
    std::unique_ptr<YamlMap> map_;
};

std::vector<int> ascending(const YamlPtr& list, const std::string& file, std::string_view what, int bound) {
    if (!list->is_sequence() || list->items.empty())
        fail_input(list->loc(file), "'{}' needs a list of at least one number", what);
    std::vector<int> values;
    for (const YamlPtr& item : list->items) {
        const int value = static_cast<int>(yaml_whole(*item, file, what, {0, bound - 1}));
        if (!values.empty() && value <= values.back())
            fail_input(item->loc(file), "'{}' has {} after {}; the numbers must ascend", what, value, values.back());
        values.push_back(value);
    }
    return values;
}

void read_places(YamlMap& map, bool optional, ChipParams& p) {
    Section grid(map, "grid", optional);
    grid.whole("x", p.grid_x, {1, 64});
    grid.whole("y", p.grid_y, {1, 64});
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
    dram.whole("channel_bytes", p.dram_channel_bytes, {1, std::int64_t{1} << 40});
    dram.whole("blocks", p.dram_blocks, {1, 16});
    dram.done();

    const auto place = [&](std::string_view key) { return !optional || map.has(key) ? map.node(key) : nullptr; };
    if (const YamlPtr eth = place("eth")) p.eth = read_coords(*eth, file, "eth", bound);
    if (const YamlPtr pcie = place("pcie")) p.pcie = read_coord(*pcie, file, "pcie", bound);
    if (const YamlPtr arc = place("arc")) p.arc = read_coord(*arc, file, "arc", bound);
}

void read_features(YamlMap& map, bool optional, ChipFeatures& f) {
    Section section(map, "features", optional);
    section.flag("fp32_dest", f.fp32_dest);
    section.flag("tiny_tiles", f.tiny_tiles);
    section.flag("l1_accumulate", f.l1_accumulate);
    section.flag("stochastic_rounding", f.stochastic_rounding);
    section.flag("transpose_binary", f.transpose_binary);
    section.flag("sfpu_on_pack_thread", f.sfpu_on_pack_thread);
    section.flag("gradient_any_op", f.gradient_any_op);
    section.flag("dram_ports", f.dram_ports);
    section.flag("cross_graph_ops", f.cross_graph_ops);
    section.whole("dest_tiles_16b", f.dest_tiles_16b, {1, 64});
    section.whole("dest_tiles_32b", f.dest_tiles_32b, {1, 64});
    section.done();
}

void read_timing(YamlMap& map, bool optional, ChipTiming& t) {
    constexpr IntRange cycles{0, 1'000'000'000};
    Section section(map, "timing", optional);
    section.number("noc_link_bytes", t.noc_link_bytes);
    section.whole("noc_hop", t.noc_hop, cycles);
    section.whole("noc_niu", t.noc_niu, cycles);
    section.whole("noc_packet_bytes", t.noc_packet_bytes, {32, 1 << 20});
    section.whole("noc_issue", t.noc_issue, cycles);
    section.number("dram_read_bytes", t.dram_read_bytes);
    section.number("dram_write_bytes", t.dram_write_bytes);
    section.whole("epoch_load", t.epoch_load, cycles);
    section.done();
}

fs::path find_config_dir() {
    std::error_code ignored;
    const fs::path bin = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    // build/<preset>/bin, an installed bin/, and the sources for programs built elsewhere
    for (const fs::path& candidate :
         {bin / "../../../configs", bin / "../share/ttsim/configs", fs::path(TTSIM_SOURCE_DIR) / "configs"})
        if (fs::is_directory(candidate / "chips", ignored)) return fs::weakly_canonical(candidate, ignored);
    fail_input({}, "the configuration folder is missing; it must be at {} or {}", (bin / "../../../configs").string(),
               (bin / "../share/ttsim/configs").string());
}

ChipParams read_chip_like(const std::string& file, int depth) {
    YamlMap map = YamlMap::from_file(file);
    const std::string like = map.text_or("like", "");
    ChipParams p;
    const bool optional = !like.empty();
    if (optional) {
        const fs::path base = fs::path(file).parent_path() / (like + ".yaml");
        if (depth > 4) fail_input(map.where("like"), "'like: {}' goes round in a circle or too deep", like);
        std::error_code ignored;
        if (like.find('/') != std::string::npos || !fs::is_regular_file(base, ignored))
            fail_input(map.where("like"), "'like' names '{}', but there is no {}", like, base.string());
        p = read_chip_like(base.string(), depth + 1);
    }
    p.name = map.text("name");
    p.timing.chip = p.name;
    read_places(map, optional, p);
    if (!optional || map.has("harvest_from_end")) {
        const YamlPtr node = map.node("harvest_from_end");
        p.harvest_from_end = yaml_flag(*node, file, "harvest_from_end");
    }
    if (!optional || map.has("clock_mhz")) p.clock_mhz = map.whole("clock_mhz", {1, 100'000});
    Section l1(map, "l1", optional);
    l1.whole("bytes", p.l1_bytes);
    l1.whole("reserved", p.l1_reserved);
    l1.whole("eth_bytes", p.eth_l1_bytes);
    l1.whole("eth_reserved", p.eth_l1_reserved);
    l1.done();
    read_features(map, optional, p.features);
    read_timing(map, optional, p.timing);
    map.done();
    if (p.l1_reserved >= p.l1_bytes)
        fail_input(map.where("l1"), "'reserved' is {} of {} bytes; nothing is left", p.l1_reserved, p.l1_bytes);
    return p;
}

}  // namespace

ChipParams read_chip(const std::string& file) { return read_chip_like(file, 0); }

std::string config_dir() {
    static const std::string dir = find_config_dir().string();
    return dir;
}

std::vector<std::string> chip_names() {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(config_dir()) / "chips", ignored))
        if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

const ChipParams& chip(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, ChipParams> known;
    const std::lock_guard lock(mutex);
    const std::string lower = to_lower(name);
    if (const auto found = known.find(lower); found != known.end()) return found->second;
    const std::vector<std::string> names = chip_names();
    if (std::find(names.begin(), names.end(), lower) == names.end())
        fail_input({}, "there is no chip '{}'{}; known: {}", name, did_you_mean(lower, names), fmt::join(names, ", "));
    const fs::path file = fs::path(config_dir()) / "chips" / (lower + ".yaml");
    return known.emplace(lower, read_chip(file.string())).first->second;
}

}  // namespace tt
