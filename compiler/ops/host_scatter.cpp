// Host ops that gather and scatter by indices computed at run time. Negative indices count from the end.
//
//   gather_elements {axis}               out[i][j] = x[ids[i][j]][j] (axis 0). ids may be smaller along other axes.
//   scatter_elements {axis, reduction}   x with updates stored at, or reduced into, the elements that ids index.
//   scatter_nd {reduction}               The last axis of ids is an index into the first axes of x.
//   tensor_scatter {axis, circular}      x with updates from index ids[n] of the axis on, n along the first axis.
//   reverse_sequence {axis, batch}       The first ids[n] elements of the axis reversed, n along the axis `batch`.
//
// reduction: none, add, mul, max, min.
#include <algorithm>
#include <array>

#include "compiler/ir/integers.hpp"
#include "compiler/ops/lines.hpp"
#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

namespace {

double reduced_by(const std::string& how, double old, double update) {
    if (how == "add") return old + update;
    if (how == "mul") return old * update;
    return how == "max" ? std::max(old, update) : std::min(old, update);
}
std::int64_t reduced_by(const std::string& how, std::int64_t old, std::int64_t update, DType type) {
    if (how == "add") return integers::add(old, update, type);
    if (how == "mul") return integers::multiply(old, update, type);
    return how == "max" ? integers::larger(old, update, type) : integers::smaller(old, update, type);
}
void reduce_into(const std::string& how, Literal& out, std::int64_t to, const Literal& updates, std::int64_t from) {
    if (how == "none")
        out.copy(to, updates, from);
    else if (is_float(out.dtype()))
        out.set(to, reduced_by(how, out.at(to), updates.at(from)));
    else
        out.set_integer(to, reduced_by(how, out.integer(to), updates.integer(from), out.dtype()));
}

std::int64_t place_in(const Node& node, std::int64_t place, std::int64_t size) {
    if (place < -size || place >= size)
        fail_input(node.loc, "'{}' has index {} for an axis of {}", node.name, place, size);
    return place < 0 ? place + size : place;
}

/// Checks that ids has the rank of x and is no larger than x except along the axis.
void check_covers(const Node& node, const Type& x, const Type& ids) {
    const std::size_t axis = lines_of(node, x.dims).axis;
    bool fits = ids.dims.size() == x.dims.size();
    for (std::size_t a = 0; fits && a < x.dims.size(); ++a) fits = a == axis || ids.dims[a] <= x.dims[a];
    if (!fits) fail_input(node.loc, "'{}' has places {} for {}", node.name, to_string(ids), to_string(x));
}

/// The element of x that element `at` of ids indexes.
std::int64_t indexed_element(const Node& node, const Literal& x, const Literal& ids, std::size_t axis,
                             std::int64_t at) {
    std::int64_t element = 0, rest = at, step = 1;
    for (std::size_t a = x.dims().size(); a-- > 0;) {
        const std::int64_t own = rest % ids.dims()[a];
        rest /= ids.dims()[a];
        element += step * (a == axis ? place_in(node, ids.integer(at), x.dims()[a]) : own);
        step *= x.dims()[a];
    }
    return element;
}

Type infer_gather_elements(const Node& node, std::span<const Type> in) {
    check_covers(node, in[0], in[1]);
    return {in[0].dtype, in[1].dims, {}};
}
Literal eval_gather_elements(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    for (std::int64_t i = 0; i < out.size(); ++i) out.copy(i, *in[0], indexed_element(node, *in[0], *in[1], axis, i));
    return out;
}

Type infer_scatter_elements(const Node& node, std::span<const Type> in) {
    check_covers(node, in[0], in[1]);
    if (in[2].dims != in[1].dims)
        fail_input(node.loc, "'{}' has updates {} for places {}", node.name, to_string(in[2]), to_string(in[1]));
    return in[0];
}
Literal eval_scatter_elements(const Node& node, std::span<const Literal* const> in) {
    Literal out = *in[0];
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const std::string how = node.get(attr::reduction);
    for (std::int64_t i = 0; i < in[1]->size(); ++i) {
        const std::int64_t to = indexed_element(node, *in[0], *in[1], axis, i);
        reduce_into(how, out, to, *in[2], i);
    }
    return out;
}

Type infer_scatter_nd(const Node& node, std::span<const Type> in) {
    const Dims &x = in[0].dims, &ids = in[1].dims;
    const std::int64_t depth = ids.empty() ? 0 : ids.back();
    if (depth < 1 || depth > static_cast<std::int64_t>(x.size()))
        fail_input(node.loc, "'{}' has places {} in {}", node.name, to_string(in[1]), to_string(in[0]));
    Dims expected(ids.begin(), ids.end() - 1);
    expected.insert(expected.end(), x.begin() + depth, x.end());
    if (in[2].dims != expected)
        fail_input(node.loc, "'{}' has updates {} for places {} in {}", node.name, to_string(in[2]), to_string(in[1]),
                   to_string(in[0]));
    return in[0];
}
Literal eval_scatter_nd(const Node& node, std::span<const Literal* const> in) {
    Literal out = *in[0];
    const Dims& dims = out.dims();
    const std::string how = node.get(attr::reduction);
    const std::int64_t depth = in[1]->dims().back();
    std::int64_t inner = 1;
    for (std::size_t a = static_cast<std::size_t>(depth); a < dims.size(); ++a) inner *= dims[a];
    for (std::int64_t k = 0; k < in[1]->size() / depth; ++k) {
        std::int64_t row = 0;
        for (std::int64_t a = 0; a < depth; ++a) {
            const std::int64_t size = dims[static_cast<std::size_t>(a)];
            row = row * size + place_in(node, in[1]->integer(k * depth + a), size);
        }
        for (std::int64_t i = 0; i < inner; ++i) reduce_into(how, out, row * inner + i, *in[2], k * inner + i);
    }
    return out;
}

Type infer_tensor_scatter(const Node& node, std::span<const Type> in) {
    const Lines lines = lines_of(node, in[0].dims);
    Dims expected = in[1].dims;
    const bool fits = expected.size() == in[0].dims.size() && lines.axis > 0 && expected[lines.axis] <= lines.size;
    if (fits) expected[lines.axis] = lines.size;
    if (!fits || expected != in[0].dims || in[2].dims != Dims{in[0].dims[0]})
        fail_input(node.loc, "'{}' writes {} into {} at {}", node.name, to_string(in[1]), to_string(in[0]),
                   to_string(in[2]));
    return in[0];
}
Literal eval_tensor_scatter(const Node& node, std::span<const Literal* const> in) {
    Literal out = *in[0];
    const Lines to = lines_of(node, out.dims()), from = lines_of(node, in[1]->dims());
    const bool circular = node.get(attr::circular);
    const std::int64_t of_first = to.lines / std::max<std::int64_t>(out.dims()[0], 1);
    for (std::int64_t line = 0; line < to.lines; ++line)
        for (std::int64_t k = 0; k < from.size; ++k) {
            std::int64_t place = in[2]->integer(line / of_first);
            if (place < 0 || (place > to.size && !circular))
                fail_input(node.loc, "'{}' writes to place {} of an axis of {}", node.name, place, to.size);
            place = circular && to.size > 0 ? (place % to.size + k) % to.size : place + k;
            if (place < 0 || place >= to.size)
                fail_input(node.loc, "'{}' writes to place {} of an axis of {}", node.name, place, to.size);
            out.copy(to.first(line) + place * to.step, *in[1], from.first(line) + k * from.step);
        }
    return out;
}

Type infer_reverse_sequence(const Node& node, std::span<const Type> in) {
    const Lines lines = lines_of(node, in[0].dims);
    const std::int64_t batch = node.get(attr::batch);
    if (batch < 0 || batch >= static_cast<std::int64_t>(in[0].dims.size()) ||
        static_cast<std::size_t>(batch) == lines.axis ||
        in[1].dims != Dims{in[0].dims[static_cast<std::size_t>(batch)]})
        fail_input(node.loc, "'{}' reverses {} along axis {} by lengths {} of axis {}", node.name, to_string(in[0]),
                   lines.axis, to_string(in[1]), batch);
    return in[0];
}
Literal eval_reverse_sequence(const Node& node, std::span<const Literal* const> in) {
    Literal out = *in[0];
    const Lines lines = lines_of(node, out.dims());
    const auto batch = static_cast<std::size_t>(node.get(attr::batch));
    const std::int64_t step = strides(out.dims())[batch], samples = out.dims()[batch];
    for (std::int64_t line = 0; line < lines.lines; ++line) {
        const std::int64_t first = lines.first(line), length = in[1]->integer(first / step % samples);
        if (length < 0 || length > lines.size)
            fail_input(node.loc, "'{}' reverses {} of an axis of {}", node.name, length, lines.size);
        for (std::int64_t k = 0; k < length; ++k)
            out.copy(first + k * lines.step, *in[0], first + (length - 1 - k) * lines.step);
    }
    return out;
}

constexpr std::array scatter_table{
    OpFunctions{op::gather_elements, infer_gather_elements, eval_gather_elements},
    OpFunctions{op::scatter_elements, infer_scatter_elements, eval_scatter_elements},
    OpFunctions{op::scatter_nd, infer_scatter_nd, eval_scatter_nd},
    OpFunctions{op::tensor_scatter, infer_tensor_scatter, eval_tensor_scatter},
    OpFunctions{op::reverse_sequence, infer_reverse_sequence, eval_reverse_sequence},
};

}  // namespace

std::span<const OpFunctions> scatter_ops() { return scatter_table; }

}  // namespace ttsim::impl::ir
