// keep-names: names device ops after the op of the model that they are derived from.
//
//   "probs" = softmax             ->   probs.dc.exp.0, probs.dc.reduce.1, ...
//   "scores" = matmul             ->   scores
//   derived from "m.weight"       ->   m.weight
//
// So the user's names, and overrides that use them, apply to the netlist. Ops created by later fusions are named there.
#include <map>
#include <set>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/netlist_name.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

bool is_device_op(const Node& node) { return node.op.on_device() && !node.origin.empty(); }

bool is_parameter(const Node& node) { return node.is_constant() && node.derivation && node.derivation->of.size() == 1; }

/// Device ops by their origin, in order.
std::map<std::string, std::vector<ValueId>> by_origin(const Graph& graph) {
    std::map<std::string, std::vector<ValueId>> groups;
    for (ValueId id = 0; id < graph.nodes.size(); ++id)
        if (is_device_op(graph.nodes[id])) groups[graph.nodes[id].origin].push_back(id);
    return groups;
}

void run_keep_names(Graph& graph, const PassOptions& options) {
    if (!options.keep_names) return;
    const std::map<std::string, std::vector<ValueId>> groups = by_origin(graph);
    std::set<std::string> used_names;
    for (const Node& node : graph.nodes)
        if (!is_device_op(node) && !is_parameter(node)) used_names.insert(node.name);
    const auto unique_name = [&](const std::string& target) {
        std::string name = target;
        for (int n = 1; !used_names.insert(name).second; ++n) name = fmt::format("{}_{}", target, n);
        return name;
    };
    for (Node& node : graph.nodes)
        if (is_parameter(node)) node.name = unique_name(dotted_name(node.derivation->of.front()));
    for (const auto& [origin, ids] : groups) {
        const std::string stem = dotted_name(origin);
        for (std::size_t n = 0; n < ids.size(); ++n) {
            Node& node = graph.nodes[ids[n]];
            node.name = unique_name(ids.size() == 1 ? stem : fmt::format("{}.dc.{}.{}", stem, node.op.base_name(), n));
        }
    }
}

}  // namespace

extern const Pass keep_names;
const Pass keep_names{.name = "keep-names", .summary = "name device ops after the model's ops", .run = run_keep_names};

}  // namespace ttsim::impl::ir
