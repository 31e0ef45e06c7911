// Ops with indices of elements. The host looks them up; decompose-indexing turns them into products.
//
//   take {axis}      out[.., ids.., ..] = x[.., ids[..], ..]; negative indices count from the end
//   cumulative_sum {axis, exclusive, reverse}   prefix sums; exclusive: without the own element; reverse: from the end
//   arg_max {axis}   index of the first maximum (last = 1: of the last one), i64; the axis is kept with size 1
#include <array>

#include "compiler/ir/integers.hpp"
#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

namespace {

std::size_t taken_axis(const Node& node, const Type& type) {
    const std::int64_t axis = node.get(attr::axis), rank = static_cast<std::int64_t>(type.dims.size());
    if (axis < 0 || axis >= rank)
        fail_input(node.loc, "'{}' has axis {}; its operand has rank {}", node.name, axis, rank);
    return static_cast<std::size_t>(axis);
}

Type infer_take(const Node& node, std::span<const Type> in) {
    const auto axis = static_cast<std::ptrdiff_t>(taken_axis(node, in[0]));
    const Dims &x = in[0].dims, &ids = in[1].dims;
    Type out{in[0].dtype, {x.begin(), x.begin() + axis}, {}};
    out.dims.insert(out.dims.end(), ids.begin(), ids.end());
    out.dims.insert(out.dims.end(), x.begin() + axis + 1, x.end());
    return out;
}

Literal eval_take(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const std::int64_t size = in[0]->dims()[axis], inner = strides(in[0]->dims())[axis], indices = in[1]->size();
    std::int64_t outer = 1;
    for (std::size_t a = 0; a < axis; ++a) outer *= in[0]->dims()[a];
    for (std::int64_t p = 0; p < indices; ++p) {
        std::int64_t id = in[1]->integer(p);
        if (id < -size || id >= size) fail_input(node.loc, "'{}' takes index {} of an axis of {}", node.name, id, size);
        if (id < 0) id += size;
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < inner; ++i)
                out.copy((o * indices + p) * inner + i, *in[0], (o * size + id) * inner + i);
    }
    return out;
}

Type infer_arg_max(const Node& node, std::span<const Type> in) {
    Type out{DType::I64, in[0].dims, {}};
    out.dims[taken_axis(node, in[0])] = 1;
    return out;
}

/// Whether element a is greater than element b.
bool above(const Literal& x, std::int64_t a, std::int64_t b) {
    if (is_float(x.dtype())) return x.at(a) > x.at(b);
    return integers::less(x.integer(b), x.integer(a), x.dtype());
}

bool same(const Literal& x, std::int64_t a, std::int64_t b) {
    return is_float(x.dtype()) ? x.at(a) == x.at(b) : x.integer(a) == x.integer(b);
}

Literal eval_arg_max(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const bool last = node.get(attr::last);
    const std::int64_t size = in[0]->dims()[axis], step = strides(in[0]->dims())[axis];
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::int64_t base = i / step * step * size + i % step;
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < size; ++k) {
            const std::int64_t here = base + k * step, most = base + best * step;
            if (above(*in[0], here, most) || (last && same(*in[0], here, most))) best = k;
        }
        out.set_integer(i, best);
    }
    return out;
}

Type infer_cumulative_sum(const Node& node, std::span<const Type> in) {
    taken_axis(node, in[0]);
    return in[0];
}

/// Calls `visit(place, first)` for every element, line by line along the axis, in the order of summation. `first`: the
/// element starts a line.
template <class Visit>
void visit_lines(const Node& node, const Dims& dims, const Visit& visit) {
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const bool reverse = node.get(attr::reverse);
    const std::int64_t size = dims[axis], step = strides(dims)[axis], all = count(dims);
    for (std::int64_t line = 0; size > 0 && line < all / size; ++line) {
        const std::int64_t first = line / step * step * size + line % step;
        for (std::int64_t k = 0; k < size; ++k) visit(first + (reverse ? size - 1 - k : k) * step, k == 0);
    }
}

Literal eval_cumulative_sum(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const bool exclusive = node.get(attr::exclusive);
    if (!is_float(node.type.dtype)) {
        std::int64_t sum = 0;
        visit_lines(node, in[0]->dims(), [&](std::int64_t at, bool first) {
            const std::int64_t before = first ? 0 : sum;
            sum = integers::add(before, in[0]->integer(at), node.type.dtype);
            out.set_integer(at, exclusive ? before : sum);
        });
        return out;
    }
    double sum = 0;
    visit_lines(node, in[0]->dims(), [&](std::int64_t at, bool first) {
        const double before = first ? 0 : sum;
        sum = before + in[0]->at(at);
        out.set(at, exclusive ? before : sum);
    });
    return out;
}

constexpr std::array index_table{
    OpFunctions{op::cumulative_sum, infer_cumulative_sum, eval_cumulative_sum},
    OpFunctions{op::take, infer_take, eval_take},
    OpFunctions{op::arg_max, infer_arg_max, eval_arg_max},
};

}  // namespace

std::span<const OpFunctions> index_ops() { return index_table; }

}  // namespace ttsim::impl::ir
