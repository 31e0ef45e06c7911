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

Type infer_type(const Graph& graph, const Node& node) {
    const OpInfo* op = find_op(node.op);
    if (!op) fail_input(node.loc, "no op is called '{}'", node.op);
    if (node.inputs.size() < op->min_inputs || node.inputs.size() > op->max_inputs)
        fail_input(node.loc, "'{}' has {} operands; {} takes {} to {}", node.name, node.inputs.size(), node.op,
                   op->min_inputs, op->max_inputs);
    std::vector<Type> in;
    for (const Edge& edge : node.inputs) {
        in.push_back(after_tms(node, graph.type(edge.value), edge.tms));
        const bool on_device = op->level == Level::Device && in.size() <= op->tables_from;
        if (in.back().format.has_value() != on_device)
            fail_input(node.loc, "operand {} of '{}' is {} the device; {} needs the opposite", in.size() - 1, node.name,
                       in.back().format ? "on" : "not on", node.op);
    }
    Type out = op->infer(node, in);
    check_size(node, out);
    return out;
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
