#include "compiler/backend/epochs.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

#include "base/parallel.hpp"
#include "base/phase_times.hpp"
#include "compiler/backend/edge_times.hpp"
#include "compiler/backend/epoch_list.hpp"
#include "compiler/backend/input_time.hpp"
#include "compiler/backend/latency_epochs.hpp"
#include "compiler/backend/levels.hpp"
#include "compiler/backend/load_time.hpp"
#include "compiler/backend/run_times.hpp"

namespace ttsim::impl::ir {

namespace {

using Ops = std::vector<OpChoices>;

/// Per op: indices of the candidates that a policy considers.
using CandidateLists = std::vector<std::vector<std::size_t>>;

/// Resources that the ops of an epoch share.
struct SharedResources {
    double cores = 1;
    double dram_bytes = 1;  ///< per clock, of all channels
};

SharedResources shared_resources(const OpBudget& budget, const ScheduleOptions& options) {
    const ChipParams& chip = *budget.chip;
    return {static_cast<double>(budget.rows * budget.cols),
            options.dram * chip.timing.dram_read_bytes * static_cast<double>(chip.dram.size()) * chip.dram_blocks};
}

/// Sort key of a candidate, best first: candidates that meet the target by their share of cores and DRAM, then the
/// others by time.
std::tuple<bool, double, double> preference_key(double target, const Candidate& c, const SharedResources& shared,
                                                double scale = 1) {
    const bool meets = scale * c.cycles <= target;
    const double share = static_cast<double>(c.blocking.cores()) / shared.cores +
                         (std::isinf(target) ? 0 : c.dram_bytes / (target * shared.dram_bytes));
    return {!meets, meets ? share : 0, c.cycles};
}

/// Sorts candidates by preference_key().
std::vector<std::size_t> ordered_by_target(const Choice& choice, std::vector<std::size_t> order, double target,
                                           const SharedResources& shared, double scale = 1) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return preference_key(target, choice.fitting[a], shared, scale) <
               preference_key(target, choice.fitting[b], shared, scale);
    });
    return order;
}

/// The first candidate of ordered_by_target().
std::size_t best_candidate(const Choice& choice, const std::vector<std::size_t>& offered, double target,
                           const SharedResources& shared) {
    std::size_t best = offered.front();
    auto least = preference_key(target, choice.fitting[best], shared);
    for (const std::size_t i : offered) {
        const auto key = preference_key(target, choice.fitting[i], shared);
        if (!(key < least)) continue;
        least = key;
        best = i;
    }
    return best;
}

