#include "compiler/ir/pass.hpp"

#include "base/phase_times.hpp"
#include "compiler/ir/legalization_error.hpp"

namespace ttsim::impl::ir {

void run_passes(Graph& graph, std::span<const Pass* const> passes, const PassOptions& options, bool verify,
                const std::function<void(const Pass&, const Graph&)>& after) {
    for (const Pass* pass : passes) {
        {
            const TimedPhase timed(pass->name);
            pass->run(graph, options);
            if (verify) graph.verify();
        }
        if (after) after(*pass, graph);
    }
}

const OpOverride* convolution_override(const Overrides& overrides, const Node& node) {
    for (const std::string& name : {node.name, node.origin})
        if (const auto it = overrides.find(name); it != overrides.end() && it->second.fracture) return &it->second;
    return nullptr;
}

std::optional<Loops> parse_loops(std::string_view name) {
    if (name == "auto") return Loops::IfProfitable;
    if (name == "programs") return Loops::Programs;
    if (name == "unrolled") return Loops::Unrolled;
    return std::nullopt;
}

void rewrite(Graph& graph, const Rule& rule) {
    Graph result = graph.next();
    Builder build(result);
    std::vector<ValueId> moved;
    for (const Node& node : graph.nodes) {
        std::vector<ValueId> in;
        std::vector<Edge> edges;
        bool plain = !node.has(attr::host);  // host ops are not rewritten
        for (const Edge& edge : node.inputs) {
            in.push_back(moved[edge.value]);
            edges.push_back({moved[edge.value], edge.tms});
            plain = plain && edge.tms.empty();
        }
        build.set_origin(node.origin);
        const OpInfo* op = find_op(node.op);
        build.set_kind(node.kind.empty() && op && op->level == Level::Composite ? node.op.text() : node.kind);
        build.set_loc(node.loc);
        build.set_phase(node.phase);
        const auto replaced = plain ? for_origin(node.origin, [&] { return rule(build, node, in); }) : std::nullopt;
        moved.push_back(replaced ? *replaced : build.copy(node, std::move(edges)));
    }
    for (const Output& out : graph.outputs) result.outputs.push_back({out.name, moved[out.value], out.type});
    result.erase_unused();
    graph = std::move(result);
}

}  // namespace ttsim::impl::ir
