// The balancer's second half and the placer: epochs, a rectangle of cores for each op, and how results reach readers.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "compiler/backend/blocking.hpp"
#include "compiler/backend/decision.hpp"

namespace ttsim::impl::ir {

struct PlacedOp {
    ValueId node = 0;
    Op op;
    std::vector<bool> resident;      ///< per operand of op
    std::vector<bool> through_dram;  ///< per operand: from an op of the same epoch through a queue in DRAM
    std::shared_ptr<const SparsePattern> pattern;  ///< of a sparse product
    std::size_t epoch = 0;
    double cycles = 0;          ///< an input, estimated
    std::size_t candidate = 0;  ///< of the planner's
};

enum class Policy : std::uint8_t {
    MinimizeGrid,  ///< the smallest grid each op fits on
    Nlp,           ///< the smallest grid that meets a target made from the big products
    Ribbon,        ///< grids of one height where there are any
    Random,        ///< any grid, any epochs, by seed
    Balanced,      ///< epochs and targets with the least estimated time for an input
    Simulated,     ///< several of these tried on the simulated chip: the quickest
};
std::string_view to_string(Policy policy);
std::optional<Policy> parse_policy(std::string_view name);
std::vector<std::string> policy_names();

/// Which edges go through a queue in DRAM when an op has no grid left that goes with its neighbours' in the epoch.
enum class SelfCut : std::uint8_t {
    None,                       ///< that is an error
    ConsumerOperandEdgesFirst,  ///< what it reads, one by one, then what reads it
    ProducerUserEdgesFirst,     ///< what reads it, one by one, then what it reads
    FastCut,                    ///< all it reads at once
};
std::string_view to_string(SelfCut cut);
std::optional<SelfCut> parse_self_cut(std::string_view name);
std::vector<std::string> self_cut_names();

/// What a schedule is to be good at.
enum class Aim : std::uint8_t {
    Throughput,  ///< inputs/s, through epochs that hold many
    Latency,     ///< one input, from op to op
};
std::string_view to_string(Aim aim);
std::optional<Aim> parse_aim(std::string_view name);

struct ScheduleOptions {
    Policy policy = Policy::Balanced;
    SelfCut self_cut = SelfCut::ConsumerOperandEdgesFirst;
    std::uint32_t seed = 0;  ///< of the random policy
    double packing = 1;      ///< balanced: share of the cores an epoch may count on
    bool one_height = true;  ///< balanced: or as ribbon, where that is estimated quicker
    double stages = 1;       ///< balanced: share of what an epoch takes to fill that counts
    double dram = 0.4;       ///< balanced: share of the memories' rates that an epoch may count on
    bool edges = true;       ///< balanced: what ops take to hand over to each other counts
    Aim aim = Aim::Throughput;
    bool paced = false;        ///< balanced, for latency: epochs and grids by their slowest ops all the same
    Overrides overrides;       ///< by op
    bool column_order = true;  ///< micro-blocks may be given by columns
    bool t_streaming = true;   ///< what the passes did; for messages
    bool explain = false;      ///< fill Schedule::decisions
};

/// An operand that waits for another path in the buffer of its producer, which hands its tiles to several readers in
/// blocks: no reader gets the next block before this one takes its own.
struct HeldFork {
    ValueId consumer = 0;
    std::size_t input = 0;  ///< of the node
    double slowdown = 1;    ///< of its epoch: a block takes that many times what making it takes
};

/// What the user says of the chip of an epoch.
struct EpochChip {
    bool next = false;                ///< than that of the epochs before
    std::optional<std::int64_t> own;  ///< of this epoch alone
    std::string op;                   ///< its first one
    bool given() const { return next || own; }
};

struct Schedule {
    std::vector<PlacedOp> ops;  ///< in order
    std::vector<HeldFork> held_forks;
    std::size_t epochs = 0;
    std::size_t op_of(ValueId node) const;  ///< its place in ops
    std::set<ValueId> by_columns;           ///< inputs and constants whose queues hold micro-blocks by columns
    std::map<ValueId, std::size_t> index;
    std::vector<EpochChip> chips;         ///< by epoch
    std::vector<double> epoch_targets;    ///< cycles that ops should have stayed within
    std::vector<double> epoch_cycles;     ///< of the slowest op, hand-over, NoC link or held fork, per input
    std::vector<double> epoch_loads;      ///< of its programs, once
    std::vector<double> epoch_latencies;  ///< of one input alone, by its ops
    double estimated_cycles = 0;          ///< per input: that of each epoch, by the aim, and changing epochs
    std::vector<Decision> decisions;      ///< per op
    std::string variant;                  ///< which of those tried on the simulated chip
    std::vector<std::string> steps;       ///< of the search on the simulated chip that won something, and what
};

/// The chip of each epoch: runs of epochs in order, as the user breaks them, else the longest run as short as can be.
/// Throws Error(Input) when there are fewer epochs than chips, or more breaks.
std::vector<std::int64_t> chips_of(const Schedule& schedule, std::int64_t chips);

/// What the simulated policy tries.
std::vector<ScheduleOptions> variants(const ScheduleOptions& options);
/// Some of them that are quicker most often, for a first look.
std::vector<ScheduleOptions> few_variants(const ScheduleOptions& options);

struct Choices;
struct Epoch;
struct EpochWish;
class EdgeCosts;
class PlaceSearch;

/// What one model can be made into on one chip; schedules of it by several policies share the work.
class Planner {
public:
    /// Throws Error(Unsupported) with every op that fits on no grid: which limit, by how much, what would help.
    Planner(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options);
    ~Planner();
    /// `options`: with the overrides given before. Throws Error(Unsupported) for an op whose edges allow no grid.
    Schedule schedule(const ScheduleOptions& options) const;
    /// Of epochs that are cut already: see wished_epochs().
    std::optional<Schedule> schedule(const std::vector<std::vector<EpochWish>>& wanted,
                                     const std::vector<std::vector<EpochWish>>& otherwise,
                                     const ScheduleOptions& options) const;
    const Choices& choices() const { return *choices_; }

private:
    Schedule one(const ScheduleOptions& options) const;
    Schedule made_of(std::vector<Epoch> epochs, const ScheduleOptions& options) const;
    void estimate(Schedule& schedule, Aim aim) const;

    const OpBudget& budget_;
    std::unique_ptr<ChoiceCache> own_cache_;  // where the budget has none
    std::unique_ptr<Choices> choices_;
    std::unique_ptr<EdgeCosts> costs_;
    std::unique_ptr<PlaceSearch> places_;
};

}  // namespace ttsim::impl::ir
