#include "compiler/ir/op_table.hpp"

#include <algorithm>

#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

static std::vector<const OpInfo*>& table() {
    static std::vector<const OpInfo*> table = [] {
        std::vector<const OpInfo*> ops;
        for (const auto list :
             {elementwise_ops(), tensor_ops(), composite_ops(), index_ops(), device_ops(), sort_ops(), scatter_ops(),
              sample_ops(), region_ops(), number_ops(), tree_ops(), tail_ops(), loop_ops()})
            for (const OpInfo& op : list) ops.push_back(&op);
        return ops;
    }();
    return table;
}

std::span<const OpInfo* const> all_ops() { return table(); }

void add_op(const OpInfo& op) {
    TT_CHECK(find_op(std::string(op.name)) == nullptr, "there are two ops '{}'", op.name);
    table().push_back(&op);
}

const OpInfo* find_op(const std::string& name) {
    const auto ops = all_ops();
    const auto found = std::find_if(ops.begin(), ops.end(), [&](const OpInfo* op) { return op->name == name; });
    return found == ops.end() ? nullptr : *found;
}

static Type after_tms(const Node& node, const Type& type, const std::vector<Tm>& tms) {
    if (tms.empty()) return type;
    if (!type.format) fail_input(node.loc, "'{}' puts a TM on a tensor that is not on the device", node.name);
    TileShape shape{type.dims[0], type.dims[1], type.dims[2]};
    for (Tm tm : tms) {
        tm.loc = node.loc;
        shape = shape_after(shape, tm);
    }
    return {type.dtype, {shape.z, shape.rt, shape.ct}, type.format};
}

/// Rejects results that exceed any card's memory in every format; compiling them would take hours.
static void check_size(const Node& node, const Type& type) {
    const std::int64_t elements = extent(type.dims);
    if (elements < 0) fail_input(node.loc, "the result of '{}' would be {}", node.name, to_string(type));
    if (elements > std::int64_t{1} << 33)
        fail_unsupported(node.loc, "'{}' has more than 2^33 elements, or more than 64 dimensions", node.name);
    if (type.format && elements > std::int64_t{1} << 31)
        fail_unsupported(node.loc, "'{}' has more than 2^31 tiles", node.name);
}

/// The type of the result that a `result` node names.
static Type named_result(const Graph& graph, const Node& node) {
    const Node& of = graph.nodes[node.inputs[0].value];
    const std::int64_t index = node.integer("index", 1), last = std::ssize(of.more_types);
    if (!node.inputs[0].tms.empty())
        fail_input(node.loc, "'{}' is a result with a TM; put it on its readers", node.name);
    if (last == 0)
        fail_input(node.loc, "'{}' is a further result of '{}' ({}), which has one; read '{}' itself", node.name,
                   of.name, of.op, of.name);
    if (index < 1 || index > last)
        fail_input(node.loc, "'{}' is result {} of '{}' ({}); its further results are 1 to {}", node.name, index,
                   of.name, of.op, last);
    return of.more_types[static_cast<std::size_t>(index - 1)];
}

void infer_types(const Graph& graph, Node& node) {
    const OpInfo* op = find_op(node.op);
    if (!op) fail_input(node.loc, "no op is called '{}'", node.op);
    if (node.inputs.size() < op->min_inputs || node.inputs.size() > op->max_inputs)
        fail_input(node.loc, "'{}' has {} operands; {} takes {} to {}", node.name, node.inputs.size(), node.op,
                   op->min_inputs, op->max_inputs);
    node.more_types.clear();
    if (node.is_result()) {
        node.type = named_result(graph, node);
        return;
    }
    std::vector<Type> in;
    for (const Edge& edge : node.inputs) {
        in.push_back(after_tms(node, graph.type(edge.value), edge.tms));
        const bool on_device = op->level == Level::Device && in.size() <= op->tables_from;
        if (in.back().format.has_value() != on_device)
            fail_input(node.loc, "operand {} of '{}' is {} the device; {} needs the opposite", in.size() - 1, node.name,
                       in.back().format ? "on" : "not on", node.op);
    }
    node.type = op->infer(node, in);
    if (op->infer_more) node.more_types = op->infer_more(node, in);
    check_size(node, node.type);
    for (const Type& more : node.more_types) check_size(node, more);
}

std::vector<Literal> OpInfo::values(const Node& node, std::span<const Literal* const> in) const {
    if (eval_all) return eval_all(node, in);
    std::vector<Literal> all;
    all.push_back(eval(node, in));
    return all;
}

Dims broadcast(const Node& node, const Dims& a, const Dims& b) {
    const std::size_t rank = std::max(a.size(), b.size());
    Dims out(rank, 1);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t x = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
        const std::int64_t y = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
        if (x != y && x != 1 && y != 1)
            fail_input(node.loc, "operands of '{}' cannot be broadcast together: {} and {} in dimension {}", node.name,
                       x, y, i);
        out[i] = x == 1 ? y : x;
    }
    return out;
}

}  // namespace ttsim::impl::ir