std::vector<std::size_t> all_of(const Choice& choice) {
    std::vector<std::size_t> all(choice.fitting.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

CandidateLists offer_all(const Ops& ops) {
    CandidateLists offer;
    for (const OpChoices& op : ops) offer.push_back(all_of(op.choice));
    return offer;
}

/// Fills epochs in order with as many ops as the cores allow. `preference`: the same for all epochs.
std::vector<Epoch> fill_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                               const ScheduleOptions& options, const Preference& preference) {
    EpochList epochs(choices, costs, budget, options);
    const auto only = [&](std::size_t, std::size_t, std::size_t n) {
        return n == 0 ? std::optional(preference) : std::nullopt;
    };
    std::vector<Rectangle> rectangles;  // from `first` on
    std::size_t first = 0;
    for (std::size_t op = 0; op <= choices.ops.size(); ++op) {
        const bool end = op == choices.ops.size();
        if (!end)
            rectangles.push_back(
                rectangle(choices.ops[op].choice.fitting[preference.order(op).front()].blocking, choices.ops[op].user));
        const bool fits = !end && !(op > first && choices.ops[op].begins()) &&
                          place(rectangles, budget.rows, budget.cols).has_value();
        if (fits || (op == first && !end)) continue;
        std::size_t next = op;  // the first op of the next epoch
        while (!end && next > first && choices.ops[next].with_previous) --next;
        if (next == first) next = op;
        epochs.add(first, next, only);
        rectangles.erase(rectangles.begin(), rectangles.begin() + static_cast<std::ptrdiff_t>(next - first));
        first = next;
    }
    return epochs.take();
}

/// Cores and DRAM bytes that consecutive ops need, by target cycles per input. `offered`: per op the candidates;
/// identical ops have identical ones.
class TargetTable {
public:
    TargetTable(const Choices& choices, const CandidateLists& offered, const SharedResources& shared) {
        const Ops& ops = choices.ops;
        double slowest = 1, quickest = std::numeric_limits<double>::infinity();
        for (std::size_t op = 0; op < ops.size(); ++op)
            for (const std::size_t i : offered[op]) {
                const Candidate& c = ops[op].choice.fitting[i];
                slowest = std::max(slowest, c.cycles);
                quickest = std::min(quickest, c.cycles);
            }
        constexpr double step = 1.04;
        for (double t = std::max(quickest, slowest / 1e6); t < slowest * step; t *= step) targets_.push_back(t);
        std::vector<std::int64_t> cores(ops.size());
        for (const double target : targets_) {
            std::vector<double> bytes{0};
            std::vector<std::size_t> chosen(ops.size());
            for (std::size_t op = 0; op < ops.size(); ++op) {
                const std::size_t like = choices.like[op];
                chosen[op] = like < op ? chosen[like] : best_candidate(ops[op].choice, offered[op], target, shared);
                const Candidate& c = ops[op].choice.fitting[chosen[op]];
                cores[op] = c.cycles <= target ? c.blocking.cores() : too_many;
                bytes.push_back(bytes.back() + c.dram_bytes);
            }
            levels_.add(std::move(chosen), cores);
            bytes_.push_back(std::move(bytes));
        }
    }
    double target(std::size_t k) const { return targets_[k]; }
    std::size_t size() const { return targets_.size(); }
    /// Bytes of streamed constants, per input.
    double bytes(std::size_t k, std::size_t first, std::size_t end) const { return bytes_[k][end] - bytes_[k][first]; }
    /// Levels by index of the target.
    const Levels& levels() const { return levels_; }

private:
    static constexpr std::int64_t too_many = 1'000'000;
    std::vector<double> targets_;
    Levels levels_;
    std::vector<std::vector<double>> bytes_;  // per target: prefix sums over ops
};

/// Whether the value is in DRAM before the first input, so that a core may hold it.
bool is_stored(const Node& node) { return node.is_constant() || node.is_parameter(); }

/// Bytes per input that an epoch reads from queues and writes to them.
class Traffic {
public:
    explicit Traffic(const Choices& choices) : choices_(choices) {
        for (std::size_t op = 0; op < choices.ops.size(); ++op) {
            const Node& node = choices.graph->nodes[choices.ops[op].node];
            const auto operands = operands_of(node);
            double bytes = 0;
            for (std::size_t k = 0; k < operands.size(); ++k)
                if (operands[k].kind == OperandSource::Kind::Input &&
                    !is_stored(choices.graph->nodes[node.inputs[operands[k].input].value]))
                    bytes += read(op, k);
            reads_.push_back(bytes);
        }
    }
    /// Traffic that op `first` adds to an epoch of the following ops up to `end`; negative if it produces their
    /// operands.
    double added(std::size_t first, std::size_t end) const {
        const OpChoices& item = choices_.ops[first];
        double bytes = reads_[first];
        bool written = item.outputs > 0;
        for (const std::size_t e : choices_.from[first]) {
            const bool inside = choices_.edges[e].consumer < end;
            if (inside) bytes -= read(choices_.edges[e].consumer, choices_.details[e].operand);
            written = written || !inside;
        }
        const OpConfig& cfg = item.op.cfg;
        if (written) bytes += static_cast<double>(cfg.out.shape().tiles() * cfg.out_tile_bytes());
        return bytes;
    }

private:
    double read(std::size_t op, std::size_t k) const {
        const OpConfig& cfg = choices_.ops[op].op.cfg;
        return static_cast<double>(cfg.in[k].tiles() * tile_bytes(cfg.in_df[k], cfg.tile, cfg.chip.alignment));
    }
    const Choices& choices_;
    std::vector<double> reads_;  // per op: bytes of computed operands and inputs
};

/// Partitions the ops into epochs by dynamic programming. It minimizes the sum over epochs of the slowest op's cycles
/// and the cost of the change of epochs.
class MinTimeEpochs {
public:
    MinTimeEpochs(const Choices& choices, const OpBudget& budget, const ScheduleOptions& options,
                  CandidateLists offered)
        : ops_(choices.ops),
          choices_(choices),
          budget_(budget),
          options_(options),
          shared_(shared_resources(budget, options)),
          load_(*budget.chip, budget.rows, budget.cols),
          offered_(std::move(offered)),
          table_(choices, offered_, shared_),
          traffic_(choices) {}

    std::vector<Epoch> run(const EdgeCosts& costs) {
        const auto cores =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(shared_.cores * options_.packing)));
        const std::size_t count = ops_.size();
        std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
        std::vector<std::size_t> from(count + 1, 0);
        best[0] = 0;
        const auto longest = static_cast<std::size_t>(cores);  // every op needs a core
        EdgeTimes between(choices_, costs);
        EdgeTimes* const edges = options_.edges ? &between : nullptr;
        RunTimes times(choices_.times, edges, table_.levels(), longest);
        RunBounds bounds(choices_.times, table_.levels(), count, longest);
        for (std::size_t end = 1; end <= count; ++end) {
            bounds.begin(end);
            double crossing = 0;
            std::size_t quickest = 0;  // least target that the cores allow; longer runs need an equal or higher one
            for (std::size_t first = end; first-- > 0;) {
                crossing += traffic_.added(first, end);
                quickest = table_.levels().next(first, end, cores, quickest);
                const auto pace = pace_of({first, end, quickest, crossing}, times, best[end] - best[first], &bounds);
                if (!pace && end - first > 1) break;  // longer runs need more cores
                const double total =
                    best[first] + choices_.apart(first) +
                    (pace ? pace->cost
                          : cost({first, end, 0, 0}, table_.size() - 1, table_.target(table_.size() - 1), times));
                if (total < best[end]) {
                    best[end] = total;
                    from[end] = first;
                }
                if (ops_[first].begins()) break;
            }
        }
        std::vector<std::pair<std::size_t, std::size_t>> runs;
        for (std::size_t end = count; end > 0; end = from[end]) runs.emplace_back(from[end], end);
        std::reverse(runs.begin(), runs.end());
        EpochList epochs(choices_, costs, budget_, options_);
        // if the rectangles of the ops do not pack into the chip, try larger targets
        const auto preferences = [&](std::size_t first, std::size_t end, std::size_t n) -> std::optional<Preference> {
            double crossing = 0;
            for (std::size_t op = end; op-- > first;) crossing += traffic_.added(op, end);
            const auto pace = pace_of({first, end, table_.levels().least(first, end, cores), crossing}, times);
            const std::size_t t = (pace ? pace->target : table_.size() - 1) + n;
            if (t >= table_.size()) return std::nullopt;
            const double target = table_.target(t);
            return Preference{target, [this, target](std::size_t op) { return order(op, target); }};
        };
        const TimedPhase timed("solve epochs");
        for (const auto& [first, end] : runs) epochs.add(first, end, preferences);
        return epochs.take();
    }

