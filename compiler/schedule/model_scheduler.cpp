#include "compiler/schedule/model_scheduler.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/phase_times.hpp"
#include "compiler/backend/choices.hpp"
#include "compiler/backend/edge_limits.hpp"
#include "compiler/backend/estimate.hpp"
#include "compiler/backend/held_forks.hpp"
#include "compiler/ir/legalization_error.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/schedule/schedule_search.hpp"

namespace ttsim::impl::ir {

template <class Make>
std::invoke_result_t<Make, const OpBudget&> ModelScheduler::with_overlay_space(const Graph& graph, Make make) const {
    try {
        return make(budget_);
    } catch (const Error& error) {
        if (error.fault() != Fault::Unsupported || !ops_without_grid(graph, budget_, scheduling_).empty()) throw;
        std::optional<LegalizationError> last;  // with the largest overlay
        for (const std::int64_t blobs : {1, 2, 4}) {
            ChipParams chip = *budget_.chip;
            OpBudget budget = budget_;
            budget.overlay_size = blobs * overlay_bytes();
            chip.l1_reserved += budget.overlay_size;
            budget.chip = &chip;
            try {
                return make(budget);
            } catch (const LegalizationError& again) {
                last = again;
            } catch (const Error& again) {
                if (again.fault() != Fault::Unsupported) throw;
            }
        }
        const auto* const first = dynamic_cast<const LegalizationError*>(&error);
        if (first && last) throw first->after(*last);
        throw;
    }
}

namespace {

/// Inner blocks of an op and of its copy in the backward program (passes/recompute.cpp).
struct CopiedBlocks {
    std::string original, copy;
    std::int64_t of_original = 0, of_copy = 0;  ///< u_kt
};

/// Copies whose inner blocks are not those of their originals. A product is rounded after each inner block, so they
/// would compute other bits.
std::vector<CopiedBlocks> unequal_copies(const Graph& graph, const Schedule& schedule) {
    std::map<std::string_view, const PlacedOp*> by_name;
    for (const PlacedOp& op : schedule.ops) by_name.emplace(graph.nodes[op.node].name, &op);
    std::vector<CopiedBlocks> unequal;
    for (const auto& [name, op] : by_name) {
        if (!name.ends_with(recompute_suffix) || graph.nodes[op->node].phase != Phase::Backward) continue;
        const auto original = by_name.find(name.substr(0, name.size() - recompute_suffix.size()));
        if (original == by_name.end()) continue;
        const std::int64_t a = original->second->op.cfg.attr.u_kt, b = op->op.cfg.attr.u_kt;
        if (a != b) unequal.push_back({std::string(original->first), std::string(name), a, b});
    }
    return unequal;
}

}  // namespace

Scheduled ModelScheduler::schedule(const Graph& graph) const {
    const TimedPhase timed("schedule");
    Scheduled made = with_overlay_space(graph, [&](const OpBudget& budget) { return search_schedule(graph, budget); });
    const std::vector<CopiedBlocks> unequal = unequal_copies(made.graph ? *made.graph : graph, made.schedule);
    if (unequal.empty()) return made;
    ScheduleOptions equal = scheduling_;
    for (const CopiedBlocks& blocks : unequal)
        for (const std::string& name : {blocks.original, blocks.copy})
            equal.overrides[name].u_kt = std::min(blocks.of_original, blocks.of_copy);
    return ModelScheduler(options_, budget_, equal, emit_).schedule(graph);
}

Scheduled ModelScheduler::search_schedule(const Graph& graph, const OpBudget& budget) const {
    Scheduled made = without_blocked_forks(graph, budget);
    if (options_.effort < 2) return made;
    const Graph& last = made.graph ? *made.graph : graph;
    auto [schedule, emitted] = quickest(last, Planner(last, budget, scheduling_), budget);
    made.schedule = std::move(schedule);
    made.emitted = std::move(emitted);
    return made;
}

Scheduled ModelScheduler::without_blocked_forks(const Graph& graph, const OpBudget& budget) const {
    auto [schedule, emitted] = scheduled(graph, budget);
    Scheduled made{std::move(schedule), std::move(emitted), std::nullopt};
    SearchBudget work(Search::Nops, scheduling_.searches);
    const std::size_t ops = made.schedule.ops.size();
    while (options_.effort > 0 && !made.schedule.held_forks.empty() && work.take(ops)) {
        Graph nops = with_nops(made.graph ? *made.graph : graph, made.schedule.held_forks);
        const TimedPhase timed("try nops in forks");
        try {
            auto [with, with_emitted] = scheduled(nops, budget);
            if (!is_faster(with, with_emitted, made)) break;
            made = {std::move(with), std::move(with_emitted), std::move(nops)};
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            break;
        }
    }
    return made;
}

bool ModelScheduler::is_faster(const Schedule& schedule, const EmittedModel& emitted, const Scheduled& than) const {
    if (options_.simulates()) return simulated(emitted) < simulated(than.emitted);
    // at equal times fewer held forks are better
    return std::pair(schedule.estimated_cycles, schedule.held_forks.size()) <
           std::pair(than.schedule.estimated_cycles, than.schedule.held_forks.size());
}

std::pair<Schedule, EmittedModel> ModelScheduler::scheduled(const Graph& graph, const OpBudget& budget) const {
    const Planner planner(graph, budget, scheduling_);
    if (options_.effort < 2 && scheduling_.policy == Policy::Simulated) return quickest(graph, planner, budget);
    Schedule schedule = planner.schedule(scheduling_);
    EmittedModel emitted = emit(graph, schedule, budget, emit_);
    return {std::move(schedule), std::move(emitted)};
}

double ModelScheduler::run(const Scheduled& made) const {
    try {
        return simulated(made.emitted);
    } catch (const Error& error) {
        if (error.fault() != Fault::Hang) throw;
        return std::numeric_limits<double>::infinity();
    }
}

Scheduled ModelScheduler::quickest_of_few(const Graph& graph, Scheduled made) const {
    const Graph& last = made.graph ? *made.graph : graph;
    auto [schedule, emitted] = with_overlay_space(last, [&](const OpBudget& budget) {
        const Planner planner(last, budget, scheduling_);
        ScheduleSearch search(last, planner, budget, options_, emit_);
        SearchBudget work(Search::Simulations, scheduling_.searches);
        const std::size_t ops = planner.choices().ops.size();
        for (const ScheduleOptions& variant : few_variants(scheduling_)) {
            if (!work.fits(ops)) break;
            const std::int64_t before = search.runs();
            try {
                search.attempt(variant);
            } catch (const Error& error) {
                if (error.fault() != Fault::Unsupported || search.runs() == 0) throw;
            }
            work.spend(ops * static_cast<std::size_t>(search.runs() - before));
        }
        return search.take();
    });
    made.schedule = std::move(schedule);
    made.emitted = std::move(emitted);
    return made;
}

Schedule ModelScheduler::balanced(const Graph& graph) const {
    const TimedPhase timed("estimate");
    ScheduleOptions options = scheduling_;
    if (options.policy == Policy::Random || options.policy == Policy::Simulated) options.policy = Policy::Balanced;
    return with_overlay_space(
        graph, [&](const OpBudget& budget) { return Planner(graph, budget, options).schedule(options); });
}

Estimate ModelScheduler::estimate_of(const Graph& graph) const {
    const TimedPhase timed("estimate");
    try {
        return with_overlay_space(graph, [&](const OpBudget& budget) -> Estimate {
            return {options_.simulates() ? simulated_cycles(graph, budget)
                                         : estimated_cycles(graph, budget, scheduling_, options_.auto_fusing),
                    budget.overlay_size};
        });
    } catch (const Error& error) {
        if (error.fault() != Fault::Unsupported) throw;
        return {std::numeric_limits<double>::infinity(), 0};
    }
}

double ModelScheduler::simulated_cycles(const Graph& graph, const OpBudget& budget) const {
    ScheduleOptions one = scheduling_;
    one.policy = Policy::Balanced;
    const Graph last = with_fused_ops(graph, options_.auto_fusing);
    const Schedule schedule = Planner(last, budget, one).schedule(one);
    return simulated(emit(last, schedule, budget, emit_));
}

double ModelScheduler::simulated(const EmittedModel& emitted) const {
    TT_CHECK(options_.simulate, "there is no simulator to choose with");
    const TimedPhase timed("simulate");
    const SimulatedRun run = options_.simulate(emitted, options_);
    return scheduling_.aim == Aim::Latency ? run.latency_cycles : run.cycles;
}

std::pair<Schedule, EmittedModel> ModelScheduler::quickest(const Graph& graph, const Planner& planner,
                                                           const OpBudget& budget) const {
    ScheduleSearch search(graph, planner, budget, options_, emit_);
    ScheduleOptions balanced = scheduling_;
    balanced.policy = Policy::Balanced;
    if (options_.effort >= 2) search.attempt(balanced);
    for (const ScheduleOptions& variant : variants(balanced)) search.attempt(variant);
    search.attempt_rows();
    // limits of simulations in total
    constexpr std::int64_t some = 48, many = 384;
    if (options_.effort >= 2) search.improve(options_.effort == 2 ? some : many);
    return search.take();
}

}  // namespace ttsim::impl::ir
