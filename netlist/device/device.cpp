#include "netlist/device/device.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <mutex>

#include "base/error_codes.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "isa/config_dir.hpp"
#include "netlist/device/cluster.hpp"
#include "netlist/device/soc_descriptor.hpp"

namespace ttsim::impl {

namespace {

struct Product {
    ProductInfo info;
    std::int64_t clock_mhz = 0;
    std::int64_t mesh_width = 0;
    std::vector<std::vector<int>> harvested;  ///< per chip: rows (noc0 y), or columns (noc0 x) if it harvests these
    std::size_t dram_channels = 0;            ///< 0: all of the chip
};

Product read_product(const std::string& name, YamlMap map) {
    Product p;
    const std::string file = map.where().file;
    p.info.name = name;
    p.info.arch = map.text("chip");
    p.info.summary = map.text("summary");
    p.info.chips = map.integer("chips", {1, 1024});
    p.clock_mhz = map.integer("clock_mhz", {1, 100'000});
    const ChipParams& params = chip(p.info.arch);
    if (const YamlPtr mesh = map.node_or_null("mesh")) {
        if (!mesh->is_sequence() || mesh->items.size() != 2)
            fail_input(mesh->loc(file), "'mesh' needs two numbers, [columns, rows]");
        p.mesh_width = yaml_integer(*mesh->items[0], file, "mesh", {1, 1024});
        if (p.mesh_width * yaml_integer(*mesh->items[1], file, "mesh", {1, 1024}) != p.info.chips)
            fail_input(mesh->loc(file), "'mesh' does not hold {} chips", p.info.chips);
    }
    const YamlPtr harvested = map.node("harvested");
    if (!harvested->is_sequence() || static_cast<std::int64_t>(harvested->items.size()) == 0)
        fail_input(harvested->loc(file), "'harvested' needs a list of rows for each chip");
    const bool columns = params.harvests_columns;
    for (const YamlPtr& rows : harvested->items) {
        std::vector<int> list;
        for (const YamlPtr& row : rows->items)
            list.push_back(static_cast<int>(
                yaml_integer(*row, file, "harvested", {0, (columns ? params.grid_x : params.grid_y) - 1})));
        p.harvested.push_back(std::move(list));
    }
    p.dram_channels = static_cast<std::size_t>(
        map.integer_or("dram_channels", 0, {1, static_cast<std::int64_t>(params.dram.size())}));
    map.done();
    const std::size_t lost = p.harvested.front().size();
    p.info.cols = static_cast<std::int64_t>(params.worker_x.size() - (columns ? lost : 0));
    p.info.rows = static_cast<std::int64_t>(params.worker_y.size() - (columns ? 0 : lost));
    p.info.validated = params.validated;
    return p;
}

Product chip_as_product(const ChipParams& params) {
    Product p;
    p.info = {params.name,
              params.name,
              params.summary,
              1,
              static_cast<std::int64_t>(params.worker_y.size()),
              static_cast<std::int64_t>(params.worker_x.size()),
              params.validated};
    p.clock_mhz = params.clock_mhz;
    p.harvested = {{}};
    return p;
}

/// Boards of all products.yaml, then the selectable chips; the first entry of a name wins.
std::vector<Product> all_products() {
    std::vector<Product> list;
    const auto add = [&](Product product) {
        const auto same = [&](const Product& known) { return known.info.name == product.info.name; };
        if (std::none_of(list.begin(), list.end(), same)) list.push_back(std::move(product));
    };
    for (const std::string& file : config_files("products.yaml")) {
        YamlMap map = YamlMap::from_file(file);
        for (const std::string& name : map.keys()) add(read_product(name, map.map(name)));
    }
    for (const std::string& name : chip_names())
        if (const ChipParams& params = chip(name); !params.summary.empty()) add(chip_as_product(params));
    return list;
}

/// A selected device, before additional harvesting.
struct DeviceChoice {
    std::string name;
    SocDescriptor soc;
    std::int64_t chips = 1;
    bool fixed_count = false;
    std::int64_t mesh_width = 0;
    std::vector<std::vector<int>> harvested{{}};
};

DeviceChoice single_chip(std::string name, SocDescriptor soc) {
    return {.name = std::move(name), .soc = std::move(soc)};
}

bool same_layout(const ChipParams& a, const ChipParams& b) {
    return a.grid_x == b.grid_x && a.grid_y == b.grid_y && a.worker_x == b.worker_x && a.worker_y == b.worker_y;
}

DeviceChoice product_choice(const Product& product, const ChipParams& base) {
    if (!same_layout(chip(product.info.arch), base))
        fail_input({}, "--device {} has {} chips, but the netlist runs on {}", product.info.name, product.info.arch,
                   base.name);
    DeviceChoice choice{.name = product.info.name,
                        .soc = {base, {}, {}},
                        .chips = product.info.chips,
                        .fixed_count = true,
                        .mesh_width = product.mesh_width,
                        .harvested = product.harvested};
    choice.soc.params.clock_mhz = product.clock_mhz;
    if (product.dram_channels > 0) choice.soc.params.dram.resize(product.dram_channels);
    return choice;
}

DeviceChoice choose_device(const std::string& device, const ChipParams& base) {
    if (device.empty()) return single_chip(base.name, {base, {}, {}});
    if (is_chip_path(device)) {
        if (chip(device).file != base.file)
            fail_input({}, "--device {} is the chip {}, but the netlist runs on {}", device, chip(device).name,
                       base.name);
        return single_chip(base.name, {base, {}, {}});
    }
    std::vector<std::string> names;
    for (const Product& product : all_products()) {
        if (product.info.name == to_lower(device)) return product_choice(product, base);
        names.push_back(product.info.name);
    }
    const std::filesystem::path path(device);
    if (path.extension() == ".yaml" || path.extension() == ".yml" || device.find('/') != std::string::npos)
        return single_chip(path.stem().string(), read_soc_descriptor(device, base));
    fail_input_as(error_code::unknown_name, {},
                  "--device '{}' is neither a product nor a soc descriptor (.yaml) nor a chip's folder; products: {}{}",
                  device, fmt::join(names, ", "), did_you_mean(to_lower(device), names));
}

void harvest(ChipInstance& instance, const std::vector<int>& lines, bool columns, std::string_view source) {
    for (const int line : lines) harvest_line(instance, line, columns, source);
}

Cluster choose_cluster(const MachineOptions& options, const DeviceChoice& device, const ChipParams& base) {
    if (!options.cluster.empty()) {
        Cluster cluster = read_cluster(options.cluster, base);
        if (cluster.chips.back() + 1 < options.chips)
            fail_input({}, "the netlist uses chip {}, but --cluster {} ends at chip {}", options.chips - 1,
                       options.cluster, cluster.chips.back());
        return cluster;
    }
    // boards without Ethernet communicate over the host, so any number of them works
    if (device.fixed_count && options.chips > device.chips && !base.eth.empty())
        fail_input({}, "the netlist uses chip {}, but --device {} has {} chip{}; a --cluster can join several",
                   options.chips - 1, device.name, device.chips, device.chips == 1 ? "" : "s");
    const std::int64_t count = std::max({options.chips, device.chips, std::int64_t{1}});
    if (count > 1024) fail_input({}, "the netlist uses chip {}; at most 1024 chips are modelled", count - 1);
    return default_cluster(count, device.mesh_width, base);
}

}  // namespace

void harvest_line(ChipInstance& instance, int at, bool column, std::string_view source) {
    std::vector<int>& remaining = column ? instance.params.worker_x : instance.params.worker_y;
    std::vector<int>& lost = column ? instance.harvested_columns : instance.harvested_rows;
    const char* const line = column ? "column" : "row";
    if (std::find(lost.begin(), lost.end(), at) != lost.end()) return;
    const auto found = std::find(remaining.begin(), remaining.end(), at);
    if (found == remaining.end())
        fail_input({}, "{} names {} {} of chip {}; its {}s of cores are {}", source, line, at, instance.id, line,
                   fmt::join(remaining, ", "));
    if (remaining.size() == 1) fail_input({}, "{} leaves chip {} without cores", source, instance.id);
    remaining.erase(found);
    lost.insert(std::upper_bound(lost.begin(), lost.end(), at), at);
}

std::string device_chip(const std::string& device) {
    if (device.empty()) return "";
    if (is_chip_path(device)) return chip(device).file;
    for (const Product& product : all_products())
        if (product.info.name == to_lower(device)) return product.info.arch;
    return "";
}

std::vector<ProductInfo> products() {
    std::vector<ProductInfo> list;
    for (const Product& product : all_products()) list.push_back(product.info);
    return list;
}

Machine make_machine(const std::string& arch, const MachineOptions& options) {
    const ChipParams& base = chip(arch);
    const DeviceChoice device = choose_device(options.device, base);
    const Cluster cluster = choose_cluster(options, device, device.soc.params);
    Machine machine;
    machine.name = device.name;
    if (!options.cluster.empty()) machine.name += " in " + std::filesystem::path(options.cluster).stem().string();
    machine.links = cluster.links;
    for (const std::int64_t id : cluster.chips) {
        ChipInstance instance{id, device.soc.params, device.soc.harvested_rows, cluster.mmio.contains(id),
                              device.soc.harvested_columns};
        const auto of_product = static_cast<std::size_t>(id) % device.harvested.size();
        harvest(instance, device.harvested[of_product], base.harvests_columns, device.name);
        if (const auto found = cluster.harvested.find(id); found != cluster.harvested.end())
            harvest(instance, found->second, base.harvests_columns, "--cluster");
        harvest(instance, options.harvested_rows, false, "--harvested-rows");
        machine.chips.push_back(std::move(instance));
    }
    return machine;
}

const ChipInstance* Machine::find(std::int64_t id) const {
    const auto found = std::lower_bound(chips.begin(), chips.end(), id,
                                        [](const ChipInstance& c, std::int64_t i) { return c.id < i; });
    return found != chips.end() && found->id == id ? &*found : nullptr;
}

DeviceGrid Machine::grid(std::int64_t id) const {
    const ChipInstance* instance = find(id);
    if (!instance) return {};
    const ChipParams& p = instance->params;
    return {static_cast<std::int64_t>(p.worker_y.size()), static_cast<std::int64_t>(p.worker_x.size()),
            static_cast<std::int64_t>(p.dram.size()), static_cast<std::int64_t>(p.eth.size()), p.dram_channel_bytes};
}

std::vector<std::int64_t> Machine::route(std::int64_t from, std::int64_t to) const {
    const ChipInstance *first = find(from), *last = find(to);
    if (!first || !last) return {};
    if (from == to) return {from};
    if (first->params.eth.empty() && last->params.eth.empty()) return {from, to};
    std::map<std::int64_t, std::vector<std::int64_t>> neighbours;
    for (const EthLink& link : links) {
        neighbours[link.chip_a].push_back(link.chip_b);
        neighbours[link.chip_b].push_back(link.chip_a);
    }
    // distances from the destination, then descend, lowest id first
    std::map<std::int64_t, std::int64_t> distance{{to, 0}};
    for (std::deque<std::int64_t> open{to}; !open.empty(); open.pop_front())
        for (const std::int64_t next : neighbours[open.front()])
            if (distance.emplace(next, distance[open.front()] + 1).second) open.push_back(next);
    if (!distance.contains(from)) return {};
    std::vector<std::int64_t> path{from};
    while (path.back() != to) {
        std::int64_t best = -1;
        for (const std::int64_t next : neighbours[path.back()])
            if (distance[next] + 1 == distance[path.back()] && (best < 0 || next < best)) best = next;
        path.push_back(best);
    }
    return path;
}

}  // namespace ttsim::impl
