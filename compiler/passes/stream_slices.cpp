// stream-slices: streams values in slices of rows from op to op until an op needs all rows at once.
//
//   %r = buda.exp %x (vstack: 4) : [1, 8, 1]           %r = buda.exp %x : [4, 2, 1]
//   %y = buda.sparse %r, %i                      ->    %y = buda.sparse %r (vstack: 4), %i
//
// A result that is too large for any grid starts a stream (lower/streaming.hpp): a core then holds a part of one slice
// instead of a part of the whole result. Streamable are elementwise ops, splices of columns, and products whose second
// operand is the same for all slices. That is a constant, or any operand of one slice if an override requests
// streaming. Operands of streaming ops that arrive whole are sliced (vslice).
//
// If slicing rows is not enough, as for a softmax over 131072 columns, slices are by columns (hslice, hstack): for
// elementwise ops, and for products with a constant as second operand, which is sliced.
//
// A state, such as a parameter, stays in memory in the slices of rows in which it is written, and its readers stack
// them. An op that writes a state is sliced only if its own size requires it.
#include <algorithm>
#include <map>
#include <set>

#include "base/error_codes.hpp"
#include "compiler/ir/derivation.hpp"
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
bool product(const Node& node) {
    return (node.op == op::buda::matmul || node.op == op::buda::depthwise) && !node.has(attr::z);
}

/// A constant with equal slices; one more broadcast makes more slices.
bool repeated_constant(const Graph& graph, const Edge& edge) {
    const Node& node = graph.nodes[edge.value];
    return node.is_constant() && node.type.dims[0] == 1 &&
           std::all_of(edge.tms.begin(), edge.tms.end(), [](const Tm& tm) {
               return tm.kind == Tm::Kind::BroadcastR || tm.kind == Tm::Kind::BroadcastC ||
                      tm.kind == Tm::Kind::BroadcastZ;
           });
}

/// Whether a node can be streamed in slices of rows. A second operand that is not constant is sent again for every
/// slice, which only overrides request.
bool streamable(const Graph& graph, const Node& node, bool is_requested) {
    if (!product(node)) return elementwise(node) || node.op == op::buda::splice;
    const bool bias = node.inputs.size() < 3 || graph.nodes[node.inputs[2].value].is_constant();
    return bias && (repeated_constant(graph, node.inputs[1]) || (is_requested && node.type.dims[0] == 1));
}

const OpOverride* override_of(const Node& node, const PassOptions& options) {
    const auto found = options.overrides.find(node.name);
    return found == options.overrides.end() ? nullptr : &found->second;
}

/// The subject of an error for an op that cannot have the slices of its override.
Subject no_slices(const Node& node, const OpOverride& op_override) {
    return {op_override.loc, error_code::cannot_stream, {node.name}};
}

/// A splice has one column of cores. Its double-buffered result may use half of L1; the rest is for operands and stream
/// descriptions. Slices of single tile rows would leave one core, so for a prime number of tile rows tile padding is
/// used instead.
std::int64_t slices_of_splice(const Node& node, const PassOptions& options) {
    const Dims& dims = node.type.dims;
    const std::int64_t t = slices_to_stream(dims[1], dims[2], 1, *node.type.format, options.l1_bytes / 4, 1);
    return t < dims[1] ? t : 1;
}

