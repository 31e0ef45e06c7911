#include "compiler/backend/schedule.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/ranges.h>

#include "compiler/backend/epochs.hpp"
#include "compiler/backend/routes.hpp"
#include "compiler/backend/ublock_order.hpp"

namespace tt::ir {

namespace {

constexpr std::array<std::pair<std::string_view, Policy>, 6> policies{{
    {"balanced", Policy::Balanced},
    {"minimize_grid", Policy::MinimizeGrid},
    {"nlp", Policy::Nlp},
    {"ribbon", Policy::Ribbon},
    {"random", Policy::Random},
    {"simulated", Policy::Simulated},
}};

std::shared_ptr<const SparsePattern> pattern_of(const Graph& graph, const Node& node) {
    if (node.op != "buda.sparse") return nullptr;
    const auto literal = [&](std::size_t k) { return graph.nodes[node.inputs[k].value].literal.get(); };
    const Dims& dims = graph.type(node.inputs[0].value).dims;
    TileShape x{dims[0], dims[1], dims[2]};
    for (const Tm& tm : node.inputs[0].tms) x = shape_after(x, tm);
    return std::make_shared<SparsePattern>(
        make_pattern(*literal(1), node.inputs.size() > 2 ? literal(2) : nullptr, x.rt));
}

/// Which limit an op misses, and by how much.
std::string limit(const Choice& choice) {
    if (choice.least_bytes == 0)
        return "the numbers of its sparse encoding do not fit their 16 bits with any block size";
    return fmt::format("it needs at least {} B of L1 per core, {} B are there, {} B too much", choice.least_bytes,
                       choice.usable_bytes, choice.least_bytes - choice.usable_bytes);
}

std::string advice(const Node& node, const OpChoices& item, const OpBudget& budget, const ScheduleOptions& options) {
    std::vector<std::string> hints;
    const auto prime = [](std::int64_t n, std::int64_t most) {
        for (std::int64_t d = 2; d <= most; ++d)
            if (n % d == 0) return false;
        return n > most;
    };
    if (item.user && (item.user->size || item.user->u_kt || !item.user->input_buffers.empty()))
        hints.push_back("drop the override of its size, u_kt or input buffers");
    if (!options.t_streaming) hints.push_back("enable t-streaming (leave out --no-t-streaming)");
    if (!is_block_float(item.op.cfg.out_df))
        hints.push_back(fmt::format("lower the precision of '{}' (a format rule, or --default-df Bfp8_b)", node.name));
    if (prime(node.type.dims[1], budget.rows) || prime(node.type.dims[2], budget.cols))
        hints.push_back(fmt::format("change a size of its tensor: {}x{} tiles have no divisor that a grid could use",
                                    node.type.dims[1], node.type.dims[2]));
    if (hints.empty()) hints.push_back("split the tensor");
    return "what would help: " + fmt::format("{}", fmt::join(hints, "; or "));
}

std::vector<OpChoices> choices_of(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options) {
    std::vector<OpChoices> all;
    Diagnostics problems;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!node.op.starts_with("buda.")) continue;
        const auto pattern = pattern_of(graph, node);
        const auto user = options.overrides.find(node.name);
        OpChoices item{id,
                       make_op(graph, node, budget, pattern.get()),
                       {},
                       pattern,
                       user == options.overrides.end() ? nullptr : &user->second};
        std::vector<bool> constant;
        for (const OperandSource& source : operands_of(node))
            constant.push_back(source.kind != OperandSource::Kind::Input ||
                               graph.nodes[node.inputs[source.input].value].is_constant());
        item.choice = choose_blocking(item.op, constant, budget, pattern.get(), item.user);
        if (item.choice.fitting.empty())
            problems.unsupported(node.loc, "op '{}' ({}, {} tiles, of '{}') fits on no grid up to {}x{}: {}; {}",
                                 node.name, item.op.cfg.type, to_string(node.type), node.origin, budget.rows,
                                 budget.cols, limit(item.choice), advice(node, item, budget, options));
        all.push_back(std::move(item));
    }
    problems.throw_if_any();
    return all;
}

