// keep-names: ops of the device are called as the op of the model that they stem from.
//
//   "probs" = softmax             ->   probs.dc.exp.0, probs.dc.reduce.1, ...
//   "scores" = matmul             ->   scores
//   made of "m.weight" alone      ->   m.weight
//
// So a user's names, and what he decides by them, reach the netlist. Fused ops are named when they are made.
#include <map>
#include <set>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/netlist_name.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::string_view device_prefix = "buda.";

bool is_device_op(const Node& node) { return node.op.starts_with(device_prefix) && !node.origin.empty(); }

bool is_parameter(const Node& node) { return node.is_constant() && node.derivation && node.derivation->of.size() == 1; }

/// Ops of the device by the name of what they stem from, in order.
std::map<std::string, std::vector<ValueId>> by_origin(const Graph& graph) {
    std::map<std::string, std::vector<ValueId>> groups;
    for (ValueId id = 0; id < graph.nodes.size(); ++id)
        if (is_device_op(graph.nodes[id])) groups[graph.nodes[id].origin].push_back(id);
    return groups;
}

void run_keep_names(Graph& graph, const PassOptions& options) {
    if (!options.keep_names) return;
    const std::map<std::string, std::vector<ValueId>> groups = by_origin(graph);
    std::set<std::string> taken;
    for (const Node& node : graph.nodes)
        if (!is_device_op(node) && !is_parameter(node)) taken.insert(node.name);
    const auto fresh = [&](const std::string& wanted) {
        std::string name = wanted;
        for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
        return name;
    };
    for (Node& node : graph.nodes)
        if (is_parameter(node)) node.name = fresh(dotted_name(node.derivation->of.front()));
    for (const auto& [origin, ids] : groups) {
        const std::string stem = dotted_name(origin);
        for (std::size_t n = 0; n < ids.size(); ++n) {
            Node& node = graph.nodes[ids[n]];
            node.name = fresh(
                ids.size() == 1 ? stem : fmt::format("{}.dc.{}.{}", stem, node.op.substr(device_prefix.size()), n));
        }
    }
}

}  // namespace

extern const Pass keep_names;
const Pass keep_names{.name = "keep-names",
                      .summary = "ops of the device are called as the ops of the model they stem from",
                      .run = run_keep_names};

}  // namespace ttsim::impl::ir
