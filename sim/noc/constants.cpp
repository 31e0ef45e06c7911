#include "sim/noc/constants.hpp"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "base/error.hpp"
#include "base/yaml_map.hpp"
#include "isa/chip_part.hpp"
#include "isa/coord_text.hpp"
#include "sim/memory/memory_constants.hpp"

namespace ttsim::impl::noc {

namespace {

struct Named {
    const char* name;
    double Constants::*field;
    bool rate = false;  ///< must be above 0
};

#define TT_NOC_TIME(name) \
    { #name, &Constants::name, false }
#define TT_NOC_RATE(name) \
    { #name, &Constants::name, true }
constexpr Named numbers[] = {TT_NOC_RATE(buffer_flits),       TT_NOC_RATE(buffer_own),
                             TT_NOC_RATE(buffer_pool),        TT_NOC_RATE(dynamic_lanes),
                             TT_NOC_RATE(request_slots),      TT_NOC_RATE(request_lanes),
                             TT_NOC_RATE(response_lanes),     TT_NOC_RATE(request_intake),
                             TT_NOC_TIME(packet_gap),         TT_NOC_RATE(response_flit),
                             TT_NOC_RATE(write_flit),         TT_NOC_RATE(responses),
                             TT_NOC_RATE(l1_flits),           TT_NOC_TIME(l1_write),
                             TT_NOC_TIME(issue_state),        TT_NOC_TIME(read_latency),
                             TT_NOC_TIME(dram_latency),       TT_NOC_TIME(write_latency),
                             TT_NOC_TIME(dram_write_latency), TT_NOC_TIME(atomic_latency),
                             TT_NOC_TIME(multicast_setup),    TT_NOC_TIME(issue_read),
                             TT_NOC_TIME(issue_read_short),   TT_NOC_TIME(issue_read_stateful),
                             TT_NOC_TIME(issue_write),        TT_NOC_TIME(issue_write_stateful),
                             TT_NOC_TIME(issue_dram_read),    TT_NOC_TIME(issue_dram_write),
                             TT_NOC_TIME(short_loop),         TT_NOC_TIME(barrier),
                             TT_NOC_TIME(trace_barrier),      TT_NOC_TIME(trace_notice)};
#undef TT_NOC_TIME
#undef TT_NOC_RATE

}  // namespace

Constants read_constants(const std::string& file, const ChipParams& chip) {
    YamlMap map = read_chip_part(file, ChipPart::Noc);
    Constants c;
    c.flit_bytes = chip.timing.noc_link_bytes;
    c.hop = chip.timing.noc_hop;
    c.niu = chip.timing.noc_niu;
    c.packet_bytes = chip.timing.noc_packet_bytes;
    c.dram = sim::memory_constants(chip).dram;
    YamlMap constants = map.map("constants");
    for (const Named& n : numbers) {
        const double value = constants.number(n.name);
        if (!std::isfinite(value) || value < 0 || (n.rate && value == 0))
            fail_input(constants.where(n.name), "'{}' is {}; a number {} is wanted", n.name, value,
                       n.rate ? "above 0" : "from 0");
        c.*n.field = value;
    }
    constants.done();
    c.pipes = read_pipe_constants(map.map("pipes"));
    const YamlPtr ports = map.node("block_ports");
    if (!ports->is_sequence()) fail_input(map.where("block_ports"), "'block_ports' needs a list of lists of ports");
    for (const YamlPtr& channel : ports->items) {
        c.block_ports.push_back(channel->is_sequence() && channel->items.empty()
                                    ? std::vector<NocCoord>{}
                                    : read_coords(*channel, file, "block_ports", {chip.grid_x, chip.grid_y}));
        if (c.block_ports.back().size() >= static_cast<std::size_t>(chip.dram_blocks) && !c.block_ports.back().empty())
            fail_input(channel->loc(file), "a channel of {} has {} blocks; at most {} ports are allowed here",
                       chip.name, chip.dram_blocks, chip.dram_blocks - 1);
    }
    map.done();
    return c;
}

const Constants& constants(const ChipParams& chip) {
    // the key has all sources: chips share files, and a chip created in memory may have its own timing
    using Key = std::tuple<std::string, std::string, double, int, int, int>;
    static std::mutex mutex;
    static std::map<Key, Constants> known;
    const ChipTiming& t = chip.timing;
    const Key key{chip.files.noc, chip.files.memory, t.noc_link_bytes, t.noc_hop, t.noc_niu, t.noc_packet_bytes};
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    ChipParams whole = ttsim::impl::chip(t.chip);  // ports are on the full grid, also when a descriptor restricts it
    whole.timing = t;
    whole.files = chip.files;
    return known.emplace(key, read_constants(chip.files.noc, whole)).first->second;
}

}  // namespace ttsim::impl::noc