private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();
    static constexpr double rounding_margin = 1 - 1e-9;  // for different rounding of bounds
    struct Run {
        std::size_t first = 0, end = 0;
        std::size_t quickest = 0;  ///< least target that the cores allow
        double crossing = 0;       ///< bytes read from queues and written to them
    };
    struct Pace {
        std::size_t target = 0;
        double cost = 0;  ///< at the pace of the target, or of DRAM if slower
    };
    /// The target with the least cost among those that the cores allow: more cores are faster but take longer to load.
    /// If DRAM is the bottleneck, only the cores that its pace needs are used. nullopt if no target has enough cores.
    /// Costs above `most` may be returned as infinite.
    std::optional<Pace> pace_of(const Run& run, RunTimes& times, double most = infinite,
                                RunBounds* bounds = nullptr) const {
        std::size_t t = run.quickest;
        if (t == table_.size()) return std::nullopt;
        if (bounds && rounding_margin * least_total(run, table_.target(t), bounds->known(t), least_load(run)) >= most)
            return Pace{t, infinite};
        while (t + 1 < table_.size() && table_.target(t + 1) <= dram(run, t + 1)) ++t;
        std::optional<Pace> best;
        for (std::size_t first = t, step = 1; t < table_.size(); t += step, step *= 2) {
            const double pace = std::max(table_.target(t), dram(run, t));
            if (best && pace >= best->cost) break;
            if (pace >= most) return best ? best : Pace{t, pace};
            const double enough = best ? std::min(best->cost, most) : most;
            const auto least = [&] { return rounding_margin * least_total(run, pace, bounds->known(t), load(run, t)); };
            if (bounds && t == first && least() < enough) bounds->count(run.first, t);
            const double cost_then = bounds && least() >= enough ? infinite : cost(run, t, pace, times, enough);
            if (!best || cost_then < best->cost) best = {t, cost_then};
        }
        return best;
    }

    double dram(const Run& run, std::size_t target) const {
        return (table_.bytes(target, run.first, run.end) + run.crossing) / shared_.dram_bytes;
    }
    double load(const Run& run, std::size_t target) const {
        return load_.of_cores(static_cast<double>(table_.levels().cores(target, run.first, run.end)));
    }
    /// Lower bound for any target: every op needs a core.
    double least_load(const Run& run) const { return load_.of_cores(static_cast<double>(run.end - run.first)); }

    /// Cycles per input: the pace, plus the input's share of an execute's fill time and of loading programs. `clocks`:
    /// latency of one input.
    double total(const Run& run, double pace, double clocks, double load) const {
        return total(run, pace, clocks, load, options_.stages);
    }
    /// Lower bound of total(), monotonic in pace and clocks. total() is not: a slower pace shortens the fill time.
    double least_total(const Run& run, double pace, double clocks, double load) const {
        return total(run, pace, clocks, load, std::min(options_.stages, inputs(run)));
    }
    double total(const Run& run, double pace, double clocks, double load, double stages) const {
        const double fill = std::max(0.0, clocks - pace);
        return pace + (stages * fill + load) / inputs(run);
    }
    double inputs(const Run& run) const { return static_cast<double>(ops_[run.first].inputs); }
    /// Cost of ops at `pace` or slower; infinite if it is `most` or more.
    double cost(const Run& run, std::size_t target, double pace, RunTimes& times, double most = infinite) const {
        const double loaded = load(run, target);
        const auto time = times.of(run.first, run.end, target, [&](const RunTimes::Time& known) {
            return rounding_margin * least_total(run, std::max(pace, known.pace), known.clocks, loaded) >= most;
        });
        const double cost = total(run, std::max(pace, time.pace), time.clocks, loaded);
        return cost < most ? cost : infinite;
    }

    /// Offered candidates first, then the rest.
    std::vector<std::size_t> order(std::size_t op, double target) const {
        const Choice& choice = ops_[op].choice;
        std::vector<std::size_t> wanted = ordered_by_target(choice, offered_[op], target, shared_);
        for (const std::size_t i : ordered_by_target(choice, all_of(choice), target, shared_))
            if (std::find(offered_[op].begin(), offered_[op].end(), i) == offered_[op].end()) wanted.push_back(i);
        return wanted;
    }

    const Ops& ops_;
    const Choices& choices_;
    const OpBudget& budget_;
    const ScheduleOptions& options_;
    SharedResources shared_;
    LoadTime load_;
    CandidateLists offered_;
    TargetTable table_;
    Traffic traffic_;
};

