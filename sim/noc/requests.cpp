#include "sim/noc/requests.hpp"

namespace ttsim::impl::noc {

RequestQueues::RequestQueues(const Topology& topology, std::uint32_t depth, std::uint32_t intake, Client& client)
    : topology_(topology),
      depth_(depth),
      intake_(intake),
      client_(client),
      queues_(static_cast<std::size_t>(topology.ports()) * channels),
      next_input_(static_cast<std::size_t>(noc_count * topology.nodes()), 0) {}

void RequestQueues::enter(std::uint32_t request, const Route& route, int lane) {
    if (requests_.size() <= request) requests_.resize(request + 1);
    // The software's default is virtual channel 1.
    requests_[request] = {&route, 0, none, static_cast<std::uint8_t>(lane == 0 ? 0 : 1)};
    const QueueId own = queue_of(requests_[request], 0);
    push(own, request, 0);
    if (queues_[own].count == 1) advance(own);
}

void RequestQueues::announce(const Request& request) {
    const Port end = request.route->hops.back().port;
    client_.request_pending(topology_.noc_of(end), topology_.node_of(end));
}

void RequestQueues::push(QueueId id, std::uint32_t request, std::size_t hop) {
    Queue& queue = queues_[id];
    requests_[request].hop = static_cast<std::uint32_t>(hop);
    requests_[request].after = none;
    (queue.last == none ? queue.first : requests_[queue.last].after) = request;
    queue.last = request;
    ++queue.count;
}

std::uint32_t RequestQueues::pop(QueueId id) {
    Queue& queue = queues_[id];
    const std::uint32_t request = queue.first;
    queue.first = requests_[request].after;
    if (queue.first == none) queue.last = none;
    --queue.count;
    return request;
}

/// Advances the requests at the head of a queue as far as possible, then those that are blocked by this queue.
void RequestQueues::advance(QueueId id) {
    if (queues_[id].is_blocked) return;
    while (queues_[id].count > 0) {
        const std::uint32_t head = queues_[id].first;
        const Request& request = requests_[head];
        if (at_end(request)) {
            Queue& queue = queues_[id];
            if (queue.inside >= intake_) break;
            pop(id);
            requests_[head].after = none;
            (queue.inside_last == none ? queue.inside_first : requests_[queue.inside_last].after) = head;
            queue.inside_last = head;
            ++queue.inside;
            announce(requests_[head]);
            continue;
        }
        const auto last = static_cast<std::size_t>(request.route->links);
        std::size_t hop = request.hop + 1;
        if (Queue& next = queues_[queue_of(request, hop)]; next.count >= depth_) {
            queues_[id].is_blocked = true;
            queues_[id].next_blocked = none;
            (next.blocked_last == none ? next.blocked_first : queues_[next.blocked_last].next_blocked) = id;
            next.blocked_last = id;
            break;
        }
        // a request passes through empty queues
        while (hop < last && queues_[queue_of(request, hop)].count == 0 &&
               queues_[queue_of(request, hop + 1)].count < depth_)
            ++hop;
        pop(id);
        const QueueId target = queue_of(request, hop);
        push(target, head, hop);
        if (queues_[target].count == 1) advance(target);
    }
    while (queues_[id].blocked_first != none && queues_[id].count < depth_) {
        const QueueId other = queues_[id].blocked_first;
        queues_[id].blocked_first = queues_[other].next_blocked;
        if (queues_[id].blocked_first == none) queues_[id].blocked_last = none;
        queues_[other].is_blocked = false;
        // one request at a time, round robin over the blocked queues
        const std::uint32_t before = queues_[other].count;
        advance(other);
        if (queues_[other].count == before) break;
    }
}

std::uint32_t RequestQueues::take(int noc, Node node) {
    // The router's inputs: from the NIU, along x and along y, each with its virtual channels.
    const std::array<Port, 3> inputs = {topology_.inject(noc, node), topology_.link_into(noc, node, false),
                                        topology_.link_into(noc, node, true)};
    const auto at = static_cast<std::size_t>(noc * topology_.nodes() + node);
    constexpr std::uint8_t all = 3 * channels;
    for (std::uint8_t tried = 0; tried < all; ++tried) {
        const auto input = static_cast<std::uint8_t>((next_input_[at] + tried) % all);
        const QueueId id = inputs[input % 3] * channels + input / 3U;
        Queue& queue = queues_[id];
        if (queue.inside == 0) continue;
        next_input_[at] = static_cast<std::uint8_t>((input + 1) % all);
        const std::uint32_t request = queue.inside_first;
        queue.inside_first = requests_[request].after;
        if (queue.inside_first == none) queue.inside_last = none;
        --queue.inside;
        advance(id);
        return request;
    }
    return none;
}

}  // namespace ttsim::impl::noc
