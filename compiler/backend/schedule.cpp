#include "compiler/backend/schedule.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <set>

#include "base/error_codes.hpp"
#include "base/phase_times.hpp"
#include "compiler/backend/choice_cache.hpp"
#include "compiler/backend/edge_times.hpp"
#include "compiler/backend/epochs.hpp"
#include "compiler/backend/explain.hpp"
#include "compiler/backend/held_forks.hpp"
#include "compiler/backend/impossible_ops.hpp"
#include "compiler/backend/latency_epochs.hpp"
#include "compiler/backend/place_search.hpp"
#include "compiler/backend/schedule_key.hpp"
#include "compiler/backend/ublock_order.hpp"
#include "compiler/ir/legalization_error.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::array<std::pair<std::string_view, Policy>, 6> policies{{
    {"balanced", Policy::Balanced},
    {"minimize_grid", Policy::MinimizeGrid},
    {"nlp", Policy::Nlp},
    {"ribbon", Policy::Ribbon},
    {"random", Policy::Random},
    {"simulated", Policy::Simulated},
}};

constexpr std::array<std::pair<std::string_view, SelfCut>, 4> self_cuts{{
    {"none", SelfCut::None},
    {"consumer_operand_edges_first", SelfCut::ConsumerOperandEdgesFirst},
    {"producer_user_edges_first", SelfCut::ProducerUserEdgesFirst},
    {"fast_cut", SelfCut::FastCut},
}};

PlacedOp placed_op(const Choices& choices, const EdgeCosts& costs, const Epoch& epoch, std::size_t k) {
    const std::size_t number = epoch.first + k;
    const OpChoices& item = choices.ops[number];
    const Candidate& chosen = item.choice.fitting[epoch.chosen[k]];
    const Place& place = epoch.places[k];
    PlacedOp placed;
    placed.node = item.node;
    placed.op = costs.candidate_op(number, epoch.chosen[k]);
    placed.pattern = item.pattern;
    placed.op.has_grid_loc = true;
    placed.op.grid_loc_r = place.row;
    placed.op.grid_loc_c = place.col;
    placed.op.grid_transpose = place.transposed;
    placed.op.buf_size_mb = epoch.buffers[k];
    placed.resident = chosen.resident;
    placed.cycles = chosen.cycles;
    placed.candidate = epoch.chosen[k];
    placed.through_dram.assign(placed.op.cfg.in.size(), false);
    for (const std::size_t e : choices.into[number])
        if (epoch.cuts.count(e)) placed.through_dram[choices.details[e].operand] = true;
    return placed;
}

}  // namespace

std::string_view to_string(Policy policy) {
    return std::find_if(policies.begin(), policies.end(), [&](const auto& p) { return p.second == policy; })->first;
}
std::string_view to_string(SelfCut cut) {
    return std::find_if(self_cuts.begin(), self_cuts.end(), [&](const auto& c) { return c.second == cut; })->first;
}
std::optional<SelfCut> parse_self_cut(std::string_view name) {
    for (const auto& [known, cut] : self_cuts)
        if (known == name) return cut;
    return std::nullopt;
}
std::vector<std::string> self_cut_names() {
    std::vector<std::string> names;
    for (const auto& [name, cut] : self_cuts) names.emplace_back(name);
    return names;
}
std::optional<Policy> parse_policy(std::string_view name) {
    for (const auto& [known, policy] : policies)
        if (known == name) return policy;
    return std::nullopt;
}
std::string_view to_string(Aim aim) { return aim == Aim::Latency ? "latency" : "throughput"; }
std::optional<Aim> parse_aim(std::string_view name) {
    for (const Aim aim : {Aim::Throughput, Aim::Latency})
        if (to_string(aim) == name) return aim;
    return std::nullopt;
}
std::vector<std::string> policy_names() {
    std::vector<std::string> names;
    for (const auto& [name, policy] : policies) names.emplace_back(name);
    return names;
}