/// Cycles per input of the microbatch.
double slowest_sum(const Ops& ops, const std::vector<Epoch>& epochs, const OpBudget& budget) {
    const LoadTime load(*budget.chip, budget.rows, budget.cols);
    double sum = 0;
    for (const Epoch& epoch : epochs) {
        double cores = 0;
        for (std::size_t k = 0; k < epoch.chosen.size(); ++k)
            cores += static_cast<double>(ops[epoch.first + k].choice.fitting[epoch.chosen[k]].blocking.cores());
        const double microbatch = static_cast<double>(budget.microbatch),
                     share = static_cast<double>(ops[epoch.first].inputs) / microbatch;
        sum += share * slowest(ops, epoch) + load.of_cores(cores) / microbatch;
    }
    return sum;
}

/// Grids of one height for all ops that have such grids; chooses the height with the least estimated time.
std::vector<Epoch> ribbon(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                          const ScheduleOptions& options) {
    std::vector<CandidateLists> offers;
    for (std::int64_t height = 1; height <= budget.rows; ++height) {
        CandidateLists offer = offer_all(choices.ops);
        for (std::size_t op = 0; op < offer.size(); ++op) {
            std::vector<std::size_t> same;
            for (const std::size_t i : offer[op])
                if (choices.ops[op].choice.fitting[i].blocking.grid_r == height) same.push_back(i);
            if (!same.empty()) offer[op] = std::move(same);
        }
        if (std::find(offers.begin(), offers.end(), offer) == offers.end()) offers.push_back(std::move(offer));
    }
    std::vector<std::optional<std::vector<Epoch>>> made(offers.size());
    std::vector<std::exception_ptr> refused(offers.size());
    parallel_for(budget.threads, offers.size(), [&](std::size_t k) {
        try {
            made[k] = MinTimeEpochs(choices, budget, options, std::move(offers[k])).run(costs);
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported) throw;
            refused[k] = std::current_exception();
        }
    });
    std::optional<std::vector<Epoch>> best;
    for (auto& epochs : made)
        if (epochs && (!best || slowest_sum(choices.ops, *epochs, budget) < slowest_sum(choices.ops, *best, budget)))
            best = std::move(epochs);
    if (!best) std::rethrow_exception(refused.back());
    return std::move(*best);
}

