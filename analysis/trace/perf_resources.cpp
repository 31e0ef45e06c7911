#include "analysis/trace/perf_resources.hpp"

#include <algorithm>
#include <map>

#include "analysis/trace/numbers.hpp"

namespace ttsim::impl::trace {

namespace {

using Users = std::map<std::string, double>;

/// Bytes of queues by chip and channel; a pipe reads equally from each buffer.
std::map<std::pair<std::int64_t, std::int64_t>, Users> channel_users(const PerfData& data, const EpochDetail& detail) {
    std::map<std::pair<std::int64_t, std::int64_t>, Users> users;
    for (const PipeUse& pipe : detail.pipes) {
        const auto at = static_cast<std::size_t>(pipe.queue);
        if (pipe.place != "dram" || pipe.queue < 0 || at >= data.queues.size()) continue;
        const QueuePlace& queue = data.queues[at];
        for (const std::int64_t channel : queue.channels)
            users[{queue.chip, channel}][queue.name] += real(pipe.bytes) / static_cast<double>(queue.channels.size());
    }
    return users;
}

struct UsersAt {
    std::map<std::int64_t, const OpUse*> ops;
    std::map<std::pair<std::int64_t, std::int64_t>, Users> links;  ///< chip, to_chip: "op > op"
    std::map<std::string, Users> host;                             ///< resource: queues
    std::map<std::array<std::int64_t, 3>, std::string> nodes;      ///< chip, x, y: the op there
};

/// Users of links, hosts and nodes in an epoch.
UsersAt users_at(const PerfData& data, const EpochDetail& detail) {
    UsersAt ends;
    for (const OpUse& op : detail.ops) ends.ops[op.id] = &op;
    for (const CoreCycles& core : detail.cores)
        if (const auto op = ends.ops.find(core.op); op != ends.ops.end())
            ends.nodes[{op->second->chip, core.x, core.y}] = op->second->name;
    for (const PipeUse& pipe : detail.pipes) {
        const auto to = ends.ops.find(pipe.op), from = ends.ops.find(pipe.from_op);
        if (to == ends.ops.end()) continue;
        if (from != ends.ops.end() && from->second->chip != to->second->chip)
            ends.links[{from->second->chip, to->second->chip}][from->second->name + " > " + to->second->name] +=
                real(pipe.bytes);
        const auto at = static_cast<std::size_t>(pipe.queue);
        if (pipe.place == "host" && pipe.queue >= 0 && at < data.queues.size())
            ends.host[pipe.kind == "writer" ? "to host" : "from host"][data.queues[at].name] += real(pipe.bytes);
    }
    return ends;
}

std::vector<ResourceUser> most_first(const Users& users) {
    std::vector<ResourceUser> all;
    for (const auto& [name, bytes] : users) all.push_back({name, bytes});
    std::stable_sort(all.begin(), all.end(),
                     [](const ResourceUser& a, const ResourceUser& b) { return a.bytes > b.bytes; });
    return all;
}

}  // namespace

std::vector<EpochResource> epoch_resources(const PerfData& data, std::int64_t id) {
    const EpochDetail& detail = data.detail(id);
    const auto epoch =
        std::find_if(data.epochs.begin(), data.epochs.end(), [&](const EpochUse& e) { return e.id == id; });
    const auto channels = channel_users(data, detail);
    const UsersAt ends = users_at(data, detail);
    std::vector<EpochResource> all;
    for (const Resource& resource : data.resources) {
        const double begin = real(epoch->start_cycle), cycles = real(epoch->cycles);
        const double busy = resource.busy_between(real(data.run.bucket_cycles), begin, begin + cycles);
        if (busy <= 0) continue;
        EpochResource use{&resource, cycles > 0 ? std::min(1.0, busy / cycles) : 0, 0, {}};
        if (resource.busy > 0) use.bytes = real(resource.bytes) * busy / real(resource.busy);
        if (const auto found = channels.find({resource.chip, resource.channel});
            resource.kind == "dram" && found != channels.end())
            use.users = most_first(found->second);
        if (const auto found = ends.links.find({resource.chip, resource.to_chip});
            resource.kind == "ethernet" && found != ends.links.end())
            use.users = most_first(found->second);
        if (resource.kind == "pcie")
            for (const auto& [direction, users] : ends.host)
                if (resource.name.ends_with(direction)) use.users = most_first(users);
        if (const auto found = ends.nodes.find({resource.chip, resource.x, resource.y});
            resource.kind == "noc" && found != ends.nodes.end())
            use.users = {{found->second, 0}};
        all.push_back(std::move(use));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const EpochResource& a, const EpochResource& b) { return a.share > b.share; });
    return all;
}

}  // namespace ttsim::impl::trace
