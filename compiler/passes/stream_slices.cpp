// stream-slices: what comes in slices of rows stays so, from op to op, until something needs all rows at once.
//
//   %r = buda.exp %x (vstack: 4) : [1, 8, 1]           %r = buda.exp %x : [4, 2, 1]
//   %y = buda.sparse %r, %i                      ->    %y = buda.sparse %r (vstack: 4), %i
//
// A result that is too large for any grid begins a stream itself (lower/streaming.hpp). A core then holds a slice
// instead of its share of the whole. Ops that work elementwise, splices of columns, and products whose second
// operand is the same for all slices: a constant, and where an override asks for slices any of a single slice. A second
// operand of others that comes whole is cut (vslice).
//
// Where all rows are not enough to cut, as in a softmax over 131072 columns, the slices are of columns (hslice,
// hstack): of ops that work elementwise, and of products with a constant from the right, which is cut.
#include <algorithm>

#include "compiler/ir/pass.hpp"
#include "compiler/lower/lowering.hpp"
#include "compiler/lower/streaming.hpp"

namespace ttsim::impl::ir {

namespace {

struct Cut {
    std::int64_t t = 1;
    bool columns = false;
    Tm::Kind slice() const { return columns ? Tm::Kind::HSlice : Tm::Kind::VSlice; }
    Tm::Kind stack() const { return columns ? Tm::Kind::HStack : Tm::Kind::VStack; }
};

std::int64_t stacked_by(const Edge& edge, Tm::Kind kind = Tm::Kind::VStack) {
    return !edge.tms.empty() && edge.tms.back().kind == kind ? edge.tms.back().n : 1;
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
    if (!product(node)) return elementwise(node) || node.op == "buda.splice";
    const bool bias = node.inputs.size() < 3 || graph.nodes[node.inputs[2].value].is_constant();
    return bias && (repeated_constant(graph, node.inputs[1]) || (asked && node.type.dims[0] == 1));
}

const OpOverride* override_of(const Node& node, const PassOptions& options) {
    const auto found = options.overrides.find(node.name);
    return found == options.overrides.end() ? nullptr : &found->second;
}

/// A splice has one column of cores. What one makes, buffered twice, has half of L1: the rest is for its operands and
/// descriptions of streams. Single rows of tiles would leave one core: a prime number of them is filled up instead.
std::int64_t slices_of_splice(const Node& node, const PassOptions& options) {
    const Dims& dims = node.type.dims;
    const std::int64_t t = slices_to_stream(dims[1], dims[2], 1, *node.type.format, options.l1_bytes / 4, 1);
    return t < dims[1] ? t : 1;
}

/// The slices a node should be cut into, 1 for none.
std::int64_t slices_for(const Graph& graph, const Node& node, const PassOptions& options) {
    const OpOverride* user = override_of(node, options);
    const bool given = user && user->t;
    if (!streamable(graph, node, given)) {
        if (given && *user->t != 1 && *user->t != node.type.dims[0])
            fail_input(user->loc, "op '{}' ({}) cannot be streamed: it needs its rows at once", node.name, node.op);
        return 1;
    }
    if (given) {
        if (node.type.dims[1] % *user->t != 0)
            fail_input(user->loc, "op '{}' cannot go in {} slices: they do not divide its {} tile rows", node.name,
                       *user->t, node.type.dims[1]);
        return *user->t;
    }
    const bool splice = node.op == "buda.splice";
    const std::int64_t wanted =
        !options.t_streaming ? 1
        : splice             ? slices_of_splice(node, options)
                 : slices_to_stream(node.type.dims[1], node.type.dims[2], 1, *node.type.format, options.slice_bytes);
    const std::size_t sources = product(node) ? 1 : node.inputs.size();
    for (std::size_t k = 0; k < sources; ++k)
        if (const std::int64_t stacked = stacked_by(node.inputs[k]); stacked > 1)
            return splice ? std::max(stacked, wanted) : stacked;
    return wanted;
}

/// Whether a node of one slice can be cut into slices of columns. A first operand comes again for every slice.
bool streams_columns(const Graph& graph, const Node& node, bool asked) {
    if (!product(node)) return elementwise(node);
    if (node.op != "buda.matmul" || node.type.dims[0] != 1) return false;
    return asked ||
           (node.inputs.size() == 2 && graph.nodes[node.inputs[1].value].is_constant() && node.inputs[1].tms.empty());
}

/// The slices of columns that the user wants. Throws Error(Input) where they cannot be had.
std::int64_t wanted_columns(const Graph& graph, const Node& node, const OpOverride& user) {
    const std::int64_t t = *user.t_columns;
    if (t > 1 && !streams_columns(graph, node, true))
        fail_input(user.loc, "op '{}' ({}) cannot be streamed by columns: it needs them at once", node.name, node.op);
    if (node.type.dims[2] % t != 0)
        fail_input(user.loc, "op '{}' cannot go in {} slices of columns: they do not divide its {} tile columns",
                   node.name, t, node.type.dims[2]);
    return t;
}

/// Slices of columns a node should be cut into: those of its operands, or where it fits on no grid with its rows cut.
std::int64_t column_slices_for(const Graph& graph, const Node& node, const PassOptions& options) {
    const OpOverride* user = override_of(node, options);
    if (user && user->t_columns) return wanted_columns(graph, node, *user);
    const bool rows = user && (user->t || !user->by_columns.value_or(true));
    const bool columns = user && user->by_columns.value_or(false);
    if (!options.t_streaming || rows || !streams_columns(graph, node, columns)) return 1;
    if (!product(node))
        for (const Edge& edge : node.inputs)
            if (stacked_by(edge, Tm::Kind::HStack) > 1) return stacked_by(edge, Tm::Kind::HStack);
    if (columns)  // where rows alone would be cut as well
        return slices_to_stream(node.type.dims[2], node.type.dims[1], 1, *node.type.format, options.slice_bytes);
    // two buffers of the result, in a product the constant beside them, and some tiles of other operands
    const std::int64_t most =
        (options.l1_bytes - 16 * tile_bytes(DataFormat::Float16_b, TileDim{})) / (product(node) ? 3 : 2);
    return column_slices_to_stream(node.type.dims[1], node.type.dims[2], *node.type.format, options.slice_bytes, most);
}

Cut cut_for(const Graph& graph, const Node& node, const PassOptions& options) {
    const std::int64_t columns = column_slices_for(graph, node, options);
    if (columns > 1 && node.type.dims[2] % columns == 0) return {columns, true};
    const std::int64_t t = slices_for(graph, node, options);
    return node.type.dims[1] % t == 0 ? Cut{t, false} : Cut{};
}

/// An operand of a node that is cut.
void cut_operand(Edge& edge, const Cut& cut, bool of_product, std::size_t operand) {
    const bool repeated = of_product && operand == (cut.columns ? 0U : 1U);
    if (!(cut.columns && repeated) && stacked_by(edge, cut.stack()) == cut.t)
        edge.tms.pop_back();
    else
        edge.tms.push_back(make_tm(repeated ? Tm::Kind::BroadcastZ : cut.slice(), cut.t));
}

void run_stream_slices(Graph& graph, const PassOptions& options) {
    std::vector<Cut> cuts(graph.nodes.size());
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        for (Edge& edge : node.inputs)
            if (const Cut& before = cuts[edge.value]; before.t > 1) {
                const Tm stack = make_tm(before.stack(), before.t);
                const bool undone = !edge.tms.empty() && edge.tms.front() == make_tm(before.slice(), stack.n);
                if (undone)
                    edge.tms.erase(edge.tms.begin());
                else
                    edge.tms.insert(edge.tms.begin(), stack);
            }
        if (!node.op.starts_with("buda.")) continue;
        const Cut cut = cut_for(graph, node, options);
        if (cut.t == 1) continue;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) cut_operand(node.inputs[k], cut, product(node), k);
        node.type.dims[0] *= cut.t;
        node.type.dims[cut.columns ? 2 : 1] /= cut.t;
        cuts[id] = cut;
    }
}

}  // namespace

extern const Pass stream_slices;
const Pass stream_slices{.name = "stream-slices",
                         .summary = "keep slices of rows from op to op until all rows are needed",
                         .run = run_stream_slices};

}  // namespace ttsim::impl::ir
