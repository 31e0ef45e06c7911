#include "compiler/ir/graph.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

std::size_t Graph::erase_unused() {
    std::vector<bool> used(nodes.size(), false);
    for (const Output& out : outputs) used[out.value] = true;
    for (ValueId id = nodes.size(); id-- > 0;)
        if (used[id])
            for (const Edge& in : nodes[id].inputs) used[in.value] = true;
    std::vector<ValueId> moved(nodes.size());
    std::vector<Node> remaining;
    for (ValueId id = 0; id < nodes.size(); ++id) {
        moved[id] = remaining.size();
        if (used[id] || nodes[id].is_input()) remaining.push_back(std::move(nodes[id]));
    }
    for (Node& node : remaining)
        for (Edge& in : node.inputs) in.value = moved[in.value];
    for (Output& out : outputs) out.value = moved[out.value];
    const std::size_t erased = nodes.size() - remaining.size();
    nodes = std::move(remaining);
    return erased;
}

void Graph::verify() const {
    std::set<std::string> names;
    for (ValueId id = 0; id < nodes.size(); ++id) {
        const Node& node = nodes[id];
        TT_CHECK(!node.name.empty() && names.insert(node.name).second, "the name '{}' comes twice", node.name);
        for (const Edge& in : node.inputs) TT_CHECK(in.value < id, "{} comes before its input", node.name);
        if (node.is_input()) {
            check_attributes(node);
            continue;
        }
        if (node.is_constant()) {
            TT_CHECK(node.literal != nullptr, "{} has no values", node.name);
            continue;
        }
        Node inferred = node;
        infer_types(*this, inferred);
        TT_CHECK(inferred.type == node.type && inferred.more_types == node.more_types,
                 "{} = {} has type {}, must be {}", node.name, node.op, types_text(node), types_text(inferred));
    }
    for (const Output& out : outputs) TT_CHECK(out.value < nodes.size(), "output {} has no value", out.name);
    Diagnostics problems;
    check_programs(*this, problems);
    TT_CHECK(problems.empty(), "{}", problems.items().front().message);
}

std::vector<std::size_t> Graph::use_counts() const {
    std::vector<std::size_t> uses(nodes.size(), 0);
    for (const Node& node : nodes)
        for (const Edge& in : node.inputs) ++uses[in.value];
    for (const Output& out : outputs) ++uses[out.value];
    return uses;
}

/// As for literals, NaN equals itself.
static bool equal(const Attrs& a, const Attrs& b) {
    const auto same = [](const auto& x, const auto& y) {
        const auto *u = std::get_if<double>(&x.second), *v = std::get_if<double>(&y.second);
        return x.first == y.first && (x.second == y.second || (u && v && std::isnan(*u) && std::isnan(*v)));
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

static bool equal(const LiteralPtr& a, const LiteralPtr& b) { return a == b || (a && b && *a == *b); }

bool equal(const Graph& a, const Graph& b) {
    if (a.nodes.size() != b.nodes.size() || a.outputs != b.outputs) return false;
    for (ValueId id = 0; id < a.nodes.size(); ++id) {
        const Node &x = a.nodes[id], &y = b.nodes[id];
        const bool same_values = equal(x.literal, y.literal) && equal(x.initial, y.initial);
        if (x.name != y.name || x.op != y.op || x.inputs != y.inputs || !equal(x.attrs, y.attrs) || x.type != y.type ||
            x.more_types != y.more_types || x.phase != y.phase || x.origin != y.origin || x.kind != y.kind ||
            !same_values)
            return false;
    }
    return true;
}

}  // namespace ttsim::impl::ir