std::string explanation(const Choice& choice, const Candidate& chosen, double target, bool begins) {
    const auto text = [](const Candidate& c) {
        return fmt::format("{}x{} ({} B of L1, {:.0f} cycles)", c.blocking.grid_r, c.blocking.grid_c, c.l1_bytes,
                           c.cycles);
    };
    const std::string why = target == 0 ? "picked at random"
                            : chosen.cycles <= target
                                ? fmt::format("the smallest that meets the epoch's {:.0f} cycles", target)
                                : "the fastest, though it misses the epoch's target";
    return fmt::format("{} of {} grids from {} to {}: {}{}", text(chosen), choice.fitting.size(),
                       text(choice.fitting.front()), text(choice.fitting.back()), why,
                       begins ? "; begins an epoch" : "");
}

PlacedOp placed_op(const OpChoices& item, const Candidate& chosen, const Place& place, const Epoch& epoch,
                   std::size_t number, bool begins, const ChipParams& chip) {
    PlacedOp placed;
    placed.node = item.node;
    placed.op = item.op;
    if (item.user) placed.op.input_buf_min_size_tiles = item.user->input_buffers;
    placed.pattern = item.pattern;
    apply(chosen, placed.pattern.get(), chip, placed.op);
    placed.op.has_grid_loc = true;
    placed.op.grid_loc_r = place.row;
    placed.op.grid_loc_c = place.col;
    placed.op.grid_transpose = place.transposed;
    placed.resident = chosen.resident;
    placed.epoch = number;
    placed.cycles = chosen.cycles;
    placed.why = explanation(item.choice, chosen, epoch.target, begins);
    return placed;
}

}  // namespace

std::string_view to_string(Policy policy) {
    return std::find_if(policies.begin(), policies.end(), [&](const auto& p) { return p.second == policy; })->first;
}
std::optional<Policy> parse_policy(std::string_view name) {
    for (const auto& [known, policy] : policies)
        if (known == name) return policy;
    return std::nullopt;
}
std::vector<std::string> policy_names() {
    std::vector<std::string> names;
    for (const auto& [name, policy] : policies) names.emplace_back(name);
    return names;
}

std::vector<std::int64_t> chips_of(const Schedule& schedule, std::int64_t chips) {
    const auto epochs = static_cast<std::int64_t>(schedule.epochs);
    if (chips > 1 && epochs < chips)
        fail_input({},
                   "--num-chips {}: the model has only {} epochs, and a chip takes one at least; overrides with "
                   "epoch_break make more",
                   chips, epochs);
    const std::vector<double>& cycles = schedule.epoch_cycles;
    const auto filled = [&](double most) {  // each chip takes what stays within `most`, and leaves one for each other
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
    ScheduleOptions one = options;
    one.policy = Policy::Balanced;
    for (const double packing : {1.0, 0.9})
        for (const double stages : {0.0, 0.4, 1.0}) {
            one.packing = packing;
            one.stages = stages;
            all.push_back(one);
        }
    for (const Policy policy : {Policy::Nlp, Policy::Ribbon}) {
        one = options;
        one.policy = policy;
        all.push_back(one);
    }
    return all;
}

std::size_t Schedule::op_of(ValueId node) const { return index.at(node); }

Schedule make_schedule(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options) {
    const std::vector<OpChoices> ops = choices_of(graph, budget, options);
    Schedule schedule;
    for (const Epoch& epoch : choose_epochs(ops, budget, options)) {
        double slowest = 0;
        for (std::size_t k = 0; k < epoch.chosen.size(); ++k) {
            const OpChoices& item = ops[epoch.first + k];
            schedule.index[item.node] = schedule.ops.size();
            schedule.ops.push_back(
                placed_op(item, *epoch.chosen[k], epoch.places[k], epoch, schedule.epochs, k == 0, *budget.chip));
            slowest = std::max(slowest, epoch.chosen[k]->cycles);
        }
        route(graph, schedule, epoch.first, epoch.end(), budget);
        schedule.epoch_cycles.push_back(slowest);
        schedule.estimated_cycles += slowest + budget.chip->timing.epoch_load / static_cast<double>(budget.microbatch);
        ++schedule.epochs;
    }
    if (options.column_order) choose_ublock_orders(graph, schedule);
    return schedule;
}

}  // namespace tt::ir
