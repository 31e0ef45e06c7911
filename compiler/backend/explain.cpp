#include "compiler/backend/explain.hpp"

#include <cmath>

namespace ttsim::impl::ir {

namespace {

std::string cores_text(const Candidate& c) { return fmt::format("{}x{}", c.blocking.grid_r, c.blocking.grid_c); }

std::string chosen_verdict(const Candidate& chosen, double target) {
    if (target == 0) return "chosen at random";
    if (std::isinf(target)) return "chosen: the smallest that is compatible with its neighbours' grids";
    if (chosen.cycles <= target)
        return fmt::format("chosen: the smallest that meets the epoch's {:.0f} cycles", target);
    return "chosen: the fastest, though it misses the epoch's target";
}

std::string verdict(const Choices& choices, const Candidate& candidate, const Candidate& chosen, double target,
                    const std::optional<Rejection>& rejection) {
    if (rejection) return "rejected: " + to_string(*rejection, choices);
    if (target == 0) return "not chosen";
    if (candidate.cycles > target) return fmt::format("too slow by {:.0f} cycles", candidate.cycles - target);
    if (candidate.blocking.cores() > chosen.blocking.cores())
        return fmt::format("{} cores more than needed", candidate.blocking.cores() - chosen.blocking.cores());
    if (candidate.blocking.cores() == chosen.blocking.cores() && candidate.cycles >= chosen.cycles)
        return "no quicker than " + cores_text(chosen);
    return "incompatible with the grids of its neighbours";
}

CandidateReport report(const Candidate& c) {
    const Blocking& b = c.blocking;
    CandidateReport out;
    out.grid_r = b.grid_r;
    out.grid_c = b.grid_c;
    out.t = b.t;
    out.ublock_rt = b.ublock_rt;
    out.ublock_ct = b.ublock_ct;
    out.mblock_m = b.mblock_m;
    out.mblock_n = b.mblock_n;
    out.u_kt = c.u_kt;
    out.m_k = c.m_k;
    out.l1_bytes = c.l1_bytes;
    out.kernel_cycles = c.kernel_cycles;
    out.dram_cycles = c.dram_cycles;
    out.pipe_cycles = c.pipe_cycles;
    out.filling_cycles = c.filling_cycles;
    return out;
}

std::int64_t at(const Costs& costs, Limit limit) { return costs[static_cast<std::size_t>(limit)]; }

EdgeReport edge_report(const Choices& choices, const EdgeCosts& costs, const Epoch& epoch, std::size_t edge,
                       const std::vector<std::size_t>& chosen) {
    const SolverEdge& e = choices.edges[edge];
    EdgeReport out;
    out.producer = choices.name(e.producer);
    out.operand = choices.details[edge].operand;
    const auto cut = epoch.cuts.find(edge);
    using Kind = EdgeReport::Kind;
    out.kind = e.producer < epoch.first  ? Kind::BetweenEpochs
               : cut != epoch.cuts.end() ? Kind::ThroughDram
                                         : Kind::Direct;
    if (out.kind == Kind::ThroughDram) out.why = cut->second;
    const Costs cost = costs.cost(edge, out.kind == Kind::Direct, chosen[e.producer], chosen[e.consumer]);
    out.streams = at(cost, Limit::FanOut);
    out.producer_phases = at(cost, Limit::ProducerPhases);
    out.consumer_phases = at(cost, Limit::ConsumerPhases);
    out.dram_buffers = at(cost, Limit::DramInputs);
    return out;
}

/// "2x1 (94208 B of L1, 1200 cycles) of 3 grids from 1x1 (..) to 4x1 (..): chosen: ..."
std::string sentence(const Choice& choice, const Candidate& chosen, double target, bool begins) {
    const auto text = [](const Candidate& c) {
        return fmt::format("{} ({} B of L1, {:.0f} cycles)", cores_text(c), c.l1_bytes, c.cycles);
    };
    return fmt::format("{} of {} grids from {} to {}: {}{}", text(chosen), choice.fitting.size(),
                       text(choice.fitting.front()), text(choice.fitting.back()), chosen_verdict(chosen, target),
                       begins ? "; begins an epoch" : "");
}

}  // namespace

Decision decision(const Choices& choices, const EdgeCosts& costs, const Epoch& epoch, std::size_t number,
                  std::size_t op, const std::vector<std::size_t>& chosen) {
    const OpChoices& item = choices.ops[op];
    const Choice& choice = item.choice;
    const Candidate& taken = choice.fitting[chosen[op]];
    Decision out;
    out.op = item.op.name();
    out.type = item.op.cfg.type;
    out.epoch = number;
    out.target_cycles = std::isinf(epoch.target) ? 0 : epoch.target;
    out.link_cycles = epoch.link_cycles;
    out.begins = op == epoch.first;
    out.usable_l1_bytes = choice.usable_bytes;
    out.why = sentence(choice, taken, epoch.target, out.begins);
    for (std::size_t i = 0; i < choice.fitting.size(); ++i) {
        CandidateReport entry = report(choice.fitting[i]);
        entry.chosen = i == chosen[op];
        entry.verdict = entry.chosen ? chosen_verdict(taken, epoch.target)
                                     : verdict(choices, choice.fitting[i], taken, epoch.target,
                                               epoch.rejected[op - epoch.first][i]);
        out.candidates.push_back(std::move(entry));
    }
    for (const Misfit& misfit : choice.misfits) {
        CandidateReport entry;
        entry.grid_r = misfit.grid_r;
        entry.grid_c = misfit.grid_c;
        entry.fits = false;
        entry.verdict = misfit.least_bytes == 0
                            ? "does not fit: a number of its sparse encoding exceeds 16 bits with any block size"
                            : fmt::format("does not fit: {} B of L1, {} B too much", misfit.least_bytes,
                                          misfit.least_bytes - choice.usable_bytes);
        out.candidates.push_back(std::move(entry));
    }
    for (const std::size_t e : choices.into[op]) out.edges.push_back(edge_report(choices, costs, epoch, e, chosen));
    return out;
}

}  // namespace ttsim::impl::ir
