// ONNX ops that change shapes, move elements or create constants.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "compiler/ir/integers.hpp"
#include "compiler/onnx/importer.hpp"
#include "compiler/onnx/tensor.hpp"

namespace ttsim::impl::ir {

namespace {

void reshape(Import& n) {
    std::vector<std::int64_t> to = n.integers(1);
    const Dims from = n.dims();
    std::int64_t known = 1, open = -1;
    for (std::size_t k = 0; k < to.size(); ++k) {
        if (to[k] == 0 && n.i("allowzero", 0) == 0) {
            if (k >= from.size()) n.wrong("shape[{}] is 0, but the operand has rank {}", k, from.size());
            to[k] = from[k];
        }
        if (to[k] == -1 && open >= 0) n.wrong("two dimensions are -1");
        if (to[k] == -1)
            open = static_cast<std::int64_t>(k);
        else if (to[k] < 0)
            n.wrong("shape[{}] is {}", k, to[k]);
        else
            known = count({known, to[k]});
    }
    if (open >= 0) {
        if (known == 0 || count(from) % known != 0)
            n.wrong("{} elements do not fill a shape of {} and an open dimension", count(from), known);
        to[static_cast<std::size_t>(open)] = count(from) / known;
    }
    n.add_output(n.b.reshape(n.x(0), to));
}

void flatten(Import& n) {
    const Dims d = n.dims();
    const std::int64_t axis = n.i("axis", 1), at = axis < 0 ? axis + n.rank() : axis;
    if (at < 0 || at > n.rank()) n.wrong("axis {} of a tensor of rank {}", axis, n.rank());
    const std::int64_t lead = std::accumulate(d.begin(), d.begin() + at, std::int64_t{1}, std::multiplies<>());
    const std::int64_t rest = std::accumulate(d.begin() + at, d.end(), std::int64_t{1}, std::multiplies<>());
    n.add_output(n.b.reshape(n.x(0), {lead, rest}));
}

void transpose(Import& n) {
    std::vector<std::int64_t> perm = n.ints("perm");
    if (!n.has_attribute("perm"))
        for (std::int64_t k = n.rank(); k-- > 0;) perm.push_back(k);
    std::vector<std::int64_t> sorted = perm, axes(static_cast<std::size_t>(n.rank()));
    std::sort(sorted.begin(), sorted.end());
    std::iota(axes.begin(), axes.end(), 0);
    if (sorted != axes) n.wrong("perm [{}] is not a permutation of {} axes", fmt::join(perm, ", "), n.rank());
    n.add_output(n.transpose(n.x(0), perm));
}

void squeeze(Import& n) {
    const auto axes = n.axes(13, 1, n.rank());
    Dims dims;
    for (std::int64_t k = 0; k < n.rank(); ++k) {
        const std::int64_t d = n.dims()[static_cast<std::size_t>(k)];
        const bool named = std::find(axes.begin(), axes.end(), k) != axes.end();
        if (named && d != 1) n.wrong("axis {} has size {}", k, d);
        if (!(axes.empty() ? d == 1 : named)) dims.push_back(d);
    }
    n.add_output(n.b.reshape(n.x(0), dims));
}

void unsqueeze(Import& n) {
    const std::vector<std::int64_t> given = n.opset < 13 ? n.ints("axes") : n.integers(1);
    const auto axes = n.axes(13, 1, n.rank() + static_cast<std::int64_t>(given.size()));
    Dims dims = n.dims();
    for (const std::int64_t a : axes) {
        if (a > static_cast<std::int64_t>(dims.size())) n.wrong("axis {} is too large", a);
        dims.insert(dims.begin() + a, 1);
    }
    n.add_output(n.b.reshape(n.x(0), dims));
}

void concat(Import& n) {
    const std::int64_t axis = n.axis(n.i("axis", 1), n.rank());
    const auto at = static_cast<std::size_t>(axis);
    Dims dims = n.dims();
    dims[at] = 0;
    for (std::size_t k = 0; k < n.in.size(); ++k) {
        Dims like = n.dims(k);
        if (like.size() != dims.size()) n.wrong("operand {} has rank {}, operand 0 {}", k, like.size(), dims.size());
        const std::int64_t size = std::exchange(like[at], dims[at]);
        if (like != dims)
            n.wrong("operand {} is [{}], operand 0 [{}]; they must differ in axis {} only", k,
                    fmt::join(n.dims(k), ", "), fmt::join(n.dims(), ", "), axis);
        dims[at] += size;
    }
    n.check_positions(dims[at]);
    std::optional<ValueId> sum;
    std::int64_t start = 0;
    for (std::size_t k = 0; k < n.in.size(); ++k) {
        const std::int64_t size = n.dims(k)[at];
        if (size == 0) continue;
        std::vector<std::int64_t> rows(static_cast<std::size_t>(dims[at]), -1);
        std::iota(rows.begin() + start, rows.begin() + start + size, 0);
        const ValueId placed = n.gather(n.x(k), axis, rows);
        sum = sum ? n.binary(op::add, *sum, placed) : placed;
        start += size;
    }
    n.add_output(sum ? *sum : n.x(0));
}

ValueId part(Import& n, ValueId x, std::int64_t axis, std::int64_t start, std::int64_t size) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(size));
    std::iota(rows.begin(), rows.end(), start);
    return n.gather(x, axis, rows);
}

