// Reader of workloads (phases of transfers), and detection of a file's format.
#include <algorithm>

#include "sim/noc/read_traffic.hpp"

namespace ttsim::impl::noc {

namespace {

constexpr std::int64_t most_bytes = 8192 * 64, most_packets = 10'000'000;

bool read_transfer(const Json& item, const std::string& file, const Topology& topology, Diagnostics& problems,
                   Transfer& transfer) {
    JsonFields fields(item, file, topology, problems);
    if (item.kind != Json::Kind::Map) {
        problems.error(fields.where(), "a transfer is {}; a map is wanted", kind_name(item.kind));
        return false;
    }
    const std::size_t before = problems.size();
    const auto noc = fields.noc("noc_type");
    const auto source = fields.place_on_grid("src_x", "src_y", true);
    const auto bytes = fields.whole("packet_size", 1, most_bytes, true);
    const auto packets = fields.whole("num_packets", 1, most_packets, true);
    transfer.rate = fields.number("injection_rate", 0, false).value_or(0);
    transfer.offset = fields.number("phase_cycle_offset", 0, false).value_or(0);
    transfer.multicast = fields.has("mcast_start_x");
    const auto first = transfer.multicast ? fields.place_on_grid("mcast_start_x", "mcast_start_y", true)
                                          : fields.place_on_grid("dst_x", "dst_y", true);
    const auto last = transfer.multicast ? fields.place_on_grid("mcast_end_x", "mcast_end_y", true) : first;
    if (problems.size() > before || !noc || !source || !bytes || !packets || !first || !last) return false;
    transfer.noc = *noc;
    transfer.source = topology.node(*source);
    transfer.bytes = static_cast<std::uint64_t>(*bytes);
    transfer.packets = static_cast<std::uint32_t>(*packets);
    transfer.target = topology.node(*first);
    return !transfer.multicast || set_rectangle(fields, topology, *noc, transfer.source, *first, *last, transfer.first,
                                                transfer.last, problems);
}

}  // namespace

bool set_rectangle(const JsonFields& fields, const Topology& topology, int noc, Node source, NocCoord a, NocCoord b,
                   NocCoord& first, NocCoord& last, Diagnostics& problems) {
    const auto [low_x, high_x] = std::minmax(a.x, b.x);
    const auto [low_y, high_y] = std::minmax(a.y, b.y);
    first = noc == 0 ? NocCoord{low_x, low_y} : NocCoord{high_x, high_y};
    last = noc == 0 ? NocCoord{high_x, high_y} : NocCoord{low_x, low_y};
    for (const Node worker : topology.workers()) {
        const NocCoord at = topology.coord(worker);
        if (worker != source && at.x >= low_x && at.x <= high_x && at.y >= low_y && at.y <= high_y) return true;
    }
    problems.error(fields.where("mcast_start_x"),
                   "no Tensix tile but the source lies in the rectangle {}-{} to {}-{} of the multicast", low_x, low_y,
                   high_x, high_y);
    return false;
}

Workload read_workload(const Json& map, const std::string& file, const Topology& topology) {
    Diagnostics problems;
    Workload workload;
    JsonFields fields(map, file, topology, problems);
    if (const Json* const golden = map.find("golden_result"); golden && golden->kind == Json::Kind::Map)
        workload.golden = JsonFields(*golden, file, topology, problems).number("cycles", 0, false);
    const Json* const phases = map.find("phases");
    if (!phases || phases->kind != Json::Kind::List)
        fail_input(fields.where("phases"), "'phases' is {}; a list of phases is wanted",
                   phases ? kind_name(phases->kind) : "missing");
    for (const Json& phase : phases->items) {
        const Json* const transfers = phase.find("transfers");
        if (!transfers || transfers->kind != Json::Kind::List) {
            problems.error(JsonFields(phase, file, topology, problems).where("transfers"),
                           "a phase has no list 'transfers'");
            continue;
        }
        workload.phases.emplace_back();
        for (const Json& item : transfers->items) {
            Transfer transfer;
            if (read_transfer(item, file, topology, problems, transfer)) workload.phases.back().push_back(transfer);
            if (problems.size() >= max_problems) problems.throw_if_any();
        }
    }
    problems.throw_if_any();
    return workload;
}

namespace {

std::variant<Trace, Workload> traffic_of(const Json& root, const std::string& name, const Topology& topology) {
    if (root.kind == Json::Kind::List) return read_trace(root, name, topology);
    if (root.kind == Json::Kind::Map) return read_workload(root, name, topology);
    fail_input({name, 1, 1}, "the file holds {}; a list of events or a map with 'phases' is wanted",
               kind_name(root.kind));
}

}  // namespace

std::variant<Trace, Workload> parse_traffic(std::string_view text, const std::string& name, const Topology& topology) {
    return traffic_of(parse_json(text, name), name, topology);
}

std::variant<Trace, Workload> read_traffic(const std::string& file, const Topology& topology) {
    return traffic_of(read_json(file), file, topology);
}

}  // namespace ttsim::impl::noc
