// Read requests in the network. A request is one flit, so its bandwidth is not modelled. A NIU answers one request at a
// time; the others wait in the buffers of the routers, in FIFO order per virtual channel. Such a queue also blocks
// requests that only pass through.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/noc/sparse.hpp"
#include "sim/noc/topology.hpp"

namespace ttsim::impl::noc {

class RequestQueues {
public:
    static constexpr std::uint32_t none = ~0U;
    class Client {
    public:
        virtual ~Client() = default;
        /// A request can be taken with take() at that NIU.
        virtual void request_pending(int noc, Node node) = 0;
    };
    /// depth: requests that one virtual channel of a router's input buffers.
    /// intake: requests of each virtual channel that a NIU queues before it answers them.
    RequestQueues(const Topology& topology, std::uint32_t depth, std::uint32_t intake, Client& client);

    /// Sends a request, which advances until it is blocked by earlier ones.
    void enter(std::uint32_t request, const Route& route, int lane);
    /// Takes the next request for that NIU, round robin over the inputs of its router; `none` when there is none.
    std::uint32_t take(int noc, Node node);

private:
    using QueueId = std::uint32_t;
    static constexpr std::uint32_t channels = 4;  // of a port: dateline, virtual channel of the pair
    struct Queue {                                ///< a virtual channel's buffer behind a port
        std::uint32_t first = none, last = none, count = 0;
        std::uint32_t inside_first = none, inside_last = none,
                      inside = 0;                           ///< requests from this buffer that are queued in the NIU
        QueueId blocked_first = none, blocked_last = none;  ///< queues whose head is blocked by this queue
        QueueId next_blocked = none;                        ///< next queue in such a list
        bool is_blocked = false;
    };
    struct Request {
        const Route* route = nullptr;
        std::uint32_t hop = 0;  ///< index of the port behind which it waits
        std::uint32_t after = none;
        std::uint8_t lane = 0;
    };
    QueueId queue_of(const Request& request, std::size_t hop) const {
        const Hop& at = request.route->hops[hop];
        return at.port * channels + at.dateline * 2U + request.lane;
    }
    bool at_end(const Request& request) const {
        return request.hop == static_cast<std::uint32_t>(request.route->links);
    }
    void push(QueueId id, std::uint32_t request, std::size_t hop);
    std::uint32_t pop(QueueId id);
    void advance(QueueId id);
    void announce(const Request& request);

    const Topology& topology_;
    const std::uint32_t depth_, intake_;
    Client& client_;
    Sparse<Queue> queues_;
    std::vector<Request> requests_;
    std::vector<std::uint8_t> next_input_;
};

}  // namespace ttsim::impl::noc
