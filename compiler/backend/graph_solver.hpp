// Which candidates of ops that run together go with which: arc consistency over sets of candidates.
//
//   ops with candidates --edges, each direct or through a queue in DRAM--> what is left when set() and cut() have
//   taken away all that no neighbour goes with, or that exceeds what a core has
//
// Knows nothing of ops: costs come from an EdgeModel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ttsim::impl::ir {

/// What edges need of a core, and each candidate has so much of.
enum class Limit : std::uint8_t {
    FanOut,          ///< streams that take from one core of the producer
    ProducerPhases,  ///< of these streams
    ConsumerPhases,  ///< of the streams into one core
    DramInputs,      ///< buffers in DRAM that one core reads
    DramOutputs,     ///< queues an op writes
    SliceBuffer,     ///< bytes beyond L1 when the producer keeps the slices that the consumer needs at once
};
constexpr std::size_t limit_count = 6;
using Costs = std::array<std::int64_t, limit_count>;
std::string_view to_string(Limit limit);
/// Whether the producer of an edge pays, else the consumer.
bool of_producer(Limit limit);

struct SolverEdge {
    std::size_t producer = 0, consumer = 0;  ///< ops
};

class EdgeModel {
public:
    virtual ~EdgeModel() = default;
    virtual std::size_t candidates(std::size_t op) const = 0;
    /// With candidate i of the producer and j of the consumer.
    virtual Costs cost(std::size_t edge, bool direct, std::size_t i, std::size_t j) const = 0;
    /// What candidate i of an op needs whatever its edges do.
    virtual Costs own(std::size_t op, std::size_t i) const = 0;
    virtual const Costs& limits() const = 0;
};

/// Why a candidate went.
struct Rejection {
    Limit limit = Limit::FanOut;
    std::int64_t needs = 0, there = 0;  ///< at least so much
    std::optional<std::size_t> edge;    ///< that needs most of it; none: the op itself
};
struct Conflict {
    std::size_t op = 0;  ///< that has no candidate left
    Rejection why;       ///< of its last one
};

class CandidateSet {
public:
    explicit CandidateSet(std::size_t size = 0) : words_((size + 63) / 64, 0), size_(size) {
        for (std::size_t i = 0; i < size; ++i) add(i);
    }
    bool has(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
    void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
    void drop(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
    std::size_t size() const { return size_; }
    std::size_t count() const;
    std::size_t first() const;  ///< size() when empty
    bool empty() const { return first() == size_; }

private:
    std::vector<std::uint64_t> words_;
    std::size_t size_ = 0;
};

class GraphSolver {
public:
    /// Of `edges` and the ops they join only those take part that `active` and `ops` list.
    GraphSolver(const EdgeModel& model, const std::vector<SolverEdge>& edges, const std::vector<std::size_t>& active,
                std::vector<std::size_t> ops);

    /// Before propagate().
    void preset(std::size_t op, std::size_t i);
    void precut(std::size_t edge) { cut_edge(edge); }

    /// Each of these says whether every op has a candidate left; if not, conflict() tells which has none, and only
    /// restore() leads on.
    bool propagate();                            ///< from all ops
    bool set(std::size_t op, std::size_t i);     ///< that candidate only; it must be there
    bool forbid(std::size_t op, std::size_t i);  ///< not that one
    bool cut(std::size_t edge);                  ///< goes through a queue in DRAM
    const CandidateSet& left(std::size_t op) const { return items_[at(op)].left; }
    bool is_cut(std::size_t edge) const { return cut_[edge_at(edge)]; }
    const Conflict& conflict() const { return *conflict_; }
    /// Why a candidate is no longer there; nothing for one that set() or forbid() took away.
    std::optional<Rejection> rejection(std::size_t op, std::size_t i) const { return items_[at(op)].why[i]; }

    /// How much had changed.
    struct Snapshot {
        std::size_t changes = 0;
        std::optional<Conflict> conflict;
    };
    Snapshot snapshot() const { return {changes_.size(), conflict_}; }
    /// Takes back all that changed since.
    void restore(Snapshot snapshot);

private:
    // Ops and edges have numbers of their own here, their places in the lists below: an epoch is a small part of a
    // model.
    struct Link {
        std::size_t edge = 0;     ///< its place
        std::size_t partner = 0;  ///< the op at the other end
        bool produces = false;    ///< this op does
    };
    struct Item {
        std::size_t op = 0;
        std::vector<Link> links;
        CandidateSet left;
        std::vector<std::optional<Rejection>> why;
    };
    struct Change {
        std::size_t item = 0, candidate = 0;  ///< that went
        bool is_cut = false;                  ///< no candidate: the edge at the place `item` was cut
    };

    std::size_t at(std::size_t op) const;
    std::size_t edge_at(std::size_t edge) const;
    void drop(std::size_t item, std::size_t i, std::optional<Rejection> why);
    void cut_edge(std::size_t edge);
    bool settle(const std::vector<std::size_t>& changed);
    bool revise(std::size_t item, bool& changed);
    std::optional<Rejection> check(const Item& item, std::size_t i) const;
    std::optional<Rejection> without_partner(std::size_t i, const Link& link, const Costs& others) const;
    Costs least(std::size_t i, const Link& link) const;
    Costs cost(std::size_t i, const Link& link, std::size_t partner) const;
    static bool pays(const Link& link, std::size_t limit) {
        return link.produces == of_producer(static_cast<Limit>(limit));
    }

    const EdgeModel& model_;
    const std::vector<SolverEdge>& edges_;
    std::vector<Item> items_;          // in order of their ops
    std::vector<std::size_t> active_;  // edges, in order
    std::vector<bool> cut_;            // of these
    std::vector<Change> changes_;
    std::optional<Conflict> conflict_;
};

}  // namespace ttsim::impl::ir
