#include "compiler/schedule/schedule_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/phase_times.hpp"

namespace ttsim::impl::ir {

namespace {

std::string variant_text(const ScheduleOptions& options) {
    return fmt::format("{} with dram {}, packing {} and stages {}{}", to_string(options.policy), options.dram,
                       options.packing, options.stages, options.column_order ? "" : ", by rows");
}

std::vector<std::size_t> key_of(const Schedule& schedule) {
    std::vector<std::size_t> key;
    for (const PlacedOp& op : schedule.ops) {
        key.push_back(op.epoch);
        key.push_back(op.candidate);
    }
    return key;
}

}  // namespace

ScheduleSearch::ScheduleSearch(const Graph& graph, const Planner& planner, const OpBudget& budget,
                               const CompileOptions& options, const EmitOptions& emit)
    : graph_(graph),
      planner_(planner),
      budget_(budget),
      options_(options),
      emit_(emit),
      pool_(planner.choices()),
      moves_(planner.choices(), budget, pool_) {
    TT_CHECK(options.simulate, "there is no simulator to search with");
}

double ScheduleSearch::objective(const SimulatedRun& run) const {
    return options_.schedule.aim == Aim::Latency ? run.latency_cycles : run.cycles;
}

/// Runs a schedule; returns whether it is the best so far.
bool ScheduleSearch::run(Schedule schedule, const ScheduleOptions& options, const std::string& what) {
    EmittedModel emitted = emit(graph_, schedule, budget_, emit_);
    ++runs_;
    if (options_.on_simulation) options_.on_simulation(runs_, best_ ? best_->cycles : 0);
    SimulatedRun run;
    try {
        const TimedPhase timed("simulate");
        run = options_.simulate(emitted, options_);
    } catch (const Error& error) {
        if (error.fault() != Fault::Hang) throw;
        failure_ = error;
        return false;
    }
    const double cycles = objective(run);
    double sum = 0;
    for (const SimulatedEpoch& epoch : run.epochs) sum += epoch.cycles;
    if (options_.schedule.aim == Aim::Latency && !run.epochs.empty()) {  // loading the first epoch is not counted
        run.epochs.front().cycles -= sum - cycles;
        sum = cycles;
    }
    pool_.add(schedule, run);
    if (best_ && cycles >= best_->cycles) return false;
    steps_.push_back(best_ ? fmt::format("run {}, {}: {:.0f} cycles, {:.1f} % less", runs_, what, cycles,
                                         100 * (1 - cycles / best_->cycles))
                           : fmt::format("run {}, {}: {:.0f} cycles", runs_, what, cycles));
    best_.emplace(Best{std::move(schedule), std::move(emitted), options, cycles, sum});
    return true;
}

void ScheduleSearch::attempt(const ScheduleOptions& variant) {
    Schedule schedule = planner_.schedule(variant);
    if (!ran_.insert(key_of(schedule)).second && variant.column_order) return;
    run(std::move(schedule), variant, variant_text(variant));
}

void ScheduleSearch::attempt_rows() {
    if (!best_ || !best_->options.column_order) return;
    ScheduleOptions rows = best_->options;
    rows.column_order = false;
    attempt(rows);
}

/// Runs the fastest sequence of measured epochs; false if it ran before or does not fit.
bool ScheduleSearch::run_best_sequence(const EpochSequence& sequence) {
    std::optional<Schedule> schedule = planner_.schedule({sequence.epochs}, {}, best_->options);
    if (!schedule || !ran_.insert(key_of(*schedule)).second) return false;
    run(std::move(*schedule), best_->options, "the best epochs together");
    return true;
}

std::vector<ScheduleSearch::Slot> ScheduleSearch::mutate(const EpochSequence& sequence, std::int64_t round) {
    std::vector<Slot> slots;
    constexpr std::int64_t cycle = 4;  // rounds that change grids; the last of a cycle changes epoch boundaries
    const bool cut = round % cycle == cycle - 1;
    const std::size_t odd = static_cast<std::size_t>(round / cycle) % 2;
    for (std::size_t e = 0; e < sequence.epochs.size(); ++e) {
        std::mt19937 random(static_cast<std::uint32_t>(round * 1009 + static_cast<std::int64_t>(e)));
        const EpochRequest& at = sequence.epochs[e];
        const bool pair = cut && e + 1 < sequence.epochs.size() && e % 2 == odd;
        if (pair) {
            const EpochRequest& next = sequence.epochs[e + 1];
            auto moved = moves_.cuts(at, *sequence.ran[e], next, *sequence.ran[e + 1], random);
            slots.push_back({moved ? std::move(*moved) : std::vector{at, next}, {at, next}});
            ++e;
        } else if (cut && random() % 2 == 0) {
            auto moved = moves_.halves(at, *sequence.ran[e], random);
            slots.push_back({moved ? std::move(*moved) : std::vector{at}, {at}});
        } else {
            auto moved = moves_.grids(at, *sequence.ran[e], random);
            slots.push_back({{moved ? std::move(*moved) : at}, {at}});
        }
    }
    return slots;
}

std::optional<Schedule> ScheduleSearch::made(const std::vector<Slot>& slots) const {
    std::vector<std::vector<EpochRequest>> moved, kept;
    for (const Slot& slot : slots) {
        moved.push_back(slot.moved);
        kept.push_back(slot.kept);
    }
    return planner_.schedule(moved, kept, best_->options);
}

void ScheduleSearch::improve(std::int64_t most_runs) {
    constexpr std::int64_t most_idle = 32;  // consecutive rounds without a new schedule
    constexpr double worth = 0.999;
    std::int64_t idle = 0;
    for (std::int64_t round = 0; best_ && runs_ < most_runs && idle < most_idle; ++round) {
        const EpochSequence sequence = pool_.quickest();
        if (sequence.epochs.empty()) return;
        const bool last = runs_ + 1 == most_runs;
        if ((sequence.cycles < worth * best_->sum && round % 4 == 0) || last)
            if (run_best_sequence(sequence)) continue;
        ++idle;
        std::optional<Schedule> schedule = made(mutate(sequence, round));
        if (!schedule || !ran_.insert(key_of(*schedule)).second) continue;
        idle = 0;
        run(std::move(*schedule), best_->options, round % 4 == 3 ? "other cuts between epochs" : "other grids");
    }
}

std::pair<Schedule, EmittedModel> ScheduleSearch::take() {
    if (!best_) throw failure_.value();
    best_->schedule.variant =
        fmt::format("{}, {:.0f} cycles an execute, of {} runs", variant_text(best_->options), best_->cycles, runs_);
    best_->schedule.steps = std::move(steps_);
    return {std::move(best_->schedule), std::move(best_->emitted)};
}

}  // namespace ttsim::impl::ir
