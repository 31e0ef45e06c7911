// Finds compatible candidates of ops in an epoch: arc consistency over sets of candidates.
//
// Edges are direct or go through a queue in DRAM. set() and cut() remove candidates that exceed the limits of a core or
// that have no compatible candidate at a neighbour.
//
// The solver is independent of ops: costs come from an EdgeModel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ttsim::impl::ir {

/// Limited resources of a core that edges use.
enum class Limit : std::uint8_t {
    FanOut,          ///< streams from one core of the producer
    ProducerPhases,  ///< phases of these streams
    ConsumerPhases,  ///< phases of the streams into one core
    DramInputs,      ///< DRAM buffers that one core reads
    DramOutputs,     ///< queues an op writes
    SliceBuffer,     ///< excess L1 bytes if the producer holds the slices that the consumer needs at the same time
};
constexpr std::size_t limit_count = 6;
using Costs = std::array<std::int64_t, limit_count>;
std::string_view to_string(Limit limit);
/// Whether the limit applies to the producer of an edge, else to the consumer.
bool of_producer(Limit limit);

struct SolverEdge {
    std::size_t producer = 0, consumer = 0;  ///< ops
};

class EdgeModel {
public:
    virtual ~EdgeModel() = default;
    virtual std::size_t candidates(std::size_t op) const = 0;
    /// Costs with candidate i of the producer and j of the consumer.
    virtual Costs cost(std::size_t edge, bool direct, std::size_t i, std::size_t j) const = 0;
    /// Costs of candidate i of an op that do not depend on its edges.
    virtual Costs own(std::size_t op, std::size_t i) const = 0;
    virtual const Costs& limits() const = 0;
};

/// Why a candidate was removed.
struct Rejection {
    Limit limit = Limit::FanOut;
    std::int64_t needs = 0, available = 0;
    std::optional<std::size_t> edge;  ///< the edge with the highest costs; nullopt: the op itself
};
struct Conflict {
    std::size_t op = 0;  ///< has no candidate left
    Rejection why;       ///< of its last candidate
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
    /// `active`, `ops`: the participating edges and ops.
    GraphSolver(const EdgeModel& model, const std::vector<SolverEdge>& edges, const std::vector<std::size_t>& active,
                std::vector<std::size_t> ops);

    /// To be called before propagate().
    void preset(std::size_t op, std::size_t i);
    void precut(std::size_t edge) { cut_edge(edge); }

    /// These return whether every op has a candidate left. If not, conflict() names an op without one, and the only
    /// valid next step is restore().
    bool propagate();                            ///< from all ops
    bool set(std::size_t op, std::size_t i);     ///< keeps only this candidate, which must not be removed yet
    bool forbid(std::size_t op, std::size_t i);  ///< removes this candidate
    bool cut(std::size_t edge);                  ///< sends the edge through a queue in DRAM
    const CandidateSet& left(std::size_t op) const { return items_[at(op)].left; }
    bool is_cut(std::size_t edge) const { return cut_[edge_at(edge)]; }
    const Conflict& conflict() const { return *conflict_; }
    /// Why a candidate was removed; nullopt if set() or forbid() did it.
    std::optional<Rejection> rejection(std::size_t op, std::size_t i) const { return items_[at(op)].why[i]; }

    /// A point in the log of changes.
    struct Snapshot {
        std::size_t changes = 0;
        std::optional<Conflict> conflict;
    };
    Snapshot snapshot() const { return {changes_.size(), conflict_}; }
    /// Reverts all changes since.
    void restore(Snapshot snapshot);

private:
    // Internal indices of ops and edges are positions in the lists below, because an epoch is a small part of a model.
    struct Link {
        std::size_t edge = 0;     ///< index in active_
        std::size_t partner = 0;  ///< the op at the other end
        bool produces = false;    ///< this op is the producer
    };
    struct Item {
        std::size_t op = 0;
        std::vector<Link> links;
        CandidateSet left;
        std::vector<std::optional<Rejection>> why;
    };
    struct Change {
        std::size_t item = 0, candidate = 0;  ///< the removed candidate
        bool is_cut = false;                  ///< instead of a candidate, edge `item` was cut
    };

    std::size_t at(std::size_t op) const;
    std::size_t edge_at(std::size_t edge) const;
    void drop(std::size_t item, std::size_t i, std::optional<Rejection> why);
    void cut_edge(std::size_t edge);
    bool propagate_from(const std::vector<std::size_t>& changed);
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
