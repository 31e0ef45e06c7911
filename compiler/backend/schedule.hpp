// Second half of the balancer, and the placer: epochs, rectangles of cores, and edges through DRAM.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "compiler/backend/blocking.hpp"
#include "compiler/backend/decision.hpp"
#include "compiler/backend/search_budget.hpp"

namespace ttsim::impl::ir {

struct PlacedOp {
    ValueId node = 0;
    Op op;
    std::vector<bool> resident;      ///< per operand of op
    std::vector<bool> through_dram;  ///< per operand: from an op of the same epoch through a queue in DRAM
    std::shared_ptr<const SparsePattern> pattern;  ///< of a sparse product
    std::size_t epoch = 0;
    double cycles = 0;          ///< per input, estimated
    std::size_t candidate = 0;  ///< index among the op's candidates
};

enum class Policy : std::uint8_t {
    MinimizeGrid,  ///< the smallest grid each op fits on
    Nlp,           ///< the smallest grid that meets a target derived from the products
    Ribbon,        ///< grids of one height if possible
    Random,        ///< any grid, any epochs, by seed
    Balanced,      ///< epochs and targets with the least estimated time per input
    Simulated,     ///< the fastest of several schedules on the simulated chip
};
std::string_view to_string(Policy policy);
std::optional<Policy> parse_policy(std::string_view name);
std::vector<std::string> policy_names();

/// Which edges are cut (sent through a queue in DRAM) if an op has no grid that is compatible with its neighbours.
enum class SelfCut : std::uint8_t {
    None,                       ///< no cuts: an error
    ConsumerOperandEdgesFirst,  ///< operands one by one, then users
    ProducerUserEdgesFirst,     ///< users one by one, then operands
    FastCut,                    ///< all operands together
};
std::string_view to_string(SelfCut cut);
std::optional<SelfCut> parse_self_cut(std::string_view name);
std::vector<std::string> self_cut_names();

/// The objective of a schedule.
enum class Aim : std::uint8_t {
    Throughput,  ///< inputs/s, with many inputs in an epoch
    Latency,     ///< latency of one input
};
std::string_view to_string(Aim aim);
std::optional<Aim> parse_aim(std::string_view name);

struct ScheduleOptions {
    Policy policy = Policy::Balanced;
    SelfCut self_cut = SelfCut::ConsumerOperandEdgesFirst;
    std::uint32_t seed = 0;  ///< of the random policy
    double packing = 1;      ///< balanced: share of the cores that an epoch may use
    bool one_height = true;  ///< balanced: also tries ribbon and keeps the faster estimate
    double stages = 1;       ///< balanced: weight of an epoch's fill time
    double dram = 0.4;       ///< balanced: share of the DRAM rate that an epoch may use
    bool edges = true;       ///< balanced: count times of output streaming
    Aim aim = Aim::Throughput;
    bool paced = false;               ///< balanced, for latency: choose epochs by their slowest ops, as for throughput
    Overrides overrides;              ///< by op
    std::int64_t training_chips = 1;  ///< of a model that is trained: chips that share its ops
    bool column_order = true;         ///< ublocks may be ordered by columns
    bool t_streaming = true;          ///< whether passes used t-streaming; for messages
    bool explain = false;             ///< fill Schedule::decisions
    std::shared_ptr<SearchLog> searches;  ///< of the compilation; nullptr: none is kept
};

/// An operand that waits in its producer's buffer for another path, while the producer streams blocks to several
/// readers. No reader gets the next block before this operand is read.
struct HeldFork {
    ValueId consumer = 0;
    std::size_t input = 0;  ///< of the node
    double slowdown = 1;    ///< of its epoch: time per block relative to producing it
};

/// Overrides of the chip of an epoch.
struct EpochChip {
    bool next = false;                ///< the chip after that of the previous epochs
    std::optional<std::int64_t> own;  ///< the chip of this epoch alone
    std::string op;                   ///< its first op
    bool given() const { return next || own; }
};

struct Schedule {
    std::vector<PlacedOp> ops;  ///< in order
    std::vector<HeldFork> held_forks;
    std::size_t epochs = 0;
    std::size_t op_of(ValueId node) const;  ///< index in `ops`
    std::set<ValueId> by_columns;           ///< inputs and constants whose queues hold ublocks by columns
    std::map<ValueId, std::size_t> index;
    std::vector<EpochChip> chips;            ///< by epoch
    std::vector<double> epoch_targets;       ///< target cycles of ops
    std::vector<double> epoch_cycles;        ///< of the slowest op, output, NoC link or held fork, per input
    std::vector<double> epoch_loads;         ///< to load its programs, once
    std::vector<double> epoch_latencies;     ///< latency of one input
    std::vector<std::int64_t> epoch_inputs;  ///< of an execute
    double estimated_cycles = 0;             ///< per input: sum over epochs by objective, with changing epochs
    std::vector<Decision> decisions;         ///< per op
    std::string variant;                     ///< the best variant on the simulated chip
    std::vector<std::string> steps;          ///< improvements found by the search on the simulated chip
};

/// The chip of each epoch. Chips have runs of consecutive epochs, cut by overrides or so that the longest run is
/// shortest. Throws Error(Input) for fewer epochs than chips, or too many breaks. `fewer`: with fewer epochs than
/// chips, as many chips as epochs.
std::vector<std::int64_t> chips_of(const Schedule& schedule, std::int64_t chips, bool fewer = false);

/// The variants that the simulated policy tries.
std::vector<ScheduleOptions> variants(const ScheduleOptions& options);
/// The variants that are fastest most often.
std::vector<ScheduleOptions> few_variants(const ScheduleOptions& options);

struct Choices;
struct Epoch;
struct EpochRequest;
class EdgeCosts;
class PlaceSearch;

/// Schedules one model on one chip; schedules by several policies share candidates and caches.
class Planner {
public:
    /// Throws Error(Unsupported) with every op that fits on no grid: the exceeded limit, the excess, and remedies.
    Planner(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options);
    ~Planner();
    /// `options`: with the constructor's overrides. Throws Error(Unsupported) for an op whose edges allow no grid.
    Schedule schedule(const ScheduleOptions& options) const;
    /// Schedule of given epochs: see requested_epochs().
    std::optional<Schedule> schedule(const std::vector<std::vector<EpochRequest>>& wanted,
                                     const std::vector<std::vector<EpochRequest>>& otherwise,
                                     const ScheduleOptions& options) const;
    const Choices& choices() const { return *choices_; }

private:
    Schedule schedule_once(const ScheduleOptions& options) const;
    Schedule new_schedule(const ScheduleOptions& options) const;
    Schedule build_schedule(std::vector<Epoch> epochs, const ScheduleOptions& options) const;
    void estimate(Schedule& schedule, Aim aim) const;

    const OpBudget& budget_;
    std::unique_ptr<ChoiceCache> own_cache_;  // if the budget has none
    std::unique_ptr<Choices> choices_;
    std::unique_ptr<EdgeCosts> costs_;
    std::unique_ptr<PlaceSearch> places_;
    std::string key_;  // of the graph and its candidates, for the cache
};

}  // namespace ttsim::impl::ir
