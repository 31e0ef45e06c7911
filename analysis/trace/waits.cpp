#include "analysis/trace/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace ttsim::impl::trace {

std::string to_string(RootKind kind) {
    static constexpr std::array names{"op",    "dram",   "host",   "ethernet", "noc",     "pipe",
                                      "reads", "writes", "buffer", "load",     "entries", "sends"};
    return names.at(static_cast<std::size_t>(kind));
}

namespace {

/// Busy fraction of the window from which on a link or channel, not the route to it, counts as the cause of waits.
constexpr double saturated = 0.6;
/// Smaller fractions of the walk are not followed further.
constexpr double negligible = 0.004;
constexpr std::size_t longest_path = 200;
/// Maximum number of ops in a branch from fork to join, and the fraction of time each must wait for room, for a full
/// branch.
constexpr int longest_branch = 8;
constexpr double least_full = 0.05;

class Walk {
public:
    explicit Walk(const WaitGraph& graph) : graph_(graph) {}
    std::vector<Root> roots();

private:
    struct Visit {
        std::int64_t node;
        const WaitEdge* room;  ///< the edge to the next op when this one waits for room; nullptr: it waits for tiles
    };
    void visit(std::int64_t id, double weight);
    void follow(std::int64_t from, std::int64_t to, const WaitEdge* room, double weight);
    void wait_for_tiles(const WaitNode& node, double weight);
    void wait_for_room(const WaitNode& node, double weight);
    void wait_for_entries(const WaitNode& node, const WaitEdge& edge, double weight);
    void wait_for_reads(const WaitNode& node, double weight);
    void wait_for_pipe(const WaitNode& node, double weight);
    void wait_for_output(const WaitNode& node, double weight);

    void charge(Root root, double weight);
    void charge_op(const WaitNode& node, double weight);
    bool charge_link(const WaitNode& victim, const WaitNode* sender, double weight);
    double charge_ring(const WaitNode& late, double weight);
    double fullness(std::int64_t op, const std::set<std::int64_t>& forks, int length) const;
    std::set<std::int64_t> upstream(std::int64_t op) const;
    bool charge_channel(const WaitResource& at, const WaitNode& victim, double weight);
    void charge_host(std::int64_t chip, const std::string& why, const std::string& op, double weight);
    void charge_ethernet(std::int64_t from, std::int64_t to, const std::string& victim, double weight);
    void charge_queue(const WaitNode& node, const WaitEdge& edge, bool write, double weight);
    void charge_pipe(const WaitEdge& edge, const WaitNode& victim, double weight);

    double share(const WaitResource& resource) const { return resource.busy / std::max(1.0, graph_.window()); }
    const WaitResource* channel(const WaitQueue& queue) const;
    const WaitNode& node(std::int64_t id) const { return graph_.nodes.at(id); }
    template <class Wanted, class Measure>
    const WaitEdge* most(const Wanted& wanted, const Measure& measure) const;

