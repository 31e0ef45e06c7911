// Files for the original's debugger: runtime_data.yaml, and a pipegen.yaml for each temporal epoch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/exports/exports.hpp"
#include "analysis/exports/pipe_graph.hpp"
#include "analysis/exports/text_files.hpp"
#include "analysis/trace_report/perf_file.hpp"

namespace ttsim::impl::report {

namespace {

struct TemporalEpoch {
    std::shared_ptr<const Plan> plan;
    std::int64_t inputs = 0;
};

/// Distinct plans in the order of their first launches.
std::vector<TemporalEpoch> temporal_epochs(const sim::Setup& setup) {
    std::vector<TemporalEpoch> epochs;
    std::set<std::string> known;
    EpochStream stream(setup.netlist, setup.state->calls, setup.state->settings.inputs_count);
    EpochCommand command;
    while (stream.next(command))
        if (const auto* launch = std::get_if<EpochLaunch>(&command))
            if (const std::string key = plan_key(*launch); known.insert(key).second)
                epochs.push_back({setup.state->plans.at(key).plan, launch->inputs});
    return epochs;
}

/// Bit mask of rows of NoC 0.
std::int64_t row_mask(const std::vector<int>& rows) {
    std::int64_t mask = 0;
    for (const int row : rows) mask |= std::int64_t{1} << row;
    return mask;
}

std::string runtime_data(ExportSource& source, const std::vector<TemporalEpoch>& epochs, const std::string& netlist) {
    const sim::Setup& setup = source.setup();
    std::string out = fmt::format(
        "arch_name: {}\nbackend_type: ttsim\nbackend_mode: RUN\nnetlist_path: {}\ndistribute_epoch_tables: false\n"
        "noc_translation_enabled: false\n",
        setup.arch, yaml_text(netlist));
    std::string grids, harvested;
    std::vector<std::int64_t> all, with_host;
    for (const ChipInstance& chip : setup.machine.chips) {
        all.push_back(chip.id);
        if (chip.mmio) with_host.push_back(chip.id);
        grids +=
            fmt::format("  {}: {{x: {}, y: {}}}\n", chip.id, chip.params.worker_x.size(), chip.params.worker_y.size());
        harvested += fmt::format("  {}: {}\n", chip.id, row_mask(chip.harvested_rows));
    }
    const ChipParams& first = setup.machine.chips.front().params;
    out += fmt::format("grid_size_row: {}\ngrid_size_col: {}\nworker_grid_sizes_per_chip:\n{}", first.worker_y.size(),
                       first.worker_x.size(), grids);
    out += fmt::format("harvested_rows_per_chip:\n{}all_chips: [{}]\nchips_with_mmio: [{}]\ngraph_to_epoch_map:\n",
                       harvested, fmt::join(all, ", "), fmt::join(with_host, ", "));
    std::set<const Graph*> told;
    for (std::size_t n = 0; n < epochs.size(); ++n)
        for (const Graph* graph : epochs[n].plan->graphs)
            if (told.insert(graph).second)
                out += fmt::format("  {}: {{epoch_id: {}, target_device: {}}}\n", yaml_text(graph->name), n,
                                   graph->device());
    return out;
}

std::string buffer_text(const PipeBuffer& b) {
    std::string out = fmt::format(
        "buffer_{0}:\n  md_op_name: {1}\n  id: {2}\n  uniqid: {0}\n  chip_id: [{3}]\n  core_coordinates: [{4}, {5}]\n"
        "  buffer_type: {6}\n  size_tiles: {7}\n  tile_size: {8}\n  epoch_tiles: {9}\n  tiles_per_input: {10}\n"
        "  tile_clear_granularity: {11}\n",
        b.id, yaml_text(b.name), b.operand, b.chip, b.row, b.column, b.type, b.tiles, b.tile_bytes, b.epoch_tiles,
        b.input_tiles, b.granularity);
    if (b.blocking)
        out += fmt::format("  ublock_rt: {}\n  ublock_ct: {}\n  mblock_m: {}\n  mblock_n: {}\n  mblock_k: {}\n",
                           b.blocking->ublock_rt, b.blocking->ublock_ct, b.blocking->mblock_m, b.blocking->mblock_n,
                           b.mblock_k);
    if (b.queue)
        out += fmt::format(
            "  q_slots: {}\n  dram_io_flag: 1\n  dram_io_flag_is_remote: {}\n  dram_chan: {}\n  dram_sub_chan: 0\n"
            "  dram_addr: {:#x}\n",
            b.queue->entries, b.queue->where == QueueLoc::Host ? 1 : 0, b.address.channel, b.address.address);
    return out;
}

std::string pipe_text(const PipeLink& p) {
    std::string out = fmt::format("pipe_{0}:\n  id: {0}\n  input_list: [{1}]\n  output_list: [{2}]\n", p.id,
                                  fmt::join(p.inputs, ", "), fmt::join(p.outputs, ", "));
    out += fmt::format("  pipe_periodic_repeat: 1\n  pipe_consumer_repeat: 1\n  ethernet_pipe: {}\n  mmio_pipe: {}\n",
                       p.ethernet ? 1 : 0, p.host ? 1 : 0);
    if (p.readers > 0)
        out += fmt::format("  dram_pipe_total_readers: [{}]\n  dram_pipe_reader_index: [{}]\n", p.readers, p.reader);
    return out;
}

std::string pipegen(const TemporalEpoch& epoch) {
    std::vector<std::string> names;
    for (const Graph* graph : epoch.plan->graphs) names.push_back(graph->name);
    std::string out = fmt::format("graph_name: {}\n", yaml_text(fmt::format("{}", fmt::join(names, ","))));
    const PipeGraph graph = pipe_graph(*epoch.plan, epoch.inputs);
    for (const PipeBuffer& buffer : graph.buffers) out += buffer_text(buffer);
    for (const PipeLink& pipe : graph.pipes) out += pipe_text(pipe);
    return out;
}

}  // namespace

void write_debuda(ExportSource& source, const std::string& folder, const std::string& shown) {
    const std::vector<TemporalEpoch> epochs = temporal_epochs(source.setup());
    write_text(folder, "netlist.yaml", netlist_text(source.trace()));
    write_text(folder, "runtime_data.yaml", runtime_data(source, epochs, shown + "/netlist.yaml"));
    for (std::size_t n = 0; n < epochs.size(); ++n)
        write_text(folder, fmt::format("temporal_epoch_{}/overlay/pipegen.yaml", n), pipegen(epochs[n]));
}

}  // namespace ttsim::impl::report
