#include "compiler/backend/schedule.hpp"

#include <algorithm>
#include <array>

#include "compiler/backend/epochs.hpp"
#include "compiler/backend/routes.hpp"

namespace tt::ir {

namespace {

constexpr std::array<std::pair<std::string_view, Policy>, 5> policies{{
    {"balanced", Policy::Balanced},
    {"minimize_grid", Policy::MinimizeGrid},
    {"nlp", Policy::Nlp},
    {"ribbon", Policy::Ribbon},
    {"random", Policy::Random},
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

std::vector<OpChoices> choices_of(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options) {
    std::vector<OpChoices> all;
    Diagnostics problems;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!node.op.starts_with("buda.")) continue;
        const auto pattern = pattern_of(graph, node);
        OpChoices item{id, make_op(graph, node, budget, pattern.get()), {}, pattern, options.breaks.count(node.name) > 0};
        std::vector<bool> constant;
        for (const OperandSource& source : operands_of(node))
            constant.push_back(source.kind != OperandSource::Kind::Input ||
                               graph.nodes[node.inputs[source.input].value].is_constant());
        item.choice = choose_blocking(item.op, constant, budget, pattern.get());
        if (item.choice.fitting.empty())
            problems.unsupported(
                node.loc,
                "op '{}' ({}, {} tiles, of '{}') fits on no grid up to {}x{}: it needs at least {} B of L1 "
                "per core, {} B are there, {} B too much; a format with fewer bytes would help, or "
                "smaller tensors",
                node.name, item.op.cfg.type, to_string(node.type), node.origin, budget.rows, budget.cols,
                item.choice.least_bytes, item.choice.usable_bytes, item.choice.least_bytes - item.choice.usable_bytes);
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
    const std::string why =
        target == 0               ? "picked at random"
        : chosen.cycles <= target ? fmt::format("the smallest that meets the epoch's {:.0f} cycles", target)
                                  : "the fastest, though it misses the epoch's target";
    return fmt::format("{} of {} grids from {} to {}: {}{}", text(chosen), choice.fitting.size(),
                       text(choice.fitting.front()), text(choice.fitting.back()), why,
                       begins ? "; begins an epoch" : "");
}

PlacedOp placed_op(const OpChoices& item, const Candidate& chosen, const Place& place, const Epoch& epoch,
                   std::size_t number, bool begins) {
    PlacedOp placed;
    placed.node = item.node;
    placed.op = item.op;
    placed.pattern = item.pattern;
    apply(chosen, placed.pattern.get(), placed.op);
    placed.op.has_grid_loc = true;
    placed.op.grid_loc_r = place.row;
    placed.op.grid_loc_c = place.col;
    placed.op.grid_transpose = place.transposed;
    placed.resident = chosen.resident;
    placed.epoch = number;
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
                placed_op(item, *epoch.chosen[k], epoch.places[k], epoch, schedule.epochs, k == 0));
            slowest = std::max(slowest, epoch.chosen[k]->cycles);
        }
        route(graph, schedule, epoch.first, epoch.end(), budget);
        schedule.estimated_cycles +=
            slowest + budget.chip->timing.epoch_load / static_cast<double>(budget.microbatch);
        ++schedule.epochs;
    }
    return schedule;
}

}  // namespace tt::ir