/// Chips by overrides; the first chip follows the last.
static std::vector<std::int64_t> chosen_chips(const std::vector<EpochChip>& wanted, std::int64_t chips) {
    const auto parts =
        std::count_if(wanted.begin(), wanted.end(), [](const EpochChip& epoch) { return epoch.next; }) + 1;
    if (parts > chips && chips == 1)
        fail_input({}, "chip_break of overrides divides the model into {} parts for 1 chip; use --num-chips {}", parts,
                   parts);
    std::vector<std::int64_t> chip_of;
    std::int64_t chip = 0;
    for (const EpochChip& epoch : wanted) {
        if (epoch.own.value_or(0) >= chips)
            fail_input({}, "an override puts op '{}' on chip {}, which needs --num-chips {}", epoch.op, *epoch.own,
                       *epoch.own + 1);
        chip = (chip + (epoch.next ? 1 : 0)) % chips;
        chip_of.push_back(epoch.own.value_or(chip));
    }
    return chip_of;
}

std::vector<std::int64_t> chips_of(const Schedule& schedule, std::int64_t chips, bool fewer) {
    const auto epochs = static_cast<std::int64_t>(schedule.epochs);
    if (fewer && epochs < chips) {
        chips = std::max<std::int64_t>(epochs, 1);
        for (const EpochChip& epoch : schedule.chips) chips = std::max(chips, epoch.own.value_or(0) + 1);
    }
    if (std::any_of(schedule.chips.begin(), schedule.chips.end(), [](const EpochChip& e) { return e.given(); }))
        return chosen_chips(schedule.chips, chips);
    if (chips > 1 && epochs < chips)
        fail(Fault::Input, {{}, error_code::too_few_epochs, {}, "overrides with epoch_break create more"},
             "--num-chips {}: the model has only {} epochs, and each chip needs one", chips, epochs);
    if (chips == 1) return std::vector<std::int64_t>(schedule.epochs, 0);
    const std::vector<double>& cycles = schedule.epoch_cycles;
    // each chip gets epochs up to `most` cycles, and leaves at least one for each later chip
    const auto filled = [&](double most) {
        std::vector<std::int64_t> chip_of;
        std::int64_t chip = 0;
        double sum = 0;
        for (std::int64_t e = 0; e < epochs; ++e) {
            const double own = cycles[static_cast<std::size_t>(e)];
            const bool scarce = epochs - e <= chips - 1 - chip;
            if (!chip_of.empty() && chip + 1 < chips && (sum + own > most || scarce)) {
                ++chip;
                sum = 0;
            }
            sum += own;
            chip_of.push_back(chip);
        }
        return chip_of;
    };
    const auto longest = [&](const std::vector<std::int64_t>& chip_of) {
        std::vector<double> sums(static_cast<std::size_t>(chips), 0.0);
        for (std::size_t e = 0; e < chip_of.size(); ++e) sums[static_cast<std::size_t>(chip_of[e])] += cycles[e];
        return *std::max_element(sums.begin(), sums.end());
    };
    std::vector<std::int64_t> best = filled(std::numeric_limits<double>::infinity());
    for (std::size_t from = 0; from < cycles.size(); ++from) {  // the longest run is one of these sums
        double sum = 0;
        for (std::size_t to = from; to < cycles.size(); ++to) {
            sum += cycles[to];
            auto other = filled(sum);
            if (longest(other) < longest(best)) best = std::move(other);
        }
    }
    return best;
}

std::vector<ScheduleOptions> variants(const ScheduleOptions& options) {
    std::vector<ScheduleOptions> all;
    ScheduleOptions variant = options;
    variant.policy = Policy::Balanced;
    variant.one_height = false;
    if (options.aim == Aim::Latency) all.push_back(variant);
    variant.paced = true;
    for (const double dram : {0.4, 0.8})
        for (const double packing : {1.0, 0.9})
            for (const double stages : {0.0, 1.0, 2.0}) {
                variant.dram = dram;
                variant.packing = packing;
                variant.stages = stages;
                all.push_back(variant);
            }
    for (const Policy policy : {Policy::Nlp, Policy::Ribbon}) {
        variant = options;
        variant.policy = policy;
        all.push_back(variant);
    }
    return all;
}

std::vector<ScheduleOptions> few_variants(const ScheduleOptions& options) {
    std::vector<ScheduleOptions> all{options};
    ScheduleOptions variant = options;
    variant.one_height = false;
    variant.paced = true;
    all.push_back(variant);
    all.back().edges = false;
    struct Shares {
        double dram, packing, stages;
    };
    for (const auto& [dram, packing, stages] :
         {Shares{0.4, 0.9, 0}, Shares{0.4, 0.9, 1}, Shares{0.4, 1, 0}, Shares{0.4, 1, 2}, Shares{0.8, 0.9, 1}}) {
        variant.dram = dram;
        variant.packing = packing;
        variant.stages = stages;
        all.push_back(variant);
    }
    return all;
}