    const WaitGraph& graph_;
    std::vector<Visit> path_;
    std::vector<Root> roots_;
};

template <class Wanted, class Measure>
const WaitEdge* Walk::most(const Wanted& wanted, const Measure& measure) const {
    const WaitEdge* best = nullptr;
    for (const WaitEdge& edge : graph_.edges)
        if (wanted(edge) && (!best || measure(edge) > measure(*best))) best = &edge;
    return best;
}

void Walk::charge(Root root, double weight) {
    const auto found = std::find_if(roots_.begin(), roots_.end(), [&](const Root& known) {
        return known.kind == root.kind && known.place == root.place;
    });
    if (found == roots_.end()) {
        root.cycles = weight;
        roots_.push_back(std::move(root));
        return;
    }
    found->cycles += weight;
    found->fork = found->fork || root.fork;
}

void Walk::charge_op(const WaitNode& node, double weight) {
    // an op on an Ethernet core is busy with sending
    for (const WaitEdge& edge : graph_.edges)
        if (node.type == "ethernet_datacopy" && edge.from_op == node.id && edge.to_op)
            if (const WaitNode& to = graph_.nodes.at(*edge.to_op); to.chip != node.chip)
                return charge_ethernet(node.chip, to.chip, node.name, weight);
    charge({RootKind::Op, fmt::format("op '{}'", node.name), node.name, "", 0, node.work / graph_.window(), false, ""},
           weight);
}

/// Charges the busiest NoC link if it is saturated, since a trace does not contain the routes of transfers. When a
/// busier channel sends over the link, the channel is the cause. The link from a core into the NoC is attributed to its
/// op, the link to a core to its pipes.
bool Walk::charge_link(const WaitNode& victim, const WaitNode* sender, double weight) {
    for (const WaitResource& resource : graph_.resources) {
        if (resource.chip != victim.chip || share(resource) < saturated) continue;
        if (resource.kind == "dram") return charge_channel(resource, victim, weight);
        if (resource.kind != "noc") continue;
        const bool in = resource.direction == "in", end = in || resource.direction == "out";
        const auto has_core = [&](const WaitNode& node) {
            return node.chip == resource.chip && node.places.contains({resource.x, resource.y});
        };
        if (in && sender && has_core(*sender)) {
            charge({RootKind::Sends, fmt::format("sending of op '{}'", sender->name), sender->name, "", 0,
                    share(resource), false, victim.name},
                   weight);
            return true;
        }
        const auto& ops = graph_.nodes;
        if (end && std::any_of(ops.begin(), ops.end(), [&](const auto& op) { return has_core(op.second); })) continue;
        charge({RootKind::NocLink, resource.name, "", "", 0, share(resource), false, victim.name}, weight);
        return true;
    }
    return false;
}

bool Walk::charge_channel(const WaitResource& at, const WaitNode& victim, double weight) {
    const auto on_it = [&](const WaitEdge& e) {
        if (!e.queue) return false;
        const WaitQueue& queue = graph_.queues.at(*e.queue);
        return !queue.host && queue.chip == at.chip &&
               std::find(queue.channels.begin(), queue.channels.end(), at.channel) != queue.channels.end();
    };
    const WaitEdge* user = most(on_it, [](const WaitEdge& e) { return e.in_flight; });
    charge({RootKind::Dram, fmt::format("channel {} of chip {} ({})", at.channel, at.chip, at.name), "",
            user ? graph_.queues.at(*user->queue).name : "", 0, share(at), false, victim.name, at.channel},
           weight);
    return true;
}

void Walk::charge_host(std::int64_t chip, const std::string& why, const std::string& op, double weight) {
    double busy = 0;
    for (const WaitResource& resource : graph_.resources)
        if (resource.kind == "pcie" && resource.chip == chip) busy = std::max(busy, share(resource));
    charge({RootKind::Host, fmt::format("PCIe of chip {}: {}", chip, why), op, "", 0, busy, false, op}, weight);
}

void Walk::charge_ethernet(std::int64_t from, std::int64_t to, const std::string& victim, double weight) {
    for (const WaitResource& resource : graph_.resources)
        if (resource.kind == "ethernet" && resource.chip == from && resource.to_chip == to)
            return charge({RootKind::Ethernet, resource.name, "", "", 0, share(resource), false, victim}, weight);
    // through other chips: the busiest of the links from the source chip or to the target chip
    double busy = 0;
    for (const WaitResource& resource : graph_.resources)
        if (resource.kind == "ethernet" && (resource.chip == from || resource.to_chip == to))
            busy = std::max(busy, share(resource));
    charge({RootKind::Ethernet, fmt::format("from chip {} to chip {} over others", from, to), "", "", 0, busy, false,
            victim},
           weight);
}

const WaitResource* Walk::channel(const WaitQueue& queue) const {
    for (const WaitResource& resource : graph_.resources)
        if (resource.kind == "dram" && resource.chip == queue.chip &&
            std::find(queue.channels.begin(), queue.channels.end(), resource.channel) != queue.channels.end())
            return &resource;
    return nullptr;
}

void Walk::charge_queue(const WaitNode& node, const WaitEdge& edge, bool write, double weight) {
    const WaitQueue& queue = graph_.queues.at(*edge.queue);
    if (queue.host)
        return charge_host(queue.chip, fmt::format("{} queue '{}'", write ? "writes to" : "reads of", queue.name),
                           node.name, weight);
    if (queue.chip != node.chip)
        return charge_ethernet(write ? node.chip : queue.chip, write ? queue.chip : node.chip, node.name, weight);
    const WaitResource* at = channel(queue);
    if (at && share(*at) >= saturated)
        return charge({RootKind::Dram, fmt::format("channel {} of chip {} ({})", at->channel, at->chip, at->name), "",
                       queue.name, 0, share(*at), false, node.name, at->channel},
                      weight);
    if (charge_link(node, write ? &node : nullptr, weight)) return;
    charge({write ? RootKind::Writes : RootKind::Reads,
            fmt::format("{} of queue '{}' by op '{}'", write ? "writes" : "reads", queue.name, node.name), node.name,
            queue.name, 0, at ? share(*at) : 0, false, node.name},
           weight);
}

void Walk::charge_pipe(const WaitEdge& edge, const WaitNode& victim, double weight) {
    const WaitNode &from = node(*edge.from_op), &to = node(*edge.to_op);
    if (from.chip != to.chip) return charge_ethernet(from.chip, to.chip, victim.name, weight);
    if (charge_link(victim, &from, weight)) return;
    charge({RootKind::Pipe, fmt::format("pipe from '{}' to '{}'", from.name, to.name), from.name, to.name, 0, 0, false,
            victim.name},
           weight);
}

void Walk::follow(std::int64_t from, std::int64_t to, const WaitEdge* room, double weight) {
    path_.push_back({from, room});
    const auto ring = std::find_if(path_.begin(), path_.end(), [&](const Visit& visit) { return visit.node == to; });
    if (ring == path_.end() && path_.size() < longest_path) {
        visit(to, weight);
    } else {
        const auto full = std::find_if(ring, path_.end(), [](const Visit& visit) { return visit.room != nullptr; });
        if (full == path_.end()) {
            charge_op(node(to), weight);
        } else {
            const WaitNode &fork = node(*full->room->from_op), &join = node(*full->room->to_op);
            charge({RootKind::Buffer, fmt::format("buffer between '{}' and '{}'", fork.name, join.name), fork.name,
                    join.name, 0, 0, path_.end() - ring > 2, ""},
                   weight);
        }
    }
    path_.pop_back();
}

void Walk::wait_for_tiles(const WaitNode& waiting, double weight) {
    const WaitEdge* edge =
        most([&](const WaitEdge& e) { return e.to_op == waiting.id; }, [](const WaitEdge& e) { return e.wait_source; });
    if (!edge) return charge_op(waiting, weight);
    if (edge->from_op) return follow(waiting.id, *edge->from_op, nullptr, weight);
    if (!edge->queue) return charge_op(waiting, weight);
    const WaitQueue& queue = graph_.queues.at(*edge->queue);
    if (!queue.written && edge->wait_source > 0)
        return charge_host(queue.chip, fmt::format("pushes to queue '{}'", queue.name), waiting.name, weight);
    if (edge->wait_source > 0) return wait_for_entries(waiting, *edge, weight);
    charge_queue(waiting, *edge, false, weight);
}

/// All ops upstream of an op.
std::set<std::int64_t> Walk::upstream(std::int64_t op) const {
    std::set<std::int64_t> found;
    std::vector<std::int64_t> open{op};
    while (!open.empty()) {
        const std::int64_t at = open.back();
        open.pop_back();
        for (const WaitEdge& edge : graph_.edges)
            if (edge.to_op == at && edge.from_op && found.insert(*edge.from_op).second) open.push_back(*edge.from_op);
    }
    return found;
}

/// The fraction of time in which a branch is full up to a fork among `forks`: all its ops wait for room.
double Walk::fullness(std::int64_t op, const std::set<std::int64_t>& forks, int length) const {
    const WaitNode& at = node(op);
    const double own = at.all() > 0 ? at.room / at.all() : 0;
    if (own < least_full || length == 0) return 0;
    if (forks.contains(op)) return own;
    double upstream = 0;
    for (const WaitEdge& edge : graph_.edges)
        if (edge.to_op == op && edge.from_op) upstream = std::max(upstream, fullness(*edge.from_op, forks, length - 1));
    return std::min(own, upstream);
}

/// Handles an op that waits for tiles while the other branch from a common fork is full, which blocks the fork. Charges
/// the last buffer of that branch; returns the charged part of `weight`.
double Walk::charge_ring(const WaitNode& late, double weight) {
    if (path_.empty() || path_.back().room) return 0;
    const WaitNode& join = node(path_.back().node);
    const std::set<std::int64_t> forks = upstream(late.id);
    const WaitEdge* full = nullptr;
    double most = 0;
    for (const WaitEdge& edge : graph_.edges) {
        if (edge.to_op != join.id || !edge.from_op || *edge.from_op == late.id || edge.writer) continue;
        const double share = fullness(*edge.from_op, forks, longest_branch);
        if (share <= most) continue;
        most = share;
        full = &edge;
    }
    if (!full) return 0;
    charge({RootKind::Buffer, fmt::format("buffer between '{}' and '{}'", node(*full->from_op).name, join.name),
            node(*full->from_op).name, join.name, 0, 0, true, ""},
           weight * most);
    return weight * most;
}

/// Waits for entries of a queue, which an op of this or another epoch writes.
void Walk::wait_for_entries(const WaitNode& waiting, const WaitEdge& edge, double weight) {
    const WaitEdge* writer = most([&](const WaitEdge& e) { return e.writer && e.queue == edge.queue; },
                                  [](const WaitEdge& e) { return e.in_flight; });
    if (writer && writer->from_op) return follow(waiting.id, *writer->from_op, nullptr, weight);
    const std::string& queue = graph_.queues.at(*edge.queue).name;
    charge({RootKind::Entries, fmt::format("entries of queue '{}' for op '{}'", queue, waiting.name), waiting.name,
            queue, 0, 0, false, waiting.name},
           weight);
}

void Walk::wait_for_room(const WaitNode& waiting, double weight) {
    const WaitEdge* edge =
        most([&](const WaitEdge& e) { return e.from_op == waiting.id; }, [](const WaitEdge& e) { return e.wait_room; });
    if (!edge) return charge_op(waiting, weight);
    if (!edge->writer) return follow(waiting.id, *edge->to_op, edge, weight);
    if (!edge->queue) return charge_op(waiting, weight);
    const WaitQueue& queue = graph_.queues.at(*edge->queue);
    if (edge->wait_room > 0 && !queue.host)
        return charge_host(queue.chip, fmt::format("pops from queue '{}', which is full", queue.name), waiting.name,
                           weight);
    charge_queue(waiting, *edge, true, weight);
}

/// Charges the queue on the busiest channel; of equal ones the one with most cycles in flight.
void Walk::wait_for_reads(const WaitNode& waiting, double weight) {
    const WaitEdge* edge = most([&](const WaitEdge& e) { return e.to_op == waiting.id && e.queue; },
                                [&](const WaitEdge& e) {
                                    const WaitQueue& queue = graph_.queues.at(*e.queue);
                                    const WaitResource* at = channel(queue);
                                    const double busy = queue.host ? 1 : at ? share(*at) : 0;
                                    return (busy >= saturated ? 1e18 * busy : 0) + e.in_flight;
                                });
    if (!edge) return charge_op(waiting, weight);
    charge_queue(waiting, *edge, false, weight);
}

/// A pipe is slow when its producer also waits for room; a producer that never waits is slow itself.
void Walk::wait_for_pipe(const WaitNode& waiting, double weight) {
    const WaitEdge* edge = most([&](const WaitEdge& e) { return e.to_op == waiting.id && e.from_op; },
                                [](const WaitEdge& e) { return e.in_flight; });
    if (!edge) return charge_op(waiting, weight);
    const WaitNode& producer = node(*edge->from_op);
    const double slow = std::min(1.0, (producer.output + producer.room) / waiting.noc);
    charge_pipe(*edge, waiting, weight * slow);
    if (slow < 1) follow(waiting.id, producer.id, nullptr, weight * (1 - slow));
}

void Walk::wait_for_output(const WaitNode& waiting, double weight) {
    const WaitEdge* edge =
        most([&](const WaitEdge& e) { return e.from_op == waiting.id; }, [](const WaitEdge& e) { return e.in_flight; });
    if (!edge) return charge_op(waiting, weight);
    if (edge->writer) return charge_queue(waiting, *edge, true, weight);
    charge_pipe(*edge, waiting, weight);
}

void Walk::visit(std::int64_t id, double weight) {
    const WaitNode& at = node(id);
    const double all = at.all();
    if (all <= 0 || weight < negligible * graph_.window()) return charge_op(at, weight);
    charge_op(at, weight * at.work / all);
    if (at.dram > 0) wait_for_reads(at, weight * at.dram / all);
    if (at.noc > 0) wait_for_pipe(at, weight * at.noc / all);
    if (at.output > 0) wait_for_output(at, weight * at.output / all);
    if (at.source > 0) {
        const double late = weight * at.source / all;
        wait_for_tiles(at, late - charge_ring(at, late));
    }
    if (at.room > 0) wait_for_room(at, weight * at.room / all);
}

std::vector<Root> Walk::roots() {
    constexpr double about_last = 0.99;
    std::vector<std::int64_t> ends;
    for (const auto& [id, at] : graph_.nodes) {
        const bool last = at.end >= graph_.first + about_last * graph_.window();
        const bool feeds = std::any_of(graph_.edges.begin(), graph_.edges.end(),
                                       [from = id](const WaitEdge& e) { return e.from_op == from && !e.writer; });
        if (last && !feeds) ends.push_back(id);
    }
    if (ends.empty())
        for (const auto& [id, at] : graph_.nodes)
            if (at.end >= graph_.last) ends.push_back(id);
    for (const std::int64_t id : ends) visit(id, graph_.window() / static_cast<double>(ends.size()));
    std::stable_sort(roots_.begin(), roots_.end(), [](const Root& a, const Root& b) { return a.cycles > b.cycles; });
    return std::move(roots_);
}

}  // namespace

std::vector<Root> roots(const WaitGraph& graph) {
    if (graph.nodes.empty() || graph.window() <= 0) return {};
    return Walk(graph).roots();
}

}  // namespace ttsim::impl::trace