/// The mean time of products on their smallest grids, but at least the best time of the slowest op.
double product_target(const Ops& ops) {
    double sum = 0, count = 0, floor = 0;
    for (const OpChoices& op : ops) {
        double quickest = std::numeric_limits<double>::infinity();
        for (const Candidate& c : op.choice.fitting) quickest = std::min(quickest, c.cycles);
        floor = std::max(floor, quickest);
        if (op.op.cfg.type != "matmul" || op.op.cfg.attr.identity) continue;
        sum += op.choice.fitting.front().cycles;
        ++count;
    }
    return std::max(floor, count > 0 ? sum / count : floor);
}

/// Candidates in random order, by seed.
CandidateLists shuffled(const Ops& ops, std::uint32_t seed) {
    std::mt19937 random(seed);
    CandidateLists offer = offer_all(ops);
    for (std::vector<std::size_t>& order : offer)
        for (std::size_t k = 0; k + 1 < order.size(); ++k)
            std::swap(order[k], order[k + random() % (order.size() - k)]);
    return offer;
}

/// Epochs by preferences, each after those before it.
class RequestedEpochs {
public:
    RequestedEpochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                    const ScheduleOptions& options)
        : choices_(choices), shared_(shared_resources(budget, options)), solver_(choices, costs, budget, options) {}

    /// Adds all of them or none.
    bool add(const std::vector<EpochRequest>& requests) {
        const std::size_t epochs = epochs_.size(), ops = chosen_.size();
        for (const EpochRequest& request : requests) {
            auto epoch = solver_.solve(request.first, request.end,
                                       {request.target, [&](std::size_t op) { return order(request, op); }}, chosen_);
            if (!epoch) {
                epochs_.resize(epochs);
                chosen_.resize(ops);
                return false;
            }
            chosen_.insert(chosen_.end(), epoch->chosen.begin(), epoch->chosen.end());
            epochs_.push_back(std::move(*epoch));
        }
        return true;
    }
    std::vector<Epoch> take() { return std::move(epochs_); }

