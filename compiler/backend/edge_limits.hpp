// Costs of the edges between ops, and the limits of a core (configs/edges.yaml).
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "compiler/backend/choice_cache.hpp"
#include "compiler/backend/choices.hpp"

namespace ttsim::impl::ir {

/// Limits by Limit. `overlay_size`: bytes of L1 for more stream descriptions. Throws Error(Input) for an invalid file.
Costs read_edge_limits(std::int64_t overlay_size);
/// Bytes for stream descriptions that the overlay has by default.
std::int64_t overlay_bytes();

/// Costs of an edge by its pipes (netlist/plan/stream_use.hpp); equal edges are computed once. Thread-safe.
class EdgeCosts : public EdgeModel {
public:
    EdgeCosts(const Choices& choices, const OpBudget& budget, ChoiceCache& cache, Costs limits);

    std::size_t candidates(std::size_t op) const override { return choices_.ops[op].choice.fitting.size(); }
    Costs cost(std::size_t edge, bool direct, std::size_t i, std::size_t j) const override;
    Costs own(std::size_t op, std::size_t i) const override { return (*own_[op])[i]; }
    const Costs& limits() const override { return limits_; }

    /// The op with candidate i applied.
    const Op& candidate_op(std::size_t op, std::size_t i) const;

    /// An edge without a queue, and its consumer's candidate.
    struct Reader {
        std::size_t edge = 0, candidate = 0;
    };
    /// Costs of streaming the output of candidate i with this buffer (buf_size_mb) to its direct readers.
    OutputStreamingCost output_streaming_cost(std::size_t op, std::size_t i, std::int64_t buffer,
                                              const std::vector<Reader>& readers) const;
    /// The time of streaming from candidate i of an edge's producer to candidate j of its consumer.
    EdgeTime time(std::size_t edge, std::size_t i, std::size_t j) const {
        return tables_[edge]->time(i, j, [&] { return count_time(edge, i, j); });
    }
    ChoiceCache& cache() const { return cache_; }

    /// The reason if no pair of candidates keeps the edge within the limits, direct or through DRAM; else nullopt.
    std::optional<Rejection> impossible(std::size_t edge) const;

private:
    /// An op made on first use. Concurrent threads may make equal ops; all but the first are dropped.
    class LazyOp {
    public:
        LazyOp() = default;
        LazyOp(const LazyOp&) = delete;
        LazyOp& operator=(const LazyOp&) = delete;
        ~LazyOp() { delete op_.load(); }
        template <class Make>
        const Op& get(Make make) {
            if (const Op* known = op_.load(std::memory_order_acquire)) return *known;
            auto made = std::make_unique<const Op>(make());
            const Op* first = nullptr;
            if (op_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return *made.release();
            return *first;
        }

    private:
        std::atomic<const Op*> op_{nullptr};
    };

    std::string kind_text(std::size_t op) const;
    EdgeUse count(std::size_t edge, std::size_t i, std::size_t j) const;
    EdgeTime count_time(std::size_t edge, std::size_t i, std::size_t j) const;
    Costs count_own(std::size_t op, std::size_t i) const;

    const Choices& choices_;
    const OpBudget& budget_;
    ChoiceCache& cache_;
    Costs limits_;
    std::vector<std::unique_ptr<LazyOp[]>> made_;     // per op and candidate
    std::vector<std::int64_t> kinds_;                 // per op: equal for equal ops
    std::vector<const std::vector<Costs>*> own_;      // per op
    std::vector<std::shared_ptr<EdgeTable>> tables_;  // per edge
    std::vector<std::int64_t> table_numbers_;         // per edge: equal for edges that share a table
};

}  // namespace ttsim::impl::ir
