// What the edges between ops cost, and what a core has of it (configs/edges.yaml).
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "compiler/backend/choice_cache.hpp"
#include "compiler/backend/choices.hpp"

namespace ttsim::impl::ir {

/// By Limit; `overlay_size`: bytes of L1 for more stream descriptions. Throws Error(Input) when the file is wrong.
Costs read_edge_limits(std::int64_t overlay_size);
/// What the overlay has for stream descriptions without more.
std::int64_t overlay_bytes();

/// Costs by the pipes that an edge takes (netlist/plan/stream_use.hpp); equal edges are counted once. Threads may use
/// one at the same time.
class EdgeCosts : public EdgeModel {
public:
    EdgeCosts(const Choices& choices, const OpBudget& budget, ChoiceCache& cache, Costs limits);

    std::size_t candidates(std::size_t op) const override { return choices_.ops[op].choice.fitting.size(); }
    Costs cost(std::size_t edge, bool direct, std::size_t i, std::size_t j) const override;
    Costs own(std::size_t op, std::size_t i) const override { return (*own_[op])[i]; }
    const Costs& limits() const override { return limits_; }

    /// The op as candidate i makes it.
    const Op& made(std::size_t op, std::size_t i) const;

    /// An edge without a queue, and its consumer's candidate.
    struct Reader {
        std::size_t edge = 0, candidate = 0;
    };
    /// How candidate i of the op, with that buffer (buf_size_mb), hands its output to all who read it directly.
    HandedOver handed_over(std::size_t op, std::size_t i, std::int64_t buffer,
                           const std::vector<Reader>& readers) const;
    ChoiceCache& cache() const { return cache_; }

    /// Why no pair of candidates keeps the edge within the limits, direct or through DRAM; nothing where one does.
    std::optional<Rejection> impossible(std::size_t edge) const;

private:
    /// Made by whoever asks first; who comes second at the same time makes an equal one and drops it.
    class MadeOp {
    public:
        MadeOp() = default;
        MadeOp(const MadeOp&) = delete;
        MadeOp& operator=(const MadeOp&) = delete;
        ~MadeOp() { delete op_.load(); }
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
    Costs count_own(std::size_t op, std::size_t i) const;

    const Choices& choices_;
    const OpBudget& budget_;
    ChoiceCache& cache_;
    Costs limits_;
    std::vector<std::unique_ptr<MadeOp[]>> made_;     // per op and candidate
    std::vector<std::int64_t> kinds_;                 // per op: the same for ops that are made alike
    std::vector<const std::vector<Costs>*> own_;      // per op
    std::vector<std::shared_ptr<EdgeTable>> tables_;  // per edge
    std::vector<std::int64_t> table_numbers_;         // per edge: the same for edges with one table
};

}  // namespace ttsim::impl::ir