private:
    std::vector<std::size_t> order(const EpochRequest& request, std::size_t op) const {
        const Choice& choice = choices_.ops[op].choice;
        const std::size_t k = op - request.first;
        const double scale = request.scale.empty() ? 1 : request.scale[k];
        std::vector<std::size_t> all = ordered_by_target(choice, all_of(choice), request.target, shared_, scale);
        if (!request.wanted.empty()) {
            const auto front = std::find(all.begin(), all.end(), request.wanted[k]);
            std::rotate(all.begin(), front, front + 1);
        }
        return all;
    }

    const Choices& choices_;
    SharedResources shared_;
    EpochSolver solver_;
    std::vector<std::size_t> chosen_;
    std::vector<Epoch> epochs_;
};

}  // namespace

double slowest(const Ops& ops, const Epoch& epoch) {
    double slowest = 0;
    for (std::size_t k = 0; k < epoch.chosen.size(); ++k)
        slowest = std::max(slowest, ops[epoch.first + k].choice.fitting[epoch.chosen[k]].cycles);
    return slowest;
}

std::optional<std::vector<Epoch>> requested_epochs(const Choices& choices, const EdgeCosts& costs,
                                                   const OpBudget& budget, const ScheduleOptions& options,
                                                   const std::vector<std::vector<EpochRequest>>& wanted,
                                                   const std::vector<std::vector<EpochRequest>>& otherwise) {
    RequestedEpochs epochs(choices, costs, budget, options);
    for (std::size_t k = 0; k < wanted.size(); ++k)
        if (!epochs.add(wanted[k]) && (otherwise.empty() || !epochs.add(otherwise[k]))) return std::nullopt;
    return epochs.take();
}

double least_target(const Choices& choices, const OpBudget& budget, const EpochRequest& request, double packing) {
    const double cores = packing * static_cast<double>(budget.rows * budget.cols);
    const auto scaled = [&](std::size_t op, const Candidate& c) {
        return c.cycles * (request.scale.empty() ? 1 : request.scale[op - request.first]);
    };
    const auto fits = [&](double target) {
        double needed = 0;
        for (std::size_t op = request.first; op < request.end; ++op) {
            double least = std::numeric_limits<double>::infinity();
            for (const Candidate& c : choices.ops[op].choice.fitting)
                if (scaled(op, c) <= target) least = std::min(least, static_cast<double>(c.blocking.cores()));
            needed += least;
        }
        return needed <= cores;
    };
    double low = 1, high = 1;
    for (std::size_t op = request.first; op < request.end; ++op)
        for (const Candidate& c : choices.ops[op].choice.fitting) high = std::max(high, scaled(op, c));
    constexpr double exact = 1.01;
    while (high > low * exact) {
        const double middle = std::sqrt(low * high);
        (fits(middle) ? high : low) = middle;
    }
    return high;
}

std::vector<Epoch> choose_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                 const ScheduleOptions& options) {
    const Ops& ops = choices.ops;
    if (ops.empty()) return {};
    switch (options.policy) {
        case Policy::MinimizeGrid:
            return fill_epochs(
                choices, costs, budget, options,
                {std::numeric_limits<double>::infinity(), [&](std::size_t op) { return all_of(ops[op].choice); }});
        case Policy::Nlp: {
            const double target = product_target(ops);
            const SharedResources shared = shared_resources(budget, options);
            const auto order = [&ops, target, shared](std::size_t op) {
                return ordered_by_target(ops[op].choice, all_of(ops[op].choice), target, shared);
            };
            return fill_epochs(choices, costs, budget, options, {target, order});
        }
        case Policy::Random: {
            const CandidateLists offer = shuffled(ops, options.seed);
            return fill_epochs(choices, costs, budget, options, {0, [&](std::size_t op) { return offer[op]; }});
        }
        case Policy::Ribbon:
            return ribbon(choices, costs, budget, options);
        case Policy::Balanced:
        case Policy::Simulated:  // the caller tries variants of Balanced and others
            break;
    }
    if (options.aim == Aim::Latency && !options.paced) return latency_epochs(choices, costs, budget, options);
    return MinTimeEpochs(choices, budget, options, offer_all(ops)).run(costs);
}

}  // namespace ttsim::impl::ir
