// stream-slices: what comes in slices of rows stays so, from op to op, until something needs all rows at once.
//
//   %r = buda.exp %x (vstack: 4) : [1, 8, 1]           %r = buda.exp %x : [4, 2, 1]
//   %y = buda.sparse %r, %i                      ->    %y = buda.sparse %r (vstack: 4), %i
//
// A result that is too large for any grid begins a stream itself (lower/streaming.hpp). A core then holds a slice
// instead of its share of the whole. Ops that work datum by datum, and products whose second operand is the same for
// all slices: a constant, and where an override asks for slices any of a single slice. A second operand of others that
// comes whole is cut (vslice).
#include <algorithm>

#include "compiler/ir/pass.hpp"
#include "compiler/lower/lowering.hpp"
#include "compiler/lower/streaming.hpp"

namespace tt::ir {

namespace {

std::int64_t stacked_by(const Edge& edge) {
    return !edge.tms.empty() && edge.tms.back().kind == Tm::Kind::VStack ? edge.tms.back().n : 1;
}

bool elementwise(const Node& node) {
    const OpInfo* op = find_op(node.op);
    return op->level == Level::Device && op->elementwise;
}
bool product(const Node& node) { return (node.op == "buda.matmul" || node.op == "buda.depthwise") && !node.has("z"); }

/// All slices are the same constant: more of them can be had by one more repetition.
bool repeated_constant(const Graph& graph, const Edge& edge) {
    const Node& node = graph.nodes[edge.value];
    return node.is_constant() && node.type.dims[0] == 1 &&
           std::all_of(edge.tms.begin(), edge.tms.end(), [](const Tm& tm) {
               return tm.kind == Tm::Kind::BroadcastR || tm.kind == Tm::Kind::BroadcastC ||
                      tm.kind == Tm::Kind::BroadcastZ;
           });
}

/// Whether a node can be cut into slices of rows, operand by operand. A second operand that is no constant comes again
/// for every slice, which only those want who ask for slices.
bool streamable(const Graph& graph, const Node& node, bool asked) {
    if (!product(node)) return elementwise(node);
    const bool bias = node.inputs.size() < 3 || graph.nodes[node.inputs[2].value].is_constant();
    return bias && (repeated_constant(graph, node.inputs[1]) || (asked && node.type.dims[0] == 1));
}

/// The slices a node should be cut into, 1 for none.
std::int64_t slices_for(const Graph& graph, const Node& node, const PassOptions& options) {
    const auto user = options.overrides.find(node.name);
    const bool given = user != options.overrides.end() && user->second.t;
    if (!streamable(graph, node, given)) {
        if (given && *user->second.t != node.type.dims[0])
            fail_input(user->second.loc, "op '{}' ({}) cannot be streamed: it needs its rows at once", node.name,
                       node.op);
        return 1;
    }
    if (given) {
        if (node.type.dims[1] % *user->second.t != 0)
            fail_input(user->second.loc, "op '{}' cannot go in {} slices: they do not divide its {} tile rows",
                       node.name, *user->second.t, node.type.dims[1]);
        return *user->second.t;
    }
    const std::size_t sources = product(node) ? 1 : node.inputs.size();
    for (std::size_t k = 0; k < sources; ++k)
        if (stacked_by(node.inputs[k]) > 1) return stacked_by(node.inputs[k]);
    return options.t_streaming
               ? slices_to_stream(node.type.dims[1], node.type.dims[2], 1, *node.type.format, options.slice_bytes)
               : 1;
}

void cut(Edge& edge, std::int64_t t, Tm::Kind otherwise) {
    if (stacked_by(edge) == t)
        edge.tms.pop_back();
    else
        edge.tms.push_back(make_tm(otherwise, t));
}

void run_stream_slices(Graph& graph, const PassOptions& options) {
    std::vector<std::int64_t> slices(graph.nodes.size(), 1);
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        for (Edge& edge : node.inputs)
            if (slices[edge.value] > 1) {
                const Tm stack = make_tm(Tm::Kind::VStack, slices[edge.value]);
                const bool undone = !edge.tms.empty() && edge.tms.front() == make_tm(Tm::Kind::VSlice, stack.n);
                if (undone)
                    edge.tms.erase(edge.tms.begin());
                else
                    edge.tms.insert(edge.tms.begin(), stack);
            }
        if (!node.op.starts_with("buda.")) continue;
        const std::int64_t t = slices_for(graph, node, options);
        if (t == 1 || node.type.dims[1] % t != 0) continue;
        for (std::size_t k = 0; k < node.inputs.size(); ++k)
            cut(node.inputs[k], t, product(node) && k == 1 ? Tm::Kind::BroadcastZ : Tm::Kind::VSlice);
        node.type.dims[0] *= t;
        node.type.dims[1] /= t;
        slices[id] = t;
    }
}

}  // namespace

extern const Pass stream_slices;
const Pass stream_slices{.name = "stream-slices",
                         .summary = "keep slices of rows from op to op until all rows are needed",
                         .run = run_stream_slices};

}  // namespace tt::ir
