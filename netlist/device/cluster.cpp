#include "netlist/device/cluster.hpp"

#include <algorithm>
#include <cmath>

#include "base/yaml_map.hpp"
#include "isa/coord_text.hpp"

namespace ttsim::impl {

namespace {

constexpr std::int64_t max_chips = 1024;

class ClusterReader {
public:
    ClusterReader(const std::string& file, const ChipParams& chip) : file_(file), chip_(chip) {}

    Cluster read(YamlMap map) {
        read_chips(*map.node("chips"));
        read_links(*map.node("ethernet_connections"));
        read_mmio(*map.node("chips_with_mmio"));
        if (const YamlPtr harvesting = map.node_or_null("harvesting")) read_harvesting(*harvesting);
        // newer descriptors have board data that the simulator does not use
        for (const char* key : {"boardtype", "boards", "arch", "chip_to_boardtype", "chip_unique_ids", "chip_to_bus_id",
                                "asic_locations", "io_device_type"})
            (void)map.node_or_null(key);
        map.done();
        problems_.throw_if_any();
        return std::move(cluster_);
    }

private:
    std::int64_t chip_id(const YamlNode& node, std::string_view what) {
        const std::int64_t id = yaml_integer(node, file_, what, {0, max_chips - 1});
        if (known_ && std::find(cluster_.chips.begin(), cluster_.chips.end(), id) == cluster_.chips.end())
            fail_input(node.loc(file_), "chip {} is not among 'chips'", id);
        return id;
    }

    void read_chips(const YamlNode& chips) {
        if (!chips.is_map() || chips.entries.empty())
            fail_input(chips.loc(file_), "'chips' needs a map of chip ids to positions");
        for (const auto& [key, position] : chips.entries)
            collect([&, &k = key, &p = position] {
                const std::int64_t id = chip_id(*k, "chips");
                if (std::find(cluster_.chips.begin(), cluster_.chips.end(), id) != cluster_.chips.end())
                    fail_input(k->loc(file_), "chip {} is given twice", id);
                if (p->is_sequence()) {
                    if (p->items.size() != 2 && p->items.size() != 4)
                        fail_input(p->loc(file_),
                                   "the position of chip {} has {} numbers; [x, y, rack, shelf] is wanted", id,
                                   p->items.size());
                    for (const YamlPtr& item : p->items) (void)yaml_integer(*item, file_, "position", {0, 1 << 20});
                } else {
                    (void)read_coord(*p, file_, "position", {1 << 20, 1 << 20});
                }
                cluster_.chips.push_back(id);
            });
        std::sort(cluster_.chips.begin(), cluster_.chips.end());
        known_ = true;
    }

    std::pair<std::int64_t, std::int64_t> read_end(const YamlNode& node) {
        YamlMap end(&node, file_, "ethernet_connections");
        const std::int64_t id = chip_id(*end.node("chip"), "chip");
        const auto channels = static_cast<std::int64_t>(chip_.eth.size());
        if (channels == 0) fail_input(node.loc(file_), "{} has no Ethernet", chip_.name);
        const std::int64_t channel = end.integer("chan", {0, channels - 1});
        end.done();
        return {id, channel};
    }

    void read_links(const YamlNode& connections) {
        if (!connections.is_sequence() && !connections.is_null())
            fail_input(connections.loc(file_), "'ethernet_connections' needs a list of pairs");
        for (const YamlPtr& item : connections.items)
            collect([&] {
                if (!item->is_sequence() || item->items.size() != 2)
                    fail_input(item->loc(file_),
                               "a connection needs two ends, [{{chip: 0, chan: 8}}, {{chip: 1, chan: 0}}]");
                add_link(read_end(*item->items[0]), read_end(*item->items[1]), item->loc(file_));
            });
    }

    using End = std::pair<std::int64_t, std::int64_t>;
    void add_link(End a, End b, const SourceLoc& loc) {
        if (a.first == b.first) fail_input(loc, "chip {} is connected to itself", a.first);
        const auto used_a = other_end_.find(a), used_b = other_end_.find(b);
        if (used_a != other_end_.end() && used_b != other_end_.end() && used_a->second == b && used_b->second == a)
            return;  // the same link in the other direction
        for (const auto& [end, used] : {std::pair{a, used_a}, std::pair{b, used_b}})
            if (used != other_end_.end())
                fail_input(loc, "channel {} of chip {} is already connected to channel {} of chip {}", end.second,
                           end.first, used->second.second, used->second.first);
        other_end_[a] = b;
        other_end_[b] = a;
        cluster_.links.push_back({a.first, a.second, b.first, b.second});
    }

