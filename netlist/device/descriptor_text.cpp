#include "netlist/device/descriptor_text.hpp"

#include <fmt/ranges.h>

namespace ttsim::impl {

namespace {

std::string coord_text(NocCoord at) { return fmt::format("{}-{}", at.x, at.y); }

std::string coord_list(const std::vector<NocCoord>& all) {
    std::vector<std::string> words;
    for (const NocCoord at : all) words.push_back(coord_text(at));
    return fmt::format("[{}]", fmt::join(words, ", "));
}

/// The cores of the given rows, row by row.
std::vector<NocCoord> cores_of(const std::vector<int>& columns, const std::vector<int>& rows) {
    std::vector<NocCoord> all;
    for (const int y : rows)
        for (const int x : columns) all.push_back({x, y});
    return all;
}

}  // namespace

std::string soc_descriptor_text(const ChipInstance& chip) {
    const ChipParams& p = chip.params;
    std::vector<NocCoord> harvested = cores_of(p.worker_x, chip.harvested_rows);
    for (const std::vector<int>& rows : {p.worker_y, chip.harvested_rows}) {
        const std::vector<NocCoord> of_columns = cores_of(chip.harvested_columns, rows);
        harvested.insert(harvested.end(), of_columns.begin(), of_columns.end());
    }
    std::string text = fmt::format("grid:\n  x_size: {}\n  y_size: {}\n\narc: {}\n\npcie: {}\n\ndram:\n", p.grid_x,
                                   p.grid_y, coord_list({p.arc}), coord_list({p.pcie}));
    for (const std::vector<NocCoord>& channel : p.dram) text += fmt::format("  - {}\n", coord_list(channel));
    text += fmt::format("\neth: {}\n\nfunctional_workers: {}\n\nharvested_workers: {}\n\nrouter_only: []\n\n",
                        coord_list(p.eth), coord_list(cores_of(p.worker_x, p.worker_y)), coord_list(harvested));
    text += fmt::format("worker_l1_size: {}\n\ndram_bank_size: {}\n\neth_l1_size: {}\n\narch_name: {}\n", p.l1_bytes,
                        p.dram_channel_bytes, p.eth_l1_bytes, p.name);
    return text;
}

std::string cluster_descriptor_text(const Machine& machine) {
    std::vector<std::string> archs, places, numbers, mmio;
    for (const ChipInstance& chip : machine.chips) {
        archs.push_back(fmt::format("{}: {}", chip.id, chip.params.name));
        places.push_back(fmt::format("{0}: [{0}, 0, 0, 0]", chip.id));
        numbers.push_back(fmt::format("{0}: {0}", chip.id));  // simulated chips have no serial numbers
        if (chip.mmio) mmio.push_back(fmt::format("{}: {}", chip.id, mmio.size()));
    }
    std::string text = fmt::format("arch: {{{}}}\n\nchips: {{{}", fmt::join(archs, ", "), fmt::join(places, ", "));
    text += machine.links.empty() ? "}\n\nethernet_connections: []\n" : "}\n\nethernet_connections:\n";
    for (const EthLink& link : machine.links)
        text += fmt::format("  - [{{chip: {}, chan: {}}}, {{chip: {}, chan: {}}}]\n", link.chip_a, link.channel_a,
                            link.chip_b, link.channel_b);
    return text + fmt::format("\nchips_with_mmio: [{}]\n\nchip_unique_ids: {{{}}}\n", fmt::join(mmio, ", "),
                              fmt::join(numbers, ", "));
}

}  // namespace ttsim::impl