std::size_t Schedule::op_of(ValueId node) const { return index.at(node); }

static std::unique_ptr<EdgeCosts> edge_costs(const Choices& choices, const OpBudget& budget, ChoiceCache& cache) {
    const TimedPhase timed("find costs of edges");
    auto costs = std::make_unique<EdgeCosts>(choices, budget, cache, read_edge_limits(budget.overlay_size));
    refuse_impossible_edges(choices, *costs, budget);
    return costs;
}

Planner::Planner(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options)
    : budget_(budget),
      own_cache_(budget.cache ? nullptr : std::make_unique<ChoiceCache>()),
      choices_(std::make_unique<Choices>(list_choices(graph, budget, options))),
      costs_(edge_costs(*choices_, budget, budget.cache ? *budget.cache : *own_cache_)),
      places_(std::make_unique<PlaceSearch>(*choices_, *costs_, budget)),
      key_(budget.cache ? schedule_key(*choices_, budget) : "") {}
Planner::~Planner() = default;

/// Computes estimated times, slowed down by held forks.
void Planner::estimate(Schedule& schedule, Aim aim) const {
    std::vector<double> slowdown(schedule.epochs, 1);
    for (const HeldFork& fork : schedule.held_forks) {
        double& of_epoch = slowdown[schedule.ops[schedule.op_of(fork.consumer)].epoch];
        of_epoch = std::max(of_epoch, fork.slowdown);
    }
    for (std::size_t epoch = 0; epoch < schedule.epochs; ++epoch) {
        schedule.epoch_cycles[epoch] *= slowdown[epoch];
        const double pace = schedule.epoch_cycles[epoch], latency = std::max(pace, schedule.epoch_latencies[epoch]);
        const double microbatch = static_cast<double>(budget_.microbatch),
                     share = static_cast<double>(schedule.epoch_inputs[epoch]) / microbatch;
        const double cycles = aim == Aim::Latency ? latency : share * pace + (latency - pace) / microbatch;
        const bool waited_for = aim == Aim::Throughput || epoch > 0;
        const double load = waited_for ? schedule.epoch_loads[epoch] : 0;
        schedule.estimated_cycles += cycles + load / microbatch;
    }
}

static const std::string& origin(const Choices& choices, std::size_t op) {
    return choices.graph->nodes[choices.ops[op].node].origin;
}

static std::set<std::size_t> ops_of(const Choices& choices, const std::vector<std::string>& origins) {
    std::set<std::size_t> ops;
    for (std::size_t op = 0; op < choices.ops.size(); ++op)
        if (std::count(origins.begin(), origins.end(), origin(choices, op)) > 0) ops.insert(op);
    return ops;
}

/// Extends an error by all ops that no epochs can place, so that the host fallback handles them in one step.
static LegalizationError all_impossible(const Choices& choices, const EdgeCosts& costs,
                                        const LegalizationError& first) {
    std::vector<std::pair<std::string, Error>> refused;
    for (const std::string& each : first.origins()) refused.emplace_back(each, first.reason(each));
    const auto with = [&](std::size_t op) { return ops_of(choices, {origin(choices, op)}); };
    const std::set<std::size_t> on_host = ops_of(choices, first.origins());
    for (const auto& [op, why] : impossible_ops(costs, choices.edges, on_host, with, choices.ops.size()))
        refused.emplace_back(origin(choices, op), refusal(choices, op, why, true, SelfCut::ConsumerOperandEdgesFirst));
    return LegalizationError(refused);
}

