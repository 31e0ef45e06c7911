// Ops of a netlist, on {z, rt, ct} tiles. Elementwise ops come from kernels/ops/: those whose records have a `range`.
#include "compiler/ops/device.hpp"

#include <deque>

#include "compiler/ops/op_lists.hpp"
#include "generated/op_declarations.hpp"

namespace ttsim::impl::ir {

namespace {

/// The format that the node declares, or that of its first operand.
Type as_declared(const Node& node, const Type& first, Dims dims) {
    return {DType::F32, std::move(dims), node.type.format ? node.type.format : first.format};
}
Type infer_unary(const Node& node, std::span<const Type> in) { return as_declared(node, in[0], in[0].dims); }
Type infer_binary(const Node& node, std::span<const Type> in) {
    if (in[0].dims != in[1].dims)
        fail_input(node.loc, "operands of '{}' have {} and {} tiles; they must have as many", node.name,
                   to_string(in[0]), to_string(in[1]));
    return as_declared(node, in[0], in[0].dims);
}
/// Result of a product; its optional third operand, the bias, has the dims of the result.
Type with_bias(const Node& node, std::span<const Type> in, Dims dims) {
    if (in.size() > 2 && in[2].dims != dims)
        fail_input(node.loc, "the bias of '{}' has {} tiles; it must have as many as the result", node.name,
                   to_string(in[2]));
    return as_declared(node, in[0], std::move(dims));
}
Type infer_device_matmul(const Node& node, std::span<const Type> in) {
    const Dims &a = in[0].dims, &b = in[1].dims;
    const std::int64_t group = node.get(attr::z);
    if (a[0] != b[0] || a[2] != b[1] || group < 1 || a[0] % group != 0)
        fail_input(node.loc, "'{}' multiplies {} by {} in groups of {} slices", node.name, to_string(in[0]),
                   to_string(in[1]), group);
    return with_bias(node, in, {a[0] / group, a[1], b[2]});
}
Type infer_reduce(const Node& node, std::span<const Type> in) {
    Dims dims = in[0].dims;
    const std::string dim = node.get(attr::dim);
    if (dim == "c")
        dims[2] = 1;
    else if (dim == "r")
        dims[1] = 1;
    else if (dim == "z" && node.get(attr::z) >= 1 && dims[0] % node.get(attr::z) == 0)
        dims[0] /= node.get(attr::z);
    else
        fail_input(node.loc, "'{}' reduces dim '{}'; it must be r, c, or z with a divisor of the slices", node.name,
                   dim);
    return as_declared(node, in[0], dims);
}

/// Elementwise steps on operands with equal dims; syntax of attribute program: backend/fused.hpp.
Type infer_fused(const Node& node, std::span<const Type> in) {
    for (const Type& type : in)
        if (type.dims != in[0].dims)
            fail_input(node.loc, "operands of '{}' have {} and {} tiles; they must have as many", node.name,
                       to_string(in[0]), to_string(type));
    if (node.get(attr::program).empty()) fail_input(node.loc, "'{}' has no program", node.name);
    return as_declared(node, in[0], in[0].dims);
}
/// Operands: x {1, p, c}, row indices as integers [32 * r, n], and optionally their weights of the same dims.
Type infer_sparse(const Node& node, std::span<const Type> in) {
    const Dims &x = in[0].dims, &rows = in[1].dims;
    const std::int64_t t = node.get(attr::t);
    if (x[0] != 1 || rows.size() != 2 || t < 1 || rows[0] % tile_edge != 0 || rows[0] / tile_edge % t != 0 ||
        is_float(in[1].dtype) || (in.size() > 2 && in[2].dims != rows))
        fail_input(node.loc, "'{}' gathers rows of {} by {}; it needs one slice, and integers [32 * r, n] in {} slices",
                   node.name, to_string(in[0]), to_string(in[1]), t);
    return as_declared(node, in[0], {t, rows[0] / tile_edge / t, x[2]});
}
Type infer_depthwise(const Node& node, std::span<const Type> in) {
    const Dims &a = in[0].dims, &b = in[1].dims;
    if (a[0] != b[0] || a[2] != b[1] * b[2])
        fail_input(node.loc, "'{}' multiplies {} by {}; it needs {{z, r, n * c}} and {{z, n, c}}", node.name,
                   to_string(in[0]), to_string(in[1]));
    return with_bias(node, in, {a[0], a[1], b[2]});
}

/// Concatenates columns of all operands: of each `counts` tiles from `firsts` on, or all tiles if these are absent.
/// With `runs` the columns of each operand are in so many runs, interleaved: the first of each operand, then the second
/// of each. The attributes of the netlist's op follow from its grid.
Type infer_splice(const Node& node, std::span<const Type> in) {
    Dims dims = in[0].dims;
    dims[2] = 0;
    const std::vector<std::int64_t> firsts = node.get(attr::firsts), counts = node.get(attr::counts);
    const std::int64_t runs = node.get(attr::runs);
    if (firsts.size() != counts.size() || (!counts.empty() && (counts.size() != in.size() || runs != 1)))
        fail_input(node.loc, "'{}' needs as many firsts and counts as operands, and one run, or none of them",
                   node.name);
    for (std::size_t k = 0; k < in.size(); ++k) {
        const Dims& own = in[k].dims;
        const std::int64_t first = counts.empty() ? 0 : firsts[k], count = counts.empty() ? own[2] : counts[k];
        if (own[0] != dims[0] || own[1] != dims[1])
            fail_input(node.loc, "'{}' splices {} and {}; they must have as many slices and rows", node.name,
                       to_string(in[0]), to_string(in[k]));
        if (first < 0 || count < 1 || first + count > own[2] || runs < 1 || count % runs != 0)
            fail_input(node.loc, "'{}' splices {} tiles of columns from {} on, in {} runs, of {}", node.name, count,
                       first, runs, to_string(in[k]));
        dims[2] += count;
    }
    return as_declared(node, in[0], std::move(dims));
}

const OpFunctions others[] = {
    OpFunctions{op::buda::matmul, infer_device_matmul}, OpFunctions{op::buda::fused_op, infer_fused},
    OpFunctions{op::buda::depthwise, infer_depthwise},  OpFunctions{op::buda::sparse, infer_sparse},
    OpFunctions{op::buda::reduce, infer_reduce},        OpFunctions{op::buda::splice, infer_splice},
};

}  // namespace

AttrValue record_value(const Node& node, const AttrDef& attr, const Attr& given) {
    const auto* integer = std::get_if<std::int64_t>(&given);
    const auto* real = std::get_if<double>(&given);
    const auto* string = std::get_if<std::string>(&given);
    const auto* list = std::get_if<std::vector<std::int64_t>>(&given);
    if (attr.kind == AttrKind::Bool && integer) return *integer != 0;
    if (attr.kind == AttrKind::Integer && integer) return *integer;
    if (attr.kind == AttrKind::Number && real) return *real;
    if (attr.kind == AttrKind::Number && integer) return static_cast<double>(*integer);
    if (attr.kind == AttrKind::Word && string) return *string;
    if (attr.kind == AttrKind::List && list) return *list;
    fail_input(node.loc, "attribute {} of '{}' ({}) has a value of another kind than in the op's record", attr.name,
               node.name, node.op);
}

const OpDef* device_def(OpId op) {
    const OpInfo* info = find_op(op);
    return info ? info->device : nullptr;
}
const OpDef* counterpart_def(OpId op) {
    const OpInfo* info = find_op(op);
    return info ? device_def(info->counterpart) : nullptr;
}

OpInfo device_row(const OpDef& def) {
    static std::deque<std::string> names;
    const auto operands = static_cast<std::size_t>(def.min_inputs);
    return {.name = names.emplace_back(fmt::format("{}{}", device_prefix, def.name)),
            .level = Level::Device,
            .min_inputs = operands,
            .max_inputs = operands,
            .infer = operands == 1 ? infer_unary : infer_binary,
            .eval = nullptr,
            .elementwise = true};
}

void read_attributes(const Node& node, const OpDef& def, OpAttributes& into) {
    for (const AttrDef& attr : def.attributes)
        if (const auto given = node.attrs.find(attr.name); given != node.attrs.end())
            set_attribute(into, attr, record_value(node, attr, given->second));
}

std::span<const OpFunctions> device_ops() {
    static const std::vector<OpFunctions> table = [] {
        std::vector<OpFunctions> rows;
        for (const OpDeclaration& op : op_declarations) {
            if (op.level != Level::Device || !op.elementwise) continue;
            const OpDef* def = ttsim::impl::find_op(op.name.substr(device_prefix.size()));
            TT_CHECK(def && def->range && static_cast<std::size_t>(def->max_inputs) == op.max_inputs,
                     "'{}' of ops.toml has no record in kernels/ops/ with a range and as many operands", op.name);
            rows.push_back({OpId(static_cast<std::uint16_t>(&op - op_declarations + 1)),
                            op.max_inputs == 1 ? infer_unary : infer_binary});
        }
        rows.insert(rows.end(), std::begin(others), std::end(others));
        return rows;
    }();
    return table;
}

}  // namespace ttsim::impl::ir
