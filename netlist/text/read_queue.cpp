// Reads the section queues of a netlist.
#include <set>

#include "netlist/text/read_parts.hpp"

namespace ttsim::impl::reading {

namespace {

struct QueueReading {
    Queue queue;
    bool has_dram = false, has_host = false;
    std::vector<BufferAddress> dram, host;
};

constexpr IntRange channel_range{0, 63};
constexpr IntRange address_range{0, 0xFFFF'FFFF};

std::vector<BufferAddress> read_addresses(const Context& ctx, const YamlNode& node, std::string_view what,
                                          bool bare_allowed) {
    if (!node.is_sequence())
        fail_input(ctx.at(node), "'{}' is {}; a list of addresses is wanted", what, quoted_node(node));
    std::vector<BufferAddress> list;
    for (const YamlPtr& item : node.items) {
        if (item->is_scalar() && bare_allowed) {
            list.push_back({0, static_cast<std::uint64_t>(integer(ctx, *item, what, address_range))});
            continue;
        }
        if (!item->is_sequence() || item->items.size() != 2)
            fail_input(ctx.at(*item), "an element of '{}' is {}; [channel, address] is wanted", what,
                       quoted_node(*item));
        list.push_back({integer(ctx, *item->items[0], "channel", channel_range),
                        static_cast<std::uint64_t>(integer(ctx, *item->items[1], "address", address_range))});
    }
    return list;
}

const Field<QueueReading> queue_fields[] = {
    {"input", [](Context& c, const YamlNode& n, QueueReading& q) { q.queue.input = text(c, n, "input"); }, true},
    {"input_tms",
     [](Context& c, const YamlNode& n, QueueReading& q) { append_tms(c, n, "input_tms", q.queue.input_tms.tms); }},
    {"type",
     [](Context& c, const YamlNode& n, QueueReading& q) {
         q.queue.type = choice(c, n, "type", {"queue", "ram"}) == "queue" ? QueueType::Queue : QueueType::Ram;
     },
     true},
    {"entries",
     [](Context& c, const YamlNode& n, QueueReading& q) {
         q.queue.entries = integer(c, n, "entries", {1, std::int64_t{1} << 31});
     },
     true},
    {"grid_size", [](Context& c, const YamlNode& n, QueueReading& q) { read_grid(c, n, q.queue.blocking); }, true},
    {"t", [](Context& c, const YamlNode& n, QueueReading& q) { read_t(c, n, q.queue.blocking); }, true},
    {"mblock", [](Context& c, const YamlNode& n, QueueReading& q) { read_mblock(c, n, q.queue.blocking); }, true},
    {"ublock", [](Context& c, const YamlNode& n, QueueReading& q) { read_ublock(c, n, q.queue.blocking); }, true},
    {"ublock_order",
     [](Context& c, const YamlNode& n, QueueReading& q) { q.queue.blocking.order = ublock_order(c, n); }},
    {"df", [](Context& c, const YamlNode& n, QueueReading& q) { q.queue.df = format(c, n, "df"); }, true},
    {"tile_dim", [](Context& c, const YamlNode& n, QueueReading& q) { q.queue.tile = tile_dim(c, n); }},
    {"target_device", [](Context& c, const YamlNode& n, QueueReading& q) { q.queue.target_devices = devices(c, n); },
     true},
    {"loc",
     [](Context& c, const YamlNode& n, QueueReading& q) {
         q.queue.where = choice(c, n, "loc", {"dram", "host"}) == "dram" ? QueueLoc::Dram : QueueLoc::Host;
     },
     true},
    // The first of repeated address lists wins.
    {"dram",
     [](Context& c, const YamlNode& n, QueueReading& q) {
         if (!q.has_dram) q.dram = read_addresses(c, n, "dram", false);
         q.has_dram = true;
     }},
    {"host",
     [](Context& c, const YamlNode& n, QueueReading& q) {
         if (!q.has_host) q.host = read_addresses(c, n, "host", true);
         q.has_host = true;
     }},
    {"read_ports",
     [](Context& c, const YamlNode& n, QueueReading& q) {
         q.queue.read_ports = integer_list(c, n, "read_ports", {0, 2});
     }},
    {"write_ports",
     [](Context& c, const YamlNode& n, QueueReading& q) {
         q.queue.write_ports = integer_list(c, n, "write_ports", {0, 2});
     }},
    {"layout",
     [](Context& c, const YamlNode& n, QueueReading& q) {
         q.queue.layout =
             choice(c, n, "layout", {"tilized", "flat"}) == "flat" ? QueueLayout::Flat : QueueLayout::Tilized;
     }},
    {"alias", [](Context& c, const YamlNode& n, QueueReading& q) { q.queue.alias = text(c, n, "alias"); }},
};

void check_ports(Context& ctx, const Queue& queue, const std::vector<std::int64_t>& ports, const char* name) {
    if (!ports.empty() && std::cmp_not_equal(ports.size(), queue.blocking.cores()))
        ctx.problems.error(queue.loc, "queue '{}' has {} {} for {} buffers (grid_size {}x{})", queue.name, ports.size(),
                           name, queue.blocking.cores(), queue.blocking.grid_r, queue.blocking.grid_c);
}

void finish_queue(Context& ctx, const std::string& what, QueueReading& reading) {
    Queue& queue = reading.queue;
    const bool dram = queue.where == QueueLoc::Dram;
    const char* list = dram ? "dram" : "host";
    if (!(dram ? reading.has_dram : reading.has_host)) {
        ctx.problems.error(queue.loc, "{} is in {} and needs the field '{}' with its addresses", what, list, list);
        return;
    }
    queue.buffers = dram ? reading.dram : reading.host;
    const std::int64_t wanted = queue.blocking.cores();
    if (std::cmp_not_equal(queue.buffers.size(), wanted))
        ctx.problems.error(queue.loc, "{} has {} addresses; grid_size {}x{} needs {}", what, queue.buffers.size(),
                           queue.blocking.grid_r, queue.blocking.grid_c, wanted);
    check_ports(ctx, queue, queue.read_ports, "read_ports");
    check_ports(ctx, queue, queue.write_ports, "write_ports");
    for (const Tm& tm : queue.input_tms.tms)
        if (tm.kind == Tm::Kind::Pad) ctx.problems.error(tm.loc, "{}: pad is not allowed in 'input_tms'", what);
    check_sizes(ctx, queue.loc, what, queue.blocking);
}

}  // namespace

void read_queues(Context& ctx, const YamlNode& node, Netlist& into) {
    if (node.is_null() || !ctx.is_map(node, "'queues'")) return;
    std::set<std::string, std::less<>> names;
    for (const Queue& queue : into.queues) names.insert(queue.name);
    for (const auto& [key, value] : node.entries) {
        QueueReading reading;
        reading.queue.name = key->scalar;
        reading.queue.loc = ctx.at(*key);
        const std::string what = fmt::format("queue '{}'", key->scalar);
        if (!names.emplace(key->scalar).second) {
            ctx.problems.error(ctx.at(*key), "{} is defined twice", what);
            continue;
        }
        const std::size_t before = ctx.problems.size();
        read_fields(ctx, reading.queue.loc, *value, what, queue_fields, reading);
        if (ctx.problems.size() == before) finish_queue(ctx, what, reading);
        into.queues.push_back(std::move(reading.queue));
    }
}

}  // namespace ttsim::impl::reading
