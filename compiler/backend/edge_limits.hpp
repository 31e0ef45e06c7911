// What the edges between ops cost, and what a core has of it (configs/edges.yaml).
#pragma once

#include <unordered_map>

#include "compiler/backend/choices.hpp"

namespace tt::ir {

/// By Limit; `overlay_size`: bytes of L1 for more stream descriptions. Throws Error(Input) when the file is wrong.
Costs read_edge_limits(std::int64_t overlay_size);
/// What the overlay has for stream descriptions without more.
std::int64_t overlay_bytes();

/// Costs by the pipes that an edge takes (netlist/plan/stream_use.hpp); equal edges are counted once.
class EdgeCosts : public EdgeModel {
public:
    EdgeCosts(const Choices& choices, const OpBudget& budget, Costs limits);

    std::size_t candidates(std::size_t op) const override { return choices_.ops[op].choice.fitting.size(); }
    Costs cost(std::size_t edge, bool direct, std::size_t i, std::size_t j) const override;
    Costs own(std::size_t op, std::size_t i) const override { return own_[op][i]; }
    const Costs& limits() const override { return limits_; }

    /// The op as candidate i makes it.
    const Op& made(std::size_t op, std::size_t i) const;

private:
    /// For all pairs of candidates of one edge, and of edges like it.
    struct Table {
        std::size_t consumers = 0;                               ///< candidates
        std::vector<std::optional<std::array<Costs, 2>>> pairs;  ///< through DRAM, direct
    };
    std::string signature(std::size_t op) const;
    std::array<Costs, 2> count(std::size_t edge, std::size_t i, std::size_t j) const;
    Costs count_own(std::size_t op, std::size_t i) const;

    const Choices& choices_;
    const OpBudget& budget_;
    Costs limits_;
    mutable std::vector<std::vector<std::unique_ptr<Op>>> made_;  // per op and candidate, when asked for
    std::vector<std::vector<Costs>> own_;
    std::vector<std::shared_ptr<Table>> tables_;  // per edge
};

}  // namespace tt::ir