void split(Import& n) {
    const std::int64_t axis = n.axis(n.i("axis", 0), n.rank()), size = n.dims()[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> parts = n.opset < 13 ? n.ints("split")
                                      : n.has(1)   ? n.integers(1)
                                                   : std::vector<std::int64_t>{};
    const auto count = static_cast<std::int64_t>(n.outputs());
    const std::int64_t each =
        n.has_attribute("num_outputs") ? (size + count - 1) / count : size / count;  // the last may be less
    if (parts.empty())
        for (std::int64_t k = 0; k < count; ++k)
            parts.push_back(n.has_attribute("num_outputs") ? std::clamp<std::int64_t>(size - k * each, 0, each) : each);
    if (static_cast<std::int64_t>(parts.size()) != count) n.wrong("{} parts for {} outputs", parts.size(), count);
    std::int64_t left = size;
    for (const std::int64_t p : parts) {
        if (p < 0 || p > left) n.wrong("a part of {} of an axis of {}, of which {} are left", p, size, left);
        left -= p;
    }
    if (left != 0) n.wrong("the parts do not add up to {}", size);
    n.check_positions(size);
    std::int64_t start = 0;
    for (const std::int64_t p : parts) {
        n.add_output(part(n, n.x(0), axis, start, p));
        start += p;
    }
}

void slice(Import& n) {
    const bool attributes = n.opset < 10;
    const std::vector<std::int64_t> starts = attributes ? n.ints("starts") : n.integers(1);
    const std::vector<std::int64_t> ends = attributes ? n.ints("ends") : n.integers(2);
    std::vector<std::int64_t> axes = attributes ? n.ints("axes")
                                     : n.has(3) ? n.integers(3)
                                                : std::vector<std::int64_t>{};
    std::vector<std::int64_t> steps =
        !attributes && n.has(4) ? n.integers(4) : std::vector<std::int64_t>(starts.size(), 1);
    if (axes.empty()) {
        axes.resize(starts.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
        n.wrong("starts, ends, axes and steps differ in length");
    ValueId x = n.x(0);
    for (std::int64_t& a : axes) a = n.axis(a, n.rank());
    n.check_distinct(axes);
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const std::int64_t axis = axes[k], size = n.dims()[static_cast<std::size_t>(axis)];
        if (steps[k] == 0) n.wrong("a step is 0");
        const std::int64_t step =
            std::clamp(steps[k], -size - 1, size + 1);  // larger steps also select only the first element
        const auto clamp = [&](std::int64_t v) {
            const std::int64_t at = v < 0 ? std::max(v, -size - 1) + size : v;
            return step > 0 ? std::clamp<std::int64_t>(at, 0, size) : std::clamp<std::int64_t>(at, -1, size - 1);
        };
        const std::int64_t end = clamp(ends[k]);
        const std::int64_t start = clamp(starts[k]);
        n.check_positions(std::max<std::int64_t>((end - start) / step, 0));
        std::vector<std::int64_t> rows;
        for (std::int64_t at = start; step > 0 ? at < end : at > end; at += step) rows.push_back(at);
        x = n.gather(x, axis, rows);
    }
    n.add_output(x);
}

void expand(Import& n) {
    const std::vector<std::int64_t> to = n.integers(1);
    for (const std::int64_t d : to) n.check_positions(d);
    Node node;
    node.name = "shape";
    node.loc = n.loc();
    n.add_output(n.b.broadcast_to(n.x(0), broadcast(node, n.dims(), to)));
}

void tile(Import& n) {
    const auto repeats = n.integers(1);
    if (static_cast<std::int64_t>(repeats.size()) != n.rank())
        n.wrong("{} repeats for rank {}", repeats.size(), n.rank());
    ValueId x = n.x(0);
    for (std::size_t k = 0; k < repeats.size(); ++k) {
        std::vector<std::int64_t> rows;
        const std::int64_t size = n.dims()[k];
        n.check_positions(repeats[k]);
        n.check_positions(count({repeats[k], size}));
        for (std::int64_t r = 0; r < repeats[k] * size; ++r) rows.push_back(r % size);
        x = n.gather(x, static_cast<std::int64_t>(k), rows);
    }
    n.add_output(x);
}

/// The source position in 0..size-1 of a padded position; -1: none.
std::int64_t padded_source(const std::string& mode, std::int64_t at, std::int64_t size) {
    if (at >= 0 && at < size) return at;
    if (mode == "edge") return std::clamp<std::int64_t>(at, 0, size - 1);
    if (mode == "wrap") return size == 0 ? -1 : (at % size + size) % size;
    if (mode != "reflect") return -1;
    const std::int64_t period = std::max<std::int64_t>(2 * (size - 1), 1), m = (at % period + period) % period;
    return m < size ? m : period - m;
}

/// Expands pads of some axes (operand 3) to pads of all axes.
std::vector<std::int64_t> pads_of_axes(Import& n, const std::vector<std::int64_t>& given) {
    std::vector<std::int64_t> axes = n.integers(3);
    if (given.size() != 2 * axes.size()) n.wrong("{} pads for {} axes", given.size(), axes.size());
    for (std::int64_t& a : axes) a = n.axis(a, n.rank());
    n.check_distinct(axes);
    const auto rank = static_cast<std::size_t>(n.rank());
    std::vector<std::int64_t> all(2 * rank, 0);
    for (std::size_t k = 0; k < axes.size(); ++k) {
        all[static_cast<std::size_t>(axes[k])] = given[k];
        all[static_cast<std::size_t>(axes[k]) + rank] = given[k + axes.size()];
    }
    return all;
}

/// Sets x to the value of operand 2 where `border` is not 0. A sum could overflow the integer type.
ValueId bordered_integers(Import& n, ValueId x, Literal border) {
    Literal outside(DType::Bool, border.dims());
    for (std::int64_t at = 0; at < border.size(); ++at) outside.set_integer(at, border.integer(at));
    const ValueId value = n.opset < 11 ? n.number(n.f("value", 0), x) : n.b.reshape(n.x(2), {});
    return n.b.add(op::where, {n.b.constant(std::move(outside)), value, x});
}

void pad(Import& n) {
    std::vector<std::int64_t> pads = n.opset < 11 ? n.ints("pads") : n.integers(1);
    const std::string mode = n.get_string("mode", {"constant", "reflect", "edge", "wrap"});
    const auto rank = static_cast<std::size_t>(n.rank());
    if (n.opset >= 18 && n.has(3)) pads = pads_of_axes(n, pads);
    if (pads.size() != 2 * rank) n.wrong("{} pads for rank {}", pads.size(), rank);
    const bool computed = n.opset >= 11 && n.has(2) && !n.b.literal(n.x(2));
    const double value = n.opset < 11                          ? n.f("value", 0)
                         : computed                            ? 1
                         : n.has(2) && n.literal(2).size() > 0 ? n.literal(2).at(0)
                                                               : 0;
    ValueId x = n.x(0);
    for (std::size_t k = 0; k < rank; ++k) {
        std::vector<std::int64_t> rows;
        const std::int64_t size = n.dims()[k];
        for (const std::int64_t side : {pads[k], pads[k + rank]}) n.check_positions(side < 0 ? -(side + 1) : side);
        if (size == 0 && mode != "constant" && pads[k] + pads[k + rank] > 0)
            n.wrong("mode '{}' has nothing to take for axis {}, which has no elements", mode, k);
        n.check_positions(pads[k] + size + pads[k + rank]);
        for (std::int64_t r = 0; r < pads[k] + size + pads[k + rank]; ++r)
            rows.push_back(padded_source(mode, r - pads[k], size));
        x = n.gather(x, static_cast<std::int64_t>(k), rows);
    }
    if (mode == "constant" && value != 0) {
        Literal border(n.b.type(x).dtype, n.b.dims(x));
        const Dims steps = strides(border.dims());
        for (std::int64_t at = 0; at < border.size(); ++at) {
            bool inside = true;
            for (std::size_t k = 0; k < rank; ++k) {
                const std::int64_t p = at / steps[k] % border.dims()[k] - pads[k];
                inside = inside && p >= 0 && p < n.dims()[k];
            }
            border.set(at, inside ? 0 : value);
        }
        if (!is_float(border.dtype())) return n.add_output(bordered_integers(n, x, std::move(border)));
        ValueId frame = n.b.constant(std::move(border));
        if (computed) frame = n.binary(op::multiply, frame, n.b.reshape(n.x(2), {}));
        x = n.binary(op::add, x, frame);
    }
    n.add_output(x);
}

void check_blocks(Import& n, std::int64_t size) {
    constexpr std::int64_t most = std::int64_t{1} << 20;
    if (n.rank() != 4) n.wrong("operand 0 has rank {}; it needs 4", n.rank());
    if (size < 1 || size > most) n.wrong("blocksize is {}; 1 to {} are allowed", size, most);
}

void depth_to_space(Import& n) {
    const Dims d = n.dims();
    const std::int64_t s = n.i("blocksize", 1);
    check_blocks(n, s);
    if (d[1] % (s * s) != 0) n.wrong("blocks of {} x {} do not fit {} channels", s, s, d[1]);
    const bool crd = n.get_string("mode", {"DCR", "CRD"}) == "CRD";
    const std::int64_t c = d[1] / (s * s), rows = d[2], cols = d[3], batch = d[0];
    const ValueId split =
        n.b.reshape(n.x(0), crd ? Dims{batch, c, s, s, rows, cols} : Dims{batch, s, s, c, rows, cols});
    const ValueId moved = n.b.transpose(
        split, crd ? std::vector<std::int64_t>{0, 1, 4, 2, 5, 3} : std::vector<std::int64_t>{0, 3, 4, 1, 5, 2});
    n.add_output(n.b.reshape(moved, {batch, c, rows * s, cols * s}));
}

void space_to_depth(Import& n) {
    const Dims d = n.dims();
    const std::int64_t s = n.i("blocksize", 1);
    check_blocks(n, s);
    if (d[2] % s != 0 || d[3] % s != 0) n.wrong("blocks of {} do not fit {} x {}", s, d[2], d[3]);
    const ValueId split = n.b.reshape(n.x(0), {d[0], d[1], d[2] / s, s, d[3] / s, s});
    const bool crd = n.get_string("mode", {"DCR", "CRD"}) == "CRD";
    const std::vector<std::int64_t> perm =
        crd ? std::vector<std::int64_t>{0, 1, 3, 5, 2, 4} : std::vector<std::int64_t>{0, 3, 5, 1, 2, 4};
    n.add_output(n.b.reshape(n.b.transpose(split, perm), {d[0], d[1] * s * s, d[2] / s, d[3] / s}));
}

// --- constants ------------------------------------------------------------------------------------------------------

void constant(Import& n) {
    if (n.has_attribute("value")) return n.add_output(n.b.model_constant(n.tensor("value")));
    if (n.has_attribute("value_float")) return n.add_output(n.b.scalar(n.f("value_float", 0)));
    if (n.has_attribute("value_int")) return n.add_output(n.b.integer(n.i("value_int", 0)));
    if (n.has_attribute("value_ints")) return n.add_output(n.b.model_constant(Literal::vector(n.ints("value_ints"))));
    if (!n.has_attribute("value_floats")) n.unsupported("it holds no numbers");
    const auto values = n.floats("value_floats");
    Literal literal(DType::F32, {static_cast<std::int64_t>(values.size())});
    literal.floats() = values;
    n.add_output(n.b.model_constant(std::move(literal)));
}

void constant_of_shape(Import& n) {
    const Literal value = n.has_attribute("value") ? n.tensor("value") : Literal::scalar(DType::F32, 0);
    const Dims dims = n.integers(0);
    for (const std::int64_t d : dims)
        if (d < 0) n.wrong("a dimension is {}", d);
    if (value.size() != 1) n.wrong("its value has {} elements; it needs one", value.size());
    if (extent(dims) > max_read_elements)
        n.unsupported("{} elements ([{}]); at most {} are allowed", extent(dims), fmt::join(dims, ", "),
                      max_read_elements);
    if (extent(dims) > max_constant_elements) return n.add_output(n.b.constant(Literal::filled(value, dims)));
    Literal literal(value.dtype(), dims);
    for (std::int64_t k = 0; k < literal.size(); ++k) literal.copy(k, value, 0);
    n.add_output(n.b.constant(std::move(literal)));
}

void shape(Import& n) {
    const Dims d = n.dims();
    const auto place = [&](std::int64_t v) { return std::clamp<std::int64_t>(v < 0 ? v + n.rank() : v, 0, n.rank()); };
    const std::int64_t start = place(n.i("start", 0)), end = std::max(start, place(n.i("end", n.rank())));
    n.add_output(n.b.constant(Literal::vector({d.begin() + start, d.begin() + end})));
}
void size(Import& n) { n.add_output(n.b.scalar(static_cast<double>(count(n.dims())), DType::I64)); }

/// Range from start to limit (exclusive) for operands of one integer type.
Literal integer_range(Import& n) {
    const DType type = n.literal(0).dtype();
    const std::int64_t start = n.integer(0), limit = n.integer(1), delta = n.integer(2);
    const bool up = !has_sign(type) || delta > 0;
    const auto size = [](std::int64_t from, std::int64_t to) {
        return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    };
    const bool none = up ? !integers::less(start, limit, type) : !integers::less(limit, start, type);
    const std::uint64_t way = none ? 0 : up ? size(start, limit) : size(limit, start);
    const std::uint64_t step = up ? static_cast<std::uint64_t>(delta) : size(delta, 0);
    const std::uint64_t steps = way / step + (way % step != 0 ? 1 : 0);
    n.check_positions(static_cast<std::int64_t>(std::min<std::uint64_t>(steps, std::uint64_t{1} << 62)));
    Literal literal(type, {static_cast<std::int64_t>(steps)});
    std::int64_t next = start;
    for (std::int64_t& element : literal.integer_elements()) next = integers::add(element = next, delta, type);
    return literal;
}

void range(Import& n) {
    const double start = n.scalar(0), limit = n.scalar(1), delta = n.scalar(2);
    if (delta == 0) n.wrong("delta is 0");
    if (n.is_integer(0)) return n.add_output(n.b.constant(integer_range(n)));
    const double steps = std::max(std::ceil((limit - start) / delta), 0.0);
    if (!std::isfinite(start) || !std::isfinite(delta) || !(steps <= 1e8)) n.unsupported("{} numbers", steps);
    n.check_positions(to_integer(steps));
    Literal literal(n.literal(0).dtype(), {to_integer(steps)});
    for (std::int64_t k = 0; k < literal.size(); ++k) literal.set(k, start + static_cast<double>(k) * delta);
    n.add_output(n.b.constant(std::move(literal)));
}

void eye_like(Import& n) {
    const Dims d = n.dims();
    const auto dtype = n.has_attribute("dtype") ? n.dtype("dtype", 1) : n.b.type(n.x(0)).dtype;
    if (d.size() != 2 || !dtype) n.wrong("it needs a matrix of numbers");
    Literal literal(*dtype, d);
    const std::int64_t k = std::clamp(n.i("k", 0), -d[0], d[1]);  // diagonals beyond are empty
    for (std::int64_t r = 0; r < d[0]; ++r)
        if (const std::int64_t c = r + k; c >= 0 && c < d[1]) literal.set(r * d[1] + c, 1);
    n.add_output(n.b.constant(std::move(literal)));
}

void trilu(Import& n) {
    const Dims d = n.dims();
    if (d.size() < 2) n.wrong("it needs rank 2 or more");
    const std::int64_t k = n.has(1) ? n.integer(1) : 0, rows = d[d.size() - 2], cols = d.back();
    const bool upper = n.i("upper", 1) != 0;
    n.check_positions(count({rows, cols}));
    const bool known =
        n.b.literal(n.x(0)) != nullptr;  // it may be a mask of infinities, where a product would yield NaN
    Literal mask(known ? DType::Bool : n.b.type(n.x(0)).dtype, {rows, cols});
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) mask.set(r * cols + c, (upper ? c - r >= k : c - r <= k) ? 1 : 0);
    const ValueId kept = n.b.constant(std::move(mask));
    n.add_output(known ? n.b.add(op::where, {kept, n.x(0), n.number(0, n.x(0))})
                       : n.binary(op::multiply, n.x(0), kept));
}

}  // namespace

const ImportRules& shape_rules() {
    static const ImportRules rules{
        {"Reshape", reshape},
        {"Flatten", flatten},
        {"Transpose", transpose},
        {"Squeeze", squeeze},
        {"Unsqueeze", unsqueeze},
        {"Concat", concat},
        {"Split", split},
        {"Slice", slice},
        {"Expand", expand},
        {"Tile", tile},
        {"Pad", pad},
        {"DepthToSpace", depth_to_space},
        {"SpaceToDepth", space_to_depth},
        {"Constant", constant},
        {"ConstantOfShape", constant_of_shape},
        {"Shape", shape},
        {"Size", size},
        {"Range", range},
        {"EyeLike", eye_like},
        {"Trilu", trilu},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
