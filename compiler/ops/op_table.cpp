#include "compiler/ir/op_table.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "compiler/ops/device.hpp"
#include "compiler/ops/op_lists.hpp"
#include "generated/op_declarations.hpp"

namespace ttsim::impl::ir {

namespace {

/// Records by id, and ids by name. Ids of ops.toml come first, then those of ops that the process adds.
class Table {
public:
    Table() : names_(1), records_(1) {
        for (const OpDeclaration& op : op_declarations) add_name(op.name);
        for (const auto list :
             {elementwise_ops(), tensor_ops(), composite_ops(), index_ops(), device_ops(), sort_ops(), scatter_ops(),
              sample_ops(), region_ops(), number_ops(), tree_ops(), tail_ops(), loop_ops()})
            for (const OpFunctions& op : list) add(declared(op));
        for (const OpDeclaration& op : op_declarations)
            if (op.level != Level::Value && !record(id(op.name))) add(declared(functions_by_rule(id(op.name), op)));
    }

    OpId add(const OpInfo& row) {
        OpInfo& made = rows_.emplace_back(row);
        made.id = id(row.name);
        if (made.id == OpId{}) made.id = add_name(row.name);
        TT_CHECK(!record(made.id), "there are two ops '{}'", row.name);
        records_[made.id.index()] = &made;
        listed_.push_back(&made);
        if (row.level == Level::Device) made.device = ttsim::impl::find_op(row.name.substr(device_prefix.size()));
        link(made);
        return made.id;
    }

    OpId id(std::string_view name) const {
        const auto found = ids_.find(name);
        return found == ids_.end() ? OpId{} : found->second;
    }
    const OpInfo* record(OpId op) const { return op.index() < records_.size() ? records_[op.index()] : nullptr; }
    std::string_view name(OpId op) const { return names_[op.index()]; }
    std::span<const OpInfo* const> all() const { return listed_; }

private:
    static OpInfo declared(const OpFunctions& functions) {
        const OpDeclaration& op = op_declarations[functions.op.index() - 1];
        TT_CHECK((functions.eval == nullptr) <= (functions.work == nullptr), "'{}' has a cost but no value", op.name);
        return {.name = op.name,
                .level = op.level,
                .min_inputs = op.min_inputs,
                .max_inputs = op.max_inputs,
                .infer = functions.infer,
                .eval = functions.eval,
                .elementwise = op.elementwise,
                .tables_from = op.tables_from,
                .work = functions.work,
                .onnx = op.onnx,
                .attributes = op.attributes,
                .infer_more = functions.infer_more,
                .eval_all = functions.eval_all};
    }
    OpId add_name(std::string_view name) {
        const OpId made(static_cast<std::uint16_t>(names_.size()));
        names_.push_back(name);
        records_.push_back(nullptr);
        ids_.emplace(name, made);
        return made;
    }
    /// Sets the counterparts of an op and of the op of the same name at the other level.
    void link(OpInfo& made) {
        const std::string other = made.level == Level::Device ? std::string(made.name.substr(device_prefix.size()))
                                                              : std::string(device_prefix) + std::string(made.name);
        OpInfo* counterpart = records_[id(other).index()];
        if (!counterpart) return;
        made.counterpart = counterpart->id;
        counterpart->counterpart = made.id;
    }

    std::deque<OpInfo> rows_;
    std::vector<std::string_view> names_;
    std::vector<OpInfo*> records_;
    std::vector<const OpInfo*> listed_;
    std::unordered_map<std::string_view, OpId> ids_;
};

Table& table() {
    static Table table;
    return table;
}

}  // namespace

std::string_view OpId::name() const { return table().name(*this); }
std::string_view OpId::base_name() const {
    const std::string_view whole = name();
    return whole.starts_with(device_prefix) ? whole.substr(device_prefix.size()) : whole;
}
bool OpId::on_device() const {
    const OpInfo* record = table().record(*this);
    return record && record->level == Level::Device;
}

std::span<const OpInfo* const> all_ops() { return table().all(); }
const OpInfo* find_op(OpId op) { return table().record(op); }
OpId op_named(std::string_view name) { return table().id(name); }

OpId add_op(const OpInfo& op) {
    Table& ops = table();
    TT_CHECK(ops.id(op.name) == OpId{}, "there are two ops '{}'", op.name);
    if (const OpDef* def = ttsim::impl::find_op(op.name); def && def->range) ops.add(device_row(*def));
    return ops.add(op);
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
    const std::int64_t index = node.get(attr::index), last = std::ssize(of.more_types);
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
    check_attributes(node);
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