/// Grids of one height are sometimes better for output streaming, which the search for epochs does not model, and may
/// satisfy edges that allow no grid otherwise. Beyond the budget they are tried only if the first search fails.
Schedule Planner::schedule(const ScheduleOptions& options) const {
    if (options.policy != Policy::Balanced || !options.one_height) return schedule_once(options);
    std::vector<ScheduleOptions> all{options, options};
    all.back().policy = Policy::Ribbon;
    if (options.aim == Aim::Latency) {
        all.push_back(options);
        all.back().paced = true;
    }
    std::optional<Schedule> best;
    std::exception_ptr refused;
    SearchBudget budget(Search::OneHeight, options.searches);
    for (const ScheduleOptions& each : all) {
        if (best && each.policy == Policy::Ribbon && !budget.take(choices_->ops.size())) continue;
        try {
            Schedule made = schedule_once(each);
            if (!best || made.estimated_cycles < best->estimated_cycles) best = std::move(made);
        } catch (const LegalizationError& error) {
            if (error.fault() != Fault::Unsupported) throw;
            if (are_impossible(*costs_, choices_->edges, ops_of(*choices_, error.origins())))
                throw all_impossible(*choices_, *costs_, error);
            if (!refused) refused = std::current_exception();
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            if (!refused) refused = std::current_exception();
        }
    }
    if (!best) std::rethrow_exception(refused);
    return std::move(*best);
}

/// Passes, searches and simulations ask for schedules of the same graph again.
Schedule Planner::schedule_once(const ScheduleOptions& options) const {
    if (!budget_.cache || options.explain || !options.overrides.empty()) return new_schedule(options);
    return budget_.cache->schedules.get(key_ + schedule_key(options), [&] { return new_schedule(options); });
}

Schedule Planner::new_schedule(const ScheduleOptions& options) const {
    std::optional<TimedPhase> timed;
    timed.emplace(options.policy == Policy::Ribbon ? "choose epochs with grids of one height" : "choose epochs");
    std::vector<Epoch> epochs = choose_epochs(*choices_, *costs_, budget_, options);
    timed.reset();
    return build_schedule(std::move(epochs), options);
}

std::optional<Schedule> Planner::schedule(const std::vector<std::vector<EpochRequest>>& wanted,
                                          const std::vector<std::vector<EpochRequest>>& otherwise,
                                          const ScheduleOptions& options) const {
    std::optional<TimedPhase> timed;
    timed.emplace("choose epochs");
    auto epochs = requested_epochs(*choices_, *costs_, budget_, options, wanted, otherwise);
    timed.reset();
    if (!epochs) return std::nullopt;
    return build_schedule(std::move(*epochs), options);
}

Schedule Planner::build_schedule(std::vector<Epoch> epochs, const ScheduleOptions& options) const {
    Schedule schedule;
    std::vector<std::size_t> chosen;
    std::map<std::size_t, double> waiting;
    EdgeTimes between(*choices_, *costs_);
    {
        const TimedPhase timed("place ops");
        for (Epoch& epoch : epochs) places_->improve(epoch, epochs.size());
    }
    for (Epoch& epoch : epochs) {
        chosen.insert(chosen.end(), epoch.chosen.begin(), epoch.chosen.end());
        waiting.merge(epoch.waiting);
        for (std::size_t k = 0; k < epoch.chosen.size(); ++k) {
            if (options.explain)
                schedule.decisions.push_back(
                    decision(*choices_, *costs_, epoch, schedule.epochs, epoch.first + k, chosen));
            schedule.index[choices_->ops[epoch.first + k].node] = schedule.ops.size();
            schedule.ops.push_back(placed_op(*choices_, *costs_, epoch, k));
            schedule.ops.back().epoch = schedule.epochs;
            schedule.ops.back().op.overlay_size = budget_.overlay_size;
        }
        const OpChoices& first = choices_->ops[epoch.first];
        schedule.chips.push_back({schedule.epochs > 0 && first.breaks_chip(), first.chip(), first.op.name()});
        schedule.epoch_targets.push_back(epoch.target);
        schedule.epoch_loads.push_back(epoch.load_cycles);
        schedule.epoch_inputs.push_back(first.inputs);
        schedule.epoch_latencies.push_back(
            latency_of(choices_->times, epoch.first, epoch.chosen, options.edges ? &between : nullptr));
        schedule.epoch_cycles.push_back(std::max(
            {slowest(choices_->ops, epoch), epoch.link_cycles, epoch.output_streaming_cycles, epoch.queue_cycles}));
        ++schedule.epochs;
    }
    if (options.column_order) choose_ublock_orders(*choices_->graph, budget_, schedule);
    schedule.held_forks = held_forks(*choices_, waiting, budget_.microbatch, schedule);
    estimate(schedule, options.aim);
    return schedule;
}

}  // namespace ttsim::impl::ir