/// The number of slices of rows for a node, 1 for none. `follow`: those of its operands, if they are sliced.
std::int64_t slices_for(const Graph& graph, const Node& node, const PassOptions& options, bool follow) {
    const OpOverride* op_override = override_of(node, options);
    const bool has_override = op_override && op_override->t;
    if (!streamable(graph, node, has_override)) {
        if (has_override && *op_override->t != 1 && *op_override->t != node.type.dims[0])
            fail(Fault::Input, no_slices(node, *op_override),
                 "op '{}' ({}) cannot be streamed: it needs all rows at once", node.name, node.op);
        return 1;
    }
    if (has_override) {
        if (node.type.dims[1] % *op_override->t != 0)
            fail(Fault::Input, no_slices(node, *op_override),
                 "op '{}' cannot be streamed in {} slices: they do not divide its {} tile rows", node.name,
                 *op_override->t, node.type.dims[1]);
        return *op_override->t;
    }
    const bool splice = node.op == op::buda::splice;
    const std::int64_t slices =
        !options.t_streaming ? 1
        : splice             ? slices_of_splice(node, options)
                 : slices_to_stream(node.type.dims[1], node.type.dims[2], 1, *node.type.format, options.slice_bytes);
    const std::size_t sources = product(node) ? 1 : node.inputs.size();
    for (std::size_t k = 0; follow && k < sources; ++k)
        if (const std::int64_t stacked = stacked_by(node.inputs[k]); stacked > 1)
            return splice ? std::max(stacked, slices) : stacked;
    return slices;
}

/// Whether a node of one slice can be streamed in slices of columns. The first operand of a product is sent again for
/// every slice.
bool streams_columns(const Graph& graph, const Node& node, bool is_requested) {
    // rows of dropout are counted through all slices, columns are not
    if (!product(node)) return elementwise(node) && node.op != op::buda::dropout;
    if (node.op != op::buda::matmul || node.type.dims[0] != 1) return false;
    return is_requested ||
           (node.inputs.size() == 2 && graph.nodes[node.inputs[1].value].is_constant() && node.inputs[1].tms.empty());
}

/// The slices of columns that an override requests. Throws Error(Input) if they are not possible.
std::int64_t requested_columns(const Graph& graph, const Node& node, const OpOverride& op_override) {
    const std::int64_t t = *op_override.t_columns;
    if (t > 1 && !streams_columns(graph, node, true))
        fail(Fault::Input, no_slices(node, op_override),
             "op '{}' ({}) cannot be streamed by columns: it needs all columns at once", node.name, node.op);
    if (node.type.dims[2] % t != 0)
        fail(Fault::Input, no_slices(node, op_override),
             "op '{}' cannot be streamed in {} slices of columns: they do not divide its {} tile columns", node.name, t,
             node.type.dims[2]);
    return t;
}

/// The number of slices of columns for a node: that of its operands, or more if it fits on no grid with its rows
/// sliced.
std::int64_t column_slices_for(const Graph& graph, const Node& node, const PassOptions& options) {
    const OpOverride* op_override = override_of(node, options);
    if (op_override && op_override->t_columns) return requested_columns(graph, node, *op_override);
    const bool rows = op_override && (op_override->t || !op_override->by_columns.value_or(true));
    const bool columns = op_override && op_override->by_columns.value_or(false);
    if (!options.t_streaming || rows || !streams_columns(graph, node, columns)) return 1;
    if (!product(node))
        for (const Edge& edge : node.inputs)
            if (stacked_by(edge, Tm::Kind::HStack) > 1) return stacked_by(edge, Tm::Kind::HStack);
    if (columns)  // as many as rows would be sliced into
        return slices_to_stream(node.type.dims[2], node.type.dims[1], 1, *node.type.format, options.slice_bytes);
    // two buffers of the result, for a product also the constant, and some tiles of other operands
    const std::int64_t most =
        (options.l1_bytes - 16 * tile_bytes(DataFormat::Float16_b, TileDim{})) / (product(node) ? 3 : 2);
    return column_slices_to_stream(node.type.dims[1], node.type.dims[2], *node.type.format, options.slice_bytes, most);
}

Cut cut_for(const Graph& graph, const Node& node, const PassOptions& options, bool writes_state) {
    const std::int64_t columns = writes_state ? 1 : column_slices_for(graph, node, options);
    if (columns > 1 && node.type.dims[2] % columns == 0) return {columns, true};
    const std::int64_t t = slices_for(graph, node, options, !writes_state);
    return node.type.dims[1] % t == 0 ? Cut{t, false} : Cut{};
}