    void read_mmio(const YamlNode& list) {
        if (!list.is_sequence() || list.items.empty())
            fail_input(list.loc(file_), "'chips_with_mmio' needs at least one chip");
        for (const YamlPtr& item : list.items)
            collect([&] {
                if (item->is_map())  // chip: PCIe device
                    for (const auto& entry : item->entries)
                        cluster_.mmio.insert(chip_id(*entry.first, "chips_with_mmio"));
                else
                    cluster_.mmio.insert(chip_id(*item, "chips_with_mmio"));
            });
    }

    // Descriptors number rows (or columns) of cores from 0 and skip the others.
    void read_harvesting(const YamlNode& harvesting) {
        if (!harvesting.is_map()) fail_input(harvesting.loc(file_), "'harvesting' needs a map of chip ids");
        for (const auto& [key, value] : harvesting.entries)
            collect([&, &k = key, &v = value] {
                const std::int64_t id = chip_id(*k, "harvesting");
                YamlMap map(v, file_, "harvesting");
                (void)map.node_or_null("noc_translation");
                const std::vector<int>& lines = chip_.harvests_columns ? chip_.worker_x : chip_.worker_y;
                const std::int64_t mask = map.integer("harvest_mask", {0, (std::int64_t{1} << lines.size()) - 1});
                map.done();
                for (std::size_t line = 0; line < lines.size(); ++line)
                    if (mask >> line & 1) cluster_.harvested[id].push_back(lines[line]);
            });
    }

    template <class Work>
    void collect(Work&& work) {
        try {
            work();
        } catch (const Error& error) {
            problems_.add(error);
        }
    }

    const std::string& file_;
    const ChipParams& chip_;
    Cluster cluster_;
    bool known_ = false;
    std::map<End, End> other_end_;
    Diagnostics problems_;
};

}  // namespace

Cluster read_cluster(const std::string& file, const ChipParams& chip) {
    return ClusterReader(file, chip).read(YamlMap::from_file(file));
}

Cluster read_cluster_text(const std::string& text, const std::string& name, const ChipParams& chip) {
    return ClusterReader(name, chip).read(YamlMap::from_text(text, name));
}

std::int64_t mesh_width(std::int64_t count) {
    const double root = std::sqrt(static_cast<double>(count));
    for (auto width = static_cast<std::int64_t>(std::ceil(root)); static_cast<double>(width) <= 2 * root; ++width)
        if (count % width == 0) return width;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(root)));
}

Cluster default_cluster(std::int64_t count, std::int64_t width, const ChipParams& chip) {
    Cluster cluster;
    for (std::int64_t id = 0; id < count; ++id) cluster.chips.push_back(id);
    cluster.mmio.insert(0);
    if (chip.eth.empty()) {
        cluster.mmio.insert(cluster.chips.begin(), cluster.chips.end());
        return cluster;
    }
    const auto channels = static_cast<std::int64_t>(chip.eth.size());
    if (count == 2) {
        const std::int64_t half = channels / 2;
        for (std::int64_t k = 0; k < std::clamp<std::int64_t>(half, 1, 2); ++k)
            cluster.links.push_back({0, half + k, 1, k});
        return cluster;
    }
    const std::int64_t side = channels / 4;
    if (count > 1 && side == 0)
        fail_input({}, "{} has {} Ethernet channels; a mesh of {} chips needs four of each, so give a --cluster",
                   chip.name, channels, count);
    if (width <= 0) width = mesh_width(count);
    // As on real boards, of 16: channels 4..7 connect to 12..15 of the next column, 8..11 to 0..3 of the next row.
    for (std::int64_t id = 0; id < count; ++id) {
        const bool right = id % width + 1 < width && id + 1 < count;
        const bool down = id + width < count;
        for (std::int64_t k = 0; right && k < side; ++k) cluster.links.push_back({id, side + k, id + 1, 3 * side + k});
        for (std::int64_t k = 0; down && k < side; ++k) cluster.links.push_back({id, 2 * side + k, id + width, k});
    }
    return cluster;
}

}  // namespace ttsim::impl
