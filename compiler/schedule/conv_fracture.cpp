#include "compiler/schedule/conv_fracture.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/phase_times.hpp"
#include "compiler/backend/choices.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

bool is_fracturable(const Graph& model, const Node& node) {
    return (node.op == op::conv || node.op == op::conv_transpose) && model.nodes[node.inputs[1].value].is_constant();
}

std::int64_t kernel_rows(const Graph& model, const Node& conv) { return model.type(conv.inputs[1].value).dims[2]; }

/// The batch norm that is a convolution's only reader; fold-batch-norm merges them under the batch norm's origin.
const Node* batch_norm_of(const Graph& model, const Node& conv) {
    const auto id = static_cast<ValueId>(&conv - model.nodes.data());
    const Node* only = nullptr;
    for (const Node& node : model.nodes)
        for (const Edge& edge : node.inputs)
            if (edge.value == id) {
                if (only || node.op != op::batch_norm) return nullptr;
                only = &node;
            }
    return only;
}

/// Origins of the device ops of a convolution.
std::set<std::string> own_origins(const Graph& model, const Node& conv) {
    std::set<std::string> origins{conv.origin};
    if (const Node* norm = batch_norm_of(model, conv); norm && !norm->origin.empty()) origins.insert(norm->origin);
    return origins;
}

/// Equal for convolutions with equal shapes, which gain equally.
std::string shape_key(const Graph& model, const Node& conv) {
    std::string text = to_string(conv.type);
    for (const Edge& edge : conv.inputs) text += " " + to_string(model.type(edge.value));
    for (const auto& attribute : {attr::strides, attr::pads, attr::dilations})
        for (const std::int64_t n : conv.get(attribute)) text += fmt::format(" {}", n);
    return text + fmt::format(" {}", conv.get(attr::group));
}

/// Origins of a device op. Fusion replaces the origin of a product by its reader's, but not those of its operands.
std::set<std::string> origins_of(const Graph& graph, const Node& node) {
    std::set<std::string> origins{node.origin};
    for (const Edge& edge : node.inputs) origins.insert(graph.nodes[edge.value].origin);
    return origins;
}

/// Origins of convolutions whose rows are gathered on the device instead of the host.
std::set<std::string> gathered_origins(const Graph& graph) {
    std::set<std::string> origins;
    for (const Node& node : graph.nodes)
        if (node.op == op::buda::sparse) origins.insert(node.origin);
    return origins;
}

/// The convolutions of device ops, grouped by shape, in the order of the ops.
std::vector<std::vector<const Node*>> convolutions_of(const Graph& model, const Graph& graph,
                                                      const std::vector<ValueId>& ops) {
    const std::set<std::string> there = gathered_origins(graph);
    std::vector<std::vector<const Node*>> groups;
    std::set<std::string> known;
    for (const ValueId op : ops)
        for (const std::string& origin : origins_of(graph, graph.nodes[op]))
            for (const Node& conv : model.nodes) {
                if (!is_fracturable(model, conv) || !there.count(origin)) continue;
                if (!own_origins(model, conv).contains(origin)) continue;
                if (kernel_rows(model, conv) < 2 || !known.insert(shape_key(model, conv)).second) continue;
                groups.emplace_back();
                for (const Node& other : model.nodes)
                    if (is_fracturable(model, other) && shape_key(model, other) == shape_key(model, conv))
                        groups.back().push_back(&other);
            }
    return groups;
}

/// Ops that set the pace of their epoch, the slowest first.
std::vector<ValueId> slowest_ops(const Schedule& schedule) {
    constexpr double close = 0.95;
    std::vector<const PlacedOp*> slow;
    for (const PlacedOp& op : schedule.ops)
        if (op.cycles >= close * schedule.epoch_cycles[op.epoch]) slow.push_back(&op);
    std::stable_sort(slow.begin(), slow.end(),
                     [](const PlacedOp* a, const PlacedOp* b) { return a->cycles > b->cycles; });
    std::vector<ValueId> ops;
    for (const PlacedOp* op : slow) ops.push_back(op->node);
    return ops;
}

/// The share of the epochs' cycles that these convolutions could save at most.
double most_gain(const Graph& model, const Graph& graph, const Schedule& schedule,
                 const std::vector<const Node*>& group) {
    std::set<std::string> own;
    for (const Node* conv : group) own.merge(own_origins(model, *conv));
    std::vector<double> others(schedule.epochs, 0.0);
    for (const PlacedOp& op : schedule.ops) {
        const auto origins = origins_of(graph, graph.nodes[op.node]);
        if (std::none_of(origins.begin(), origins.end(), [&](const auto& name) { return own.count(name) > 0; }))
            others[op.epoch] = std::max(others[op.epoch], op.cycles);
    }
    double all = 0, gain = 0;
    for (std::size_t e = 0; e < schedule.epochs; ++e) {
        all += schedule.epoch_cycles[e];
        gain += schedule.epoch_cycles[e] - std::min(others[e], schedule.epoch_cycles[e]);
    }
    return gain / all;
}

