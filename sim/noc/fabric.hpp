// Reads, writes, multicasts and atomics between the nodes of one chip: NIUs and memories on top of the packet network.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sim/noc/constants.hpp"
#include "sim/noc/network.hpp"
#include "sim/noc/requests.hpp"

namespace ttsim::impl::noc {

enum class Kind : std::uint8_t { Read, Write, PostedWrite, Multicast, PostedMulticast, Atomic };
constexpr bool is_multicast(Kind kind) { return kind == Kind::Multicast || kind == Kind::PostedMulticast; }
constexpr bool is_posted(Kind kind) { return kind == Kind::PostedWrite || kind == Kind::PostedMulticast; }

struct Transaction {
    Kind kind = Kind::Read;
    int noc = 0;
    Node from = 0;                         ///< initiator
    Node to = 0;                           ///< the other end; unused for a multicast
    const Topology::Tree* tree = nullptr;  ///< of a multicast; must stay valid until completion
    std::uint64_t bytes = 0;
    std::int8_t lane = -1;  ///< virtual channel of the pair, -1: the default of the software
    bool dynamic = false;   ///< a write whose virtual channel the routers choose on each link
    bool linked = false;    ///< a multicast that reuses the path of the previous one
    std::uint32_t tag = 0;
};

class Fabric : private Network::Client, private RequestQueues::Client {
public:
    class Client {
    public:
        virtual ~Client() = default;
        /// The last flit of a write has left its source. Not called for reads.
        virtual void departed(std::uint32_t tag, Time now) = 0;
        /// The transaction completes for the initiator at `when` (now or later): a read's data has arrived, a write is
        /// acknowledged, a posted write has arrived.
        virtual void completed(std::uint32_t tag, Time now, Time when) = 0;
        virtual void timer(std::uint32_t what, std::uint32_t argument, Time now) = 0;
    };
    Fabric(const Topology& topology, const Constants& constants, Client& client);

    const Topology& topology() const { return topology_; }
    const Constants& constants() const { return constants_; }
    Time now() const { return network_.now(); }
    /// Passes the transaction to the initiator's NIU now. It is split into packets when needed.
    void issue(const Transaction& transaction);
    /// Schedules the client's timer() at `time`; `what` must be below 2^30.
    void at(Time time, std::uint32_t what, std::uint32_t argument) { network_.at(time, what, argument); }
    bool run() { return network_.run(); }

    std::uint64_t events() const { return network_.events(); }
    std::uint64_t packets() const { return network_.packets(); }
    /// Utilization over `cycles`: mean and maximum over the links, NIUs or memories that were used.
    struct Use {
        double mean = 0, max = 0;
    };
    Use link_use(Time cycles) const;
    Use niu_use(Time cycles) const;
    Use dram_use(Time cycles) const;

private:
    struct Pending {  ///< a transaction
        Transaction transaction;
        std::uint32_t parts = 0;   ///< packets that are not complete
        std::uint32_t unsent = 0;  ///< packets that are not sent
        Time done = 0;
    };
    struct Part {  ///< one packet of a transaction
        std::uint32_t pending = 0;
        std::uint32_t bytes = 0;
    };
    void left_source(std::uint32_t part, Time now) override;
    void delivered(std::uint32_t part, Time now, Time arrival) override;
    void timer(std::uint32_t what, std::uint32_t argument, Time now) override;
    std::uint32_t add_part(std::uint32_t pending, std::uint64_t bytes);
    void issue_part(std::uint32_t part, Time when);
    void request_arrives(std::uint32_t part);
    void request_pending(int noc, Node node) override;
    void respond(std::uint32_t part);
    void write(std::uint32_t part);
    void part_done(std::uint32_t part, Time when);
    std::uint8_t& answering(int noc, Node node) {
        return answering_[static_cast<std::size_t>(noc * topology_.nodes() + node)];
    }
    double head_latency(const Route& route) const { return 2 * constants_.niu + constants_.hop * route.links; }
    double flits(std::uint64_t bytes) const;
    /// Sets the memory capacity that a packet uses at a node; none for nodes without memory.
    void use_memory(Packet& packet, std::size_t which, Node node, bool read, std::uint64_t bytes) const;
    template <class Take>
    Use use(Time cycles, int first, int last, Take&& take) const;

    const Constants& constants_;
    const Topology& topology_;
    Client& client_;
    Network network_;
    std::vector<Pending> pending_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> free_pending_, free_parts_;
    RequestQueues requests_;
    std::vector<std::uint8_t> answering_;  ///< by NIU: responses in progress
};

}  // namespace ttsim::impl::noc