/// Adds or removes the slicing TM of an operand of a streaming node.
void cut_operand(Edge& edge, const Cut& cut, bool of_product, std::size_t operand) {
    const bool repeated = of_product && operand == (cut.columns ? 0U : 1U);
    if (!(cut.columns && repeated) && stacked_by(edge, cut.stack()) == cut.t)
        edge.tms.pop_back();
    else
        edge.tms.push_back(make_tm(repeated ? Tm::Kind::BroadcastZ : cut.slice(), cut.t));
}

/// Slices of states, by name; absent: 1.
using StateSlices = std::map<std::string, std::int64_t>;

/// The state is read in slices of rows. Its elements stay in their order.
void slice_state(Node& node, std::int64_t t) {
    Dims& dims = node.type.dims;
    TT_CHECK(dims[1] % t == 0, "state '{}' of {} tile rows has {} slices", node.get(attr::state), dims[1], t);
    dims[0] *= t;
    dims[1] /= t;
    const Dims stored{dims[0], dims[1] * tile_edge, dims[2] * tile_edge};
    if (node.initial && node.initial->size() == count(stored)) {
        auto initial = std::make_shared<Literal>(*node.initial);
        initial->reshape(stored);
        node.initial = std::move(initial);
    }
    if (!node.derivation || !node.derivation->placement) return;
    auto derivation = std::make_shared<Derivation>(*node.derivation);
    const std::int64_t rows = stored[1];
    derivation->placement->dims = stored;
    derivation->placement->from = [from = node.derivation->placement->from, rows, t](std::int64_t z, std::int64_t r,
                                                                                     std::int64_t c) {
        return from(z / t, z % t * rows + r, c);
    };
    node.derivation = std::move(derivation);
}

/// Moves stacks of sliced operands to the node's edges.
void stack_operands(Node& node, const std::vector<Cut>& cuts) {
    for (Edge& edge : node.inputs)
        if (const Cut& before = cuts[edge.value]; before.t > 1) {
            const Tm stack = make_tm(before.stack(), before.t);
            const bool undone = !edge.tms.empty() && edge.tms.front() == make_tm(before.slice(), stack.n);
            if (undone)
                edge.tms.erase(edge.tms.begin());
            else
                edge.tms.insert(edge.tms.begin(), stack);
        }
}

/// `read`: slices in which states are read. Returns those in which they are written.
StateSlices slice(Graph& graph, const PassOptions& options, const StateSlices& read) {
    std::set<std::string> states;
    for (const Node& node : graph.nodes)
        if (node.is_input() && node.has(attr::state)) states.insert(node.get(attr::state));
    std::map<ValueId, std::string> writers;
    for (const Output& output : graph.outputs)
        if (states.contains(output.name)) writers[output.value] = output.name;
    StateSlices written;
    std::vector<Cut> cuts(graph.nodes.size());
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        stack_operands(node, cuts);
        if (node.is_input() && node.has(attr::state)) {
            const auto found = read.find(node.get(attr::state));
            if (found == read.end()) continue;
            cuts[id] = {found->second, false};
            slice_state(node, found->second);
        }
        if (!node.op.on_device()) continue;
        const auto writer = writers.find(id);
        const Cut cut = cut_for(graph, node, options, writer != writers.end());
        if (cut.t == 1) continue;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) cut_operand(node.inputs[k], cut, product(node), k);
        node.type.dims[0] *= cut.t;
        node.type.dims[cut.columns ? 2 : 1] /= cut.t;
        cuts[id] = cut;
        if (writer != writers.end()) written[writer->second] = cut.t;
    }
    return written;
}

void run_stream_slices(Graph& graph, const PassOptions& options) {
    Graph sliced = graph;
    // slices of an op that writes a state do not depend on its operands, so the second run has the right ones
    if (const StateSlices states = slice(sliced, options, {}); !states.empty()) {
        sliced = graph;
        slice(sliced, options, states);
    }
    graph = std::move(sliced);
}

}  // namespace

extern const Pass stream_slices;
const Pass stream_slices{.name = "stream-slices",
                         .summary = "stream slices of rows from op to op until all rows are needed",
                         .run = run_stream_slices,
                         .optional = true};

}  // namespace ttsim::impl::ir