/// Overrides that fracture all of the group by kernel rows, except where the user decided.
Overrides cut(const Graph& model, const std::vector<const Node*>& group, const Overrides& base) {
    Overrides all = base;
    for (const Node* conv : group)
        if (!convolution_override(base, *conv)) all[conv->name].fracture = kernel_rows(model, *conv);
    return all;
}

std::string note(const Graph& model, const std::vector<const Node*>& group, const char* why) {
    std::string names;
    for (const Node* conv : group) names += (names.empty() ? "" : ", ") + conv->name;
    return fmt::format("fractured into the {} rows of the kernel, {}: {}", kernel_rows(model, *group.front()), why,
                       names);
}

}  // namespace

std::vector<std::string> convolution_names(const Graph& model) {
    std::vector<std::string> names;
    for (const Node& node : model.nodes) {
        if (!is_fracturable(model, node)) continue;
        names.push_back(node.name);
        if (!node.origin.empty() && node.origin != node.name) names.push_back(node.origin);
    }
    return names;
}

Overrides with_batch_norms(const Graph& model, Overrides overrides) {
    for (const Node& conv : model.nodes) {
        if (!is_fracturable(model, conv)) continue;
        const OpOverride* own = convolution_override(overrides, conv);
        const Node* norm = own ? batch_norm_of(model, conv) : nullptr;
        if (norm && !norm->origin.empty()) overrides[norm->origin].fracture = own->fracture;
    }
    return overrides;
}

Lowered lower_fractured(const Graph& model, const Overrides& given, const OpBudget& budget,
                        const ScheduleOptions& options, const FractureSearch& search) {
    Lowered best = search.lower(model, given);
    if (gathered_origins(best.graph).empty()) return best;
    best.estimate = search.estimate(best.graph);
    const auto [whole, overlay_size] = *best.estimate;
    double now = whole;
    if (!std::isfinite(now) || overlay_size > 0) {
        std::vector<ValueId> without;
        for (const OpWithoutGrid& refused : ops_without_grid(best.graph, budget, options))
            without.push_back(refused.op);
        const bool streams = without.empty();  // the streams exceed the limits; no single op is too large
        for (ValueId op = 0; streams && op < best.graph.nodes.size(); ++op)
            if (best.graph.nodes[op].op == op::buda::sparse) without.push_back(op);
        Overrides all = given;
        std::vector<std::string> notes;
        for (const auto& group : convolutions_of(model, best.graph, without)) {
            all = cut(model, group, all);
            notes.push_back(note(model, group,
                                 std::isfinite(now) ? "because it has too many streams otherwise"
                                                    : "because it fits nowhere otherwise"));
        }
        if (!notes.empty()) {
            const TimedPhase timed("retry with fractured convolutions");
            Lowered parts = search.lower(model, all);
            parts.estimate = search.estimate(parts.graph);
            const double then = parts.estimate->cycles;
            if (then < now) {
                parts.notes = std::move(notes);
                return parts;
            }
        }
        if (!std::isfinite(now)) return best;
    }
    constexpr std::size_t usual_tries = 3;
    const auto ops = static_cast<std::size_t>(std::count_if(best.graph.nodes.begin(), best.graph.nodes.end(),
                                                            [](const Node& n) { return n.op.on_device(); }));
    SearchBudget work(Search::Fractures, options.searches);
    if (!work.fits(ops)) return best;
    // required share of cycles: estimates are inexact, and parts add NoC load that they ignore
    constexpr double least_worth = 0.9;
    const double worth = options.policy == Policy::Simulated ? 1 : least_worth;
    const Schedule schedule = search.schedule(best.graph);
    auto groups = convolutions_of(model, best.graph, slowest_ops(schedule));
    std::erase_if(groups,
                  [&](const auto& group) { return most_gain(model, best.graph, schedule, group) < 1 - least_worth; });
    groups.resize(std::min(groups.size(), usual_tries));
    for (const auto& group : groups) {
        if (!work.take(ops)) break;
        const TimedPhase timed("try fractured convolutions");
        best.graph = {};  // large models: one at a time
        best.host = {};
        Lowered parts = search.lower(model, cut(model, group, best.overrides));
        parts.estimate = search.estimate(parts.graph);
        const double then = parts.estimate->cycles;
        if (then > worth * now) continue;
        parts.notes = std::move(best.notes);
        parts.notes.push_back(
            note(model, group, fmt::format("about {:.0f} cycles per input instead of {:.0f}", then, now).c_str()));
        now = then;
        best = std::move(parts);
    }
    if (best.graph.nodes.empty()) {
        Lowered again = search.lower(model, best.overrides);
        again.notes = std::move(best.notes);
        again.estimate = best.estimate;
        return again;
    }
    return best;
}

}  // namespace ttsim::impl::ir
