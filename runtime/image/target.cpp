#include "runtime/image/target.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "isa/config_dir.hpp"
#include "netlist/device/cluster.hpp"
#include "netlist/device/descriptor_text.hpp"
#include "netlist/device/soc_descriptor.hpp"

namespace ttsim::impl::image {

namespace {

constexpr std::uint64_t max_descriptor = std::uint64_t{64} << 20;

std::string build_file(const std::string& name) { return std::string(builds_folder) + "/" + name; }

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

/// Constants from configs/images.yaml and the chip.
struct QueueConstants {
    std::int64_t metadata_limit, slot_bytes, binary_slots, binary_slot_bytes, cache_slots, epoch_slots;
};

QueueConstants read_constants(const ChipParams& chip) {
    YamlMap map = YamlMap::from_file(config_file("images.yaml"));
    constexpr IntRange any{0, std::int64_t{1} << 40};
    return {map.integer("metadata_limit", any),     map.integer("epoch_slot_bytes", any),
            map.integer("binary_slots", any),       map.integer("binary_slot_bytes", any),
            map.integer("kernel_cache_slots", any), chip.images.epoch_slots};
}

/// Graphs in the order in which programs first execute them.
std::vector<const Graph*> executed(const Netlist& netlist) {
    std::vector<const Graph*> order;
    for (const Program& program : netlist.programs)
        for (const Instruction& step : program.instructions) {
            const Graph* graph = step.kind == Instruction::Kind::Execute ? netlist.find_graph(step.graph) : nullptr;
            if (graph && std::find(order.begin(), order.end(), graph) == order.end()) order.push_back(graph);
        }
    return order;
}

std::string runtime_data(const Machine& machine, const Netlist& netlist, const std::string& release) {
    const ChipInstance& first = machine.chips.front();
    const QueueConstants c = read_constants(first.params);
    std::string text = fmt::format(
        "arch_name: {}\nbackend_type: Silicon\nbackend_mode: CompileOnly\nnetlist_path: unzipped_tti/netlist.yaml\n"
        "cluster_descriptor_path: unzipped_tti/backend_build_binaries/cluster_desc.yaml\n"
        "distribute_epoch_tables: true\nnoc_translation_enabled: {}\n{}\ncommit_hash: {}\n",
        upper(first.params.name), first.params.harvest_from_end, ttsim_marker, release);
    text += "worker_grid_sizes_per_chip:\n";
    for (const ChipInstance& chip : machine.chips)
        text +=
            fmt::format("  {}: {{x: {}, y: {}}}\n", chip.id, chip.params.worker_x.size(), chip.params.worker_y.size());
    text += "graph_to_epoch_map:\n";
    std::int64_t epoch = 0;
    for (const Graph* graph : executed(netlist))
        text += fmt::format("  {}: {{epoch_id: {}, target_device: {}}}\n", graph->name, epoch++, graph->device());
    text += fmt::format(
        "epoch_queue_num_slots: {}\ndram_epoch_metadata_limit: {}\ngrid_size_row: {}\ngrid_size_col: {}\n"
        "kernel_cache_num_slots: {}\nepoch_metadata:\n  epoch_q_num_slots: {}\n  epoch_table_dram_addr: 0\n"
        "  epoch_table_entry_size_bytes: {}\n  epoch_alloc_q_sync_addr: 0\n  epoch_q_slot_size: {}\n"
        "  epoch_q_slot_offset: 0\nharvested_rows_per_chip:\n",
        c.epoch_slots, c.metadata_limit, first.params.grid_y, first.params.grid_x, c.cache_slots, c.epoch_slots,
        c.binary_slots * c.binary_slot_bytes, c.slot_bytes);
    for (const ChipInstance& chip : machine.chips) text += fmt::format("  {}: {}\n", chip.id, harvesting_mask(chip));
    return text;
}

/// Describes a machine: "wormhole_b0, 1 chip, grid [9, 8], harvested rows [11] (mask 2048)".
std::string describe(const Machine& machine) {
    std::string text = fmt::format("{}, {} chip{}", machine.chips.front().params.name, machine.chips.size(),
                                   machine.chips.size() == 1 ? "" : "s");
    std::string before;
    for (const ChipInstance& chip : machine.chips) {
        const std::string text_of_chip =
            fmt::format("grid [{}, {}], harvested rows [{}] (mask {}){}", chip.params.worker_y.size(),
                        chip.params.worker_x.size(), fmt::join(chip.harvested_rows, ", "), harvesting_mask(chip),
                        chip.harvested_columns.empty()
                            ? ""
                            : fmt::format(", harvested columns [{}]", fmt::join(chip.harvested_columns, ", ")));
        if (text_of_chip != before)
            text +=
                fmt::format(", {}{}", machine.chips.size() > 1 ? fmt::format("chip {}: ", chip.id) : "", text_of_chip);
        before = text_of_chip;
    }
    return text;
}

bool same_chip(const ChipInstance& a, const ChipInstance& b) {
    return a.id == b.id && a.params.name == b.params.name && a.params.worker_x == b.params.worker_x &&
           a.params.worker_y == b.params.worker_y && a.harvested_rows == b.harvested_rows &&
           a.params.dram.size() == b.params.dram.size();
}

// --- reading -------------------------------------------------------------------------------------------------------

/// The rows of the record override the chip's descriptor, which has no harvested rows if coordinates are translated.
void apply_mask(ChipInstance& chip, const ChipParams& base, std::int64_t mask, const std::string& place) {
    const std::vector<int> rows = rows_of_mask(mask);
    if (rows == chip.harvested_rows) return;
    const bool known = std::all_of(rows.begin(), rows.end(), [&](int row) {
        return std::find(base.worker_y.begin(), base.worker_y.end(), row) != base.worker_y.end();
    });
    if (!known || rows.size() != chip.harvested_rows.size() || !base.harvest_from_end)
        fail_input({place, 0, 0}, "'harvested_rows' of chip {}: mask {} is rows [{}]; its descriptor lacks rows [{}]",
                   chip.id, mask, fmt::join(rows, ", "), fmt::join(chip.harvested_rows, ", "));
    chip.harvested_rows = rows;
    chip.params.worker_y.clear();
    for (const int row : base.worker_y)
        if (std::find(rows.begin(), rows.end(), row) == rows.end()) chip.params.worker_y.push_back(row);
}

ChipInstance whole_chip(const ChipParams& base, std::int64_t id, std::int64_t mask, const std::string& place) {
    ChipInstance chip{id, base, rows_of_mask(mask), false, {}};
    for (const int row : chip.harvested_rows)
        if (std::find(base.worker_y.begin(), base.worker_y.end(), row) == base.worker_y.end())
            fail_input({place, 0, 0}, "'harvested_rows' of chip {}: mask {} names row {}, which has no cores", id, mask,
                       row);
    std::erase_if(chip.params.worker_y, [&](int row) {
        return std::find(chip.harvested_rows.begin(), chip.harvested_rows.end(), row) != chip.harvested_rows.end();
    });
    return chip;
}

ChipInstance read_chip(const FileSet& files, const ChipParams& base, std::int64_t id) {
    std::string file = build_file(fmt::format("device_descs/{}.yaml", id));
    if (!files.has(file)) file = build_file("device_desc.yaml");
    const SocDescriptor soc =
        read_soc_descriptor_text(files.read(file, max_descriptor).text(), files.place(file), base);
    return {id, soc.params, soc.harvested_rows, false, soc.harvested_columns};
}

const ChipParams& base_chip(const DeviceRecord& record, const std::string& place) {
    const std::string name = chip_of_arch(record.arch);
    const std::vector<std::string> known = chip_names();
    if (std::find(known.begin(), known.end(), name) == known.end())
        fail_unsupported({place, 0, 0}, "'arch': chip '{}' is not modelled; known: {}", record.arch,
                         fmt::join(known, ", "));
    return chip(name);
}

void check_grid(const Machine& machine, const DeviceRecord& record, const std::string& place) {
    const ChipParams& p = machine.chips.front().params;
    const std::vector<std::int64_t> grid{static_cast<std::int64_t>(p.worker_y.size()),
                                         static_cast<std::int64_t>(p.worker_x.size())};
    if (!record.grid_size.empty() && record.grid_size != grid)
        fail_input({place, 0, 0}, "'grid_size' is [{}]; the descriptor of chip {} has [{}]",
                   fmt::join(record.grid_size, ", "), machine.chips.front().id, fmt::join(grid, ", "));
}

}  // namespace

std::int64_t harvesting_mask(const ChipInstance& chip) {
    std::int64_t mask = 0;
    for (const int row : chip.harvested_rows) mask |= std::int64_t{1} << row;
    return mask;
}

std::vector<int> rows_of_mask(std::int64_t mask) {
    std::vector<int> rows;
    for (int row = 0; row < 62; ++row)
        if (mask >> row & 1) rows.push_back(row);
    return rows;
}

void write_target(const Machine& machine, const Netlist& netlist, const std::string& release, const FileSink& sink) {
    const std::string first = soc_descriptor_text(machine.chips.front());
    sink(build_file("device_desc.yaml"), first);
    std::vector<std::string> all;
    for (const ChipInstance& chip : machine.chips) all.push_back(soc_descriptor_text(chip));
    if (std::any_of(all.begin(), all.end(), [&](const std::string& text) { return text != first; }))
        for (std::size_t k = 0; k < all.size(); ++k)
            sink(build_file(fmt::format("device_descs/{}.yaml", machine.chips[k].id)), all[k]);
    sink(build_file("cluster_desc.yaml"), cluster_descriptor_text(machine));
    sink(build_file("runtime_data.yaml"), runtime_data(machine, netlist, release));
}

Machine read_target(const FileSet& files, const DeviceRecord& record) {
    const std::string place = files.place("device.json");
    const ChipParams& base = base_chip(record, place);
    const auto masks = static_cast<std::int64_t>(record.harvested_rows.size());
    const std::string cluster_file = build_file("cluster_desc.yaml");
    const auto chips = std::max<std::int64_t>({1, masks, static_cast<std::int64_t>(record.chip_ids.size())});
    if (chips > 1024) fail_input({place, 0, 0}, "'chip_ids' has {} chips; at most 1024 are modelled", chips);
    const Cluster cluster = files.has(cluster_file) ? read_cluster_text(files.read(cluster_file, max_descriptor).text(),
                                                                        files.place(cluster_file), base)
                                                    : default_cluster(chips, 0, base);
    Machine machine;
    machine.name = base.name;
    machine.links = cluster.links;
    const bool described = files.has(build_file("device_desc.yaml")) || files.has(build_file("device_descs/0.yaml"));
    for (std::size_t k = 0; k < cluster.chips.size(); ++k) {
        const std::int64_t id = cluster.chips[k];
        const bool masked = k < record.harvested_rows.size();
        const std::int64_t mask = masked ? record.harvested_rows[k] : 0;
        ChipInstance chip = described ? read_chip(files, base, id) : whole_chip(base, id, mask, place);
        if (chip.params.worker_y.empty())
            fail_input({place, 0, 0}, "'harvested_rows' leaves chip {} without cores", id);
        if (described && masked) apply_mask(chip, base, mask, place);
        chip.mmio = cluster.mmio.contains(id);
        machine.chips.push_back(std::move(chip));
    }
    check_grid(machine, record, place);
    return machine;
}

Machine requested_machine(const Machine& compiled_for, const std::string& arch, MachineOptions options) {
    if (options.device.empty() && arch.empty() && !device_chip(compiled_for.name).empty())
        options.device = compiled_for.name;
    options.chips = static_cast<std::int64_t>(compiled_for.chips.size());
    const std::string of_device = device_chip(options.device);
    const std::string chip = !arch.empty()        ? arch
                             : !of_device.empty() ? of_device
                                                  : compiled_for.chips.front().params.name;
    if (const auto known = products();
        std::any_of(known.begin(), known.end(), [&](const ProductInfo& p) { return p.name == options.device; }))
        options.chips = 1;  // the product determines the number
    return make_machine(chip, options);
}

void check_same_target(const Machine& compiled_for, const Machine& requested, const std::string& image) {
    if (std::equal(compiled_for.chips.begin(), compiled_for.chips.end(), requested.chips.begin(), requested.chips.end(),
                   same_chip))
        return;
    fail_input({image, 0, 0}, "it was compiled for {} ({}) and cannot run on {} ({}); compile the model for that one",
               compiled_for.name, describe(compiled_for), requested.name, describe(requested));
}

}  // namespace ttsim::impl::image
