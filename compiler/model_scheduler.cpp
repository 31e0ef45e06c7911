#include "compiler/model_scheduler.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/backend/choices.hpp"
#include "compiler/backend/edge_limits.hpp"
#include "compiler/backend/estimate.hpp"
#include "compiler/backend/held_forks.hpp"

namespace tt::ir {

template <class Make>
std::invoke_result_t<Make, const OpBudget&> ModelScheduler::with_room(const Graph& graph, Make make) const {
    try {
        return make(budget_);
    } catch (const Error& error) {
        if (error.fault() != Fault::Unsupported || !ops_without_grid(graph, budget_, scheduling_).empty()) throw;
        for (const std::int64_t blobs : {1, 2, 4}) {
            ChipParams chip = *budget_.chip;
            OpBudget budget = budget_;
            budget.overlay_size = blobs * overlay_bytes();
            chip.l1_reserved += budget.overlay_size;
            budget.chip = &chip;
            try {
                return make(budget);
            } catch (const Error& again) {
                if (again.fault() != Fault::Unsupported) throw;
            }
        }
        throw;
    }
}

Scheduled ModelScheduler::schedule(const Graph& graph) const {
    return with_room(graph, [&](const OpBudget& budget) { return relieved(graph, budget); });
}

Scheduled ModelScheduler::relieved(const Graph& graph, const OpBudget& budget) const {
    auto [schedule, emitted] = scheduled(graph, budget);
    Scheduled made{std::move(schedule), std::move(emitted), std::nullopt};
    constexpr std::size_t most_ops = 16'000;  // scheduled again, in all
    std::size_t left = most_ops / std::max<std::size_t>(made.schedule.ops.size(), 1);
    for (; !made.schedule.held_forks.empty() && left > 0; --left) {
        Graph nops = with_nops(made.graph ? *made.graph : graph, made.schedule.held_forks);
        try {
            auto [with, with_emitted] = scheduled(nops, budget);
            if (!quicker(with, with_emitted, made)) break;
            made = {std::move(with), std::move(with_emitted), std::move(nops)};
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            break;
        }
    }
    return made;
}

bool ModelScheduler::quicker(const Schedule& schedule, const EmittedModel& emitted, const Scheduled& than) const {
    if (scheduling_.policy == Policy::Simulated)
        return options_.simulate(emitted, options_) < options_.simulate(than.emitted, options_);
    // fewer of them lead on to none
    return std::pair(schedule.estimated_cycles, schedule.held_forks.size()) <
           std::pair(than.schedule.estimated_cycles, than.schedule.held_forks.size());
}

std::pair<Schedule, EmittedModel> ModelScheduler::scheduled(const Graph& graph, const OpBudget& budget) const {
    const Planner planner(graph, budget, scheduling_);
    if (scheduling_.policy == Policy::Simulated) return quickest(graph, planner, budget);
    Schedule schedule = planner.schedule(scheduling_);
    EmittedModel emitted = emit(graph, schedule, budget, emit_);
    return {std::move(schedule), std::move(emitted)};
}

Schedule ModelScheduler::balanced(const Graph& graph) const {
    ScheduleOptions options = scheduling_;
    if (options.policy == Policy::Random || options.policy == Policy::Simulated) options.policy = Policy::Balanced;
    return with_room(graph, [&](const OpBudget& budget) { return Planner(graph, budget, options).schedule(options); });
}

Estimate ModelScheduler::estimate_of(const Graph& graph) const {
    try {
        return with_room(graph, [&](const OpBudget& budget) -> Estimate {
            return {scheduling_.policy == Policy::Simulated
                        ? simulated_cycles(graph, budget)
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
    return options_.simulate(emit(last, schedule, budget, emit_), options_);
}

std::pair<Schedule, EmittedModel> ModelScheduler::quickest(const Graph& graph, const Planner& planner,
                                                           const OpBudget& budget) const {
    TT_CHECK(options_.simulate, "the simulated policy has no simulator");
    std::optional<std::pair<Schedule, EmittedModel>> best;
    ScheduleOptions winner;
    double least = 0;
    const auto attempt = [&](const ScheduleOptions& variant) {
        Schedule schedule = planner.schedule(variant);
        EmittedModel emitted = emit(graph, schedule, budget, emit_);
        const double cycles = options_.simulate(emitted, options_);
        if (best && cycles >= least) return;
        schedule.variant =
            fmt::format("{} with dram {}, packing {} and stages {}, {:.0f} cycles an execute",
                        to_string(variant.policy), variant.dram, variant.packing, variant.stages, cycles);
        best.emplace(std::move(schedule), std::move(emitted));
        winner = variant;
        least = cycles;
    };
    for (const ScheduleOptions& variant : variants(scheduling_)) attempt(variant);
    if (scheduling_.column_order) {
        ScheduleOptions rows = winner;
        rows.column_order = false;
        attempt(rows);
    }
    return std::move(*best);
}

}  // namespace tt::ir
