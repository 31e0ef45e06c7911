// Core ops that move or combine elements of different positions.
//
//   matmul     numpy's, batches broadcast                       [.., m, k] x [.., k, n] -> [.., m, n]
//   map_axis   one matrix along one axis                        out[.., o, ..] = sum_i m[o, i] * x[.., i, ..]
//   gather_sum   gathered rows times matrices, summed            out[b][q] = sum_j x[b][map[j][q]] * R[j]; -1: zeros
//              {groups = g}: R[j] is block diagonal, R holds [j, c / g, d]
//   gather_rows  rows by index                                   out[b][j][q] = x[b][map[j][q]]; -1: zeros
//   scatter_rows {rows}  its transpose: sums of rows by index     out[b][p] = sum of x[b][j][q] with map[j][q] = p
//   hslice {n}  columns split into n slices                      [.., r, n * c] -> [.., n, r, c]
//   hstack {n}  the inverse of hslice                            [.., n, r, c] -> [.., r, n * c]
//   reshape, transpose {perm}, reduce_max {axis} (keeps the axis with size 1)
//   result {index}  a further result of the operand's node, which has its type and value (infer_types,
//   host_program.hpp)
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compiler/ir/integers.hpp"
#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

namespace {

Type infer_matmul(const Node& node, std::span<const Type> in) {
    const Dims &a = in[0].dims, &b = in[1].dims;
    if (a.size() < 2 || b.size() < 2)
        fail_input(node.loc, "'{}' multiplies tensors of rank {} and {}; both need at least 2", node.name, a.size(),
                   b.size());
    if (a.back() != b[b.size() - 2])
        fail_input(node.loc, "'{}' multiplies {} columns by {} rows", node.name, a.back(), b[b.size() - 2]);
    Dims out = broadcast(node, {a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    out.push_back(a[a.size() - 2]);
    out.push_back(b.back());
    return {in[0].dtype, out, {}};
}

/// Sums with an integer result are modulo 2^64; the result keeps the lowest bits. Other sums are in double.
using Modular = std::uint64_t;

bool holds_integers(const Literal& x) {
    if (!is_float(x.dtype())) return true;
    return x.with_floats([](const std::vector<float>& floats) {
        return std::all_of(floats.begin(), floats.end(),
                           [](float v) { return v == std::trunc(v) && std::fabs(v) < 0x1p63F; });
    });
}
bool sums_integers(const Node& node, std::span<const Literal* const> in) {
    return !is_float(node.type.dtype) &&
           std::all_of(in.begin(), in.end(), [](const Literal* x) { return holds_integers(*x); });
}

template <class Number>
Number number_at(const Literal& x, std::int64_t i) {
    if constexpr (std::is_same_v<Number, Modular>)
        return static_cast<Modular>(x.integer(i));
    else
        return x.at(i);
}
template <class Number>
void put(Literal& out, std::int64_t i, Number sum) {
    if constexpr (std::is_same_v<Number, Modular>)
        out.set_integer(i, static_cast<std::int64_t>(sum));
    else
        out.set(i, sum);
}

/// The nonzero elements of a matrix by rows. Constant matrices often have one nonzero element a row.
template <class Number>
class SparseRows {
public:
    SparseRows(const Literal& from, std::int64_t first, std::int64_t rows, std::int64_t cols) {
        begin_.push_back(0);
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t c = 0; c < cols; ++c)
                if (const auto v = number_at<Number>(from, first + r * cols + c); v != 0) items_.push_back({c, v});
            begin_.push_back(items_.size());
        }
    }
    /// Column indices and values.
    std::span<const std::pair<std::int64_t, Number>> row(std::int64_t row) const {
        const auto r = static_cast<std::size_t>(row);
        return std::span(items_).subspan(begin_[r], begin_[r + 1] - begin_[r]);
    }
    /// out[c] += factor * row[c]
    void add(std::int64_t row, Number factor, std::vector<Number>& out) const {
        for (const auto& [column, value] : this->row(row)) out[static_cast<std::size_t>(column)] += factor * value;
    }

private:
    std::vector<std::size_t> begin_;
    std::vector<std::pair<std::int64_t, Number>> items_;
};

template <class Number>
Literal product_of(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const Dims &a = in[0]->dims(), &b = in[1]->dims(), &o = out.dims();
    const std::int64_t m = o[o.size() - 2], n = o.back(), k = a.back();
    const Dims sa = strides(a), sb = strides(b), so = strides(o);
    const std::int64_t batches = m * n == 0 ? 0 : out.size() / (m * n);
    std::vector<Number> sums(static_cast<std::size_t>(n));
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        std::int64_t pa = 0, pb = 0;
        for (std::size_t d = 0; d + 2 < o.size(); ++d) {
            const std::int64_t at = batch * m * n / so[d] % o[d];
            const std::size_t da = d + a.size() - o.size(), db = d + b.size() - o.size();
            if (d + a.size() >= o.size() && a[da] != 1) pa += at * sa[da];
            if (d + b.size() >= o.size() && b[db] != 1) pb += at * sb[db];
        }
        const SparseRows<Number> right(*in[1], pb, k, n);
        for (std::int64_t r = 0; r < m; ++r) {
            std::fill(sums.begin(), sums.end(), Number{0});
            for (std::int64_t i = 0; i < k; ++i)
                if (const auto factor = number_at<Number>(*in[0], pa + r * k + i); factor != 0)
                    right.add(i, factor, sums);
            for (std::int64_t c = 0; c < n; ++c) put(out, batch * m * n + r * n + c, sums[static_cast<std::size_t>(c)]);
        }
    }
    return out;
}

Literal eval_matmul(const Node& node, std::span<const Literal* const> in) {
    return sums_integers(node, in) ? product_of<Modular>(node, in) : product_of<double>(node, in);
}

std::int64_t nonzero_elements(const Literal& x) {
    if (is_float(x.dtype()))
        return x.with_floats(
            [](const auto& all) { return std::ssize(all) - std::count(all.begin(), all.end(), 0.0F); });
    const std::vector<std::int64_t>& all = x.integer_elements();
    return std::ssize(all) - std::count(all.begin(), all.end(), 0);
}

/// Elements that are 0 take no multiplications; they are common in matrices that the compiler makes.
std::int64_t work_matmul(const Node& node, std::span<const Literal* const> in) {
    const Dims &a = in[0]->dims(), &b = in[1]->dims();
    const std::int64_t rows = count(node.type.dims) / std::max<std::int64_t>(b.back(), 1), inner = a.back();
    if (count(a) == 0 || count(b) == 0) return 0;
    const double share = static_cast<double>(nonzero_elements(*in[0])) / static_cast<double>(count(a)) *
                         static_cast<double>(nonzero_elements(*in[1])) / static_cast<double>(count(b));
    return static_cast<std::int64_t>(share * static_cast<double>(count({rows, inner, b.back()})));
}

std::size_t axis_of(const Node& node, const Type& type) {
    const std::int64_t axis = node.get(attr::axis), rank = static_cast<std::int64_t>(type.dims.size());
    if (axis < 0 || axis >= rank)
        fail_input(node.loc, "'{}' has axis {}; its operand has rank {}", node.name, axis, rank);
    return static_cast<std::size_t>(axis);
}

Type infer_map_axis(const Node& node, std::span<const Type> in) {
    const std::size_t axis = axis_of(node, in[0]);
    if (in[1].dims.size() != 2 || in[1].dims[1] != in[0].dims[axis])
        fail_input(node.loc, "'{}' maps an axis of {} by a matrix {}", node.name, in[0].dims[axis], to_string(in[1]));
    Type out = in[0];
    out.dims[axis] = in[1].dims[0];
    return out;
}

template <class Number>
Literal mapped(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const std::int64_t outs = in[1]->dims()[0], ins = in[1]->dims()[1], step = strides(out.dims())[axis];
    const SparseRows<Number> matrix(*in[1], 0, outs, ins);
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::int64_t o = i / step % outs, base = i / (step * outs) * (step * ins) + i % step;
        Number sum = 0;
        for (const auto& [k, weight] : matrix.row(o)) sum += weight * number_at<Number>(*in[0], base + k * step);
        put(out, i, sum);
    }
    return out;
}
Literal eval_map_axis(const Node& node, std::span<const Literal* const> in) {
    return sums_integers(node, in) ? mapped<Modular>(node, in) : mapped<double>(node, in);
}
std::int64_t work_map_axis(const Node& node, std::span<const Literal* const> in) {
    std::int64_t used = 0;  // nonzero elements
    for (std::int64_t i = 0; i < in[1]->size(); ++i) used += in[1]->at(i) != 0 ? 1 : 0;
    return count({count(node.type.dims) / std::max<std::int64_t>(in[1]->dims()[0], 1), used});
}

/// Checks the operands of gather_sum and gather_rows: x [.., p, c] and integers [j, q].
void check_gather(const Node& node, std::span<const Type> in) {
    if (in[0].dims.size() < 2 || in[1].dims.size() != 2 || is_float(in[1].dtype))
        fail_input(node.loc, "'{}' needs [.., p, c] and integers [j, q]; it has {} and {}", node.name, to_string(in[0]),
                   to_string(in[1]));
}

Type infer_gather_sum(const Node& node, std::span<const Type> in) {
    check_gather(node, in);
    const Dims &l = in[1].dims, &r = in[2].dims;
    const std::int64_t groups = node.get(attr::groups), columns = in[0].dims.back();
    if (groups < 1 || r.size() != 3 || l[0] != r[0] || count({r[1], groups}) != columns || r[2] % groups != 0)
        fail_input(node.loc, "'{}' needs [.., p, c], [j, q] and [j, c / groups, d]; it has {}, {} and {} in {} groups",
                   node.name, to_string(in[0]), to_string(in[1]), to_string(in[2]), groups);
    Type out = in[0];
    out.dims[out.dims.size() - 2] = l[1];
    out.dims.back() = r[2];
    return out;
}

/// The gathered row of x, -1 for none; an index past the last row is an error.
std::int64_t gathered_row(const Node& node, const Literal& map, std::int64_t at, std::int64_t rows) {
    const std::int64_t row = map.integer_elements()[static_cast<std::size_t>(at)];
    if (row >= rows) fail_input(node.loc, "'{}' gathers row {} of {}", node.name, row, rows);
    return row;
}

template <class Number>
Literal gathered_sum(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const Dims &l = in[1]->dims(), &r = in[2]->dims();
    const std::int64_t rows = in[0]->dims()[in[0]->dims().size() - 2], cols = in[0]->dims().back();
    const std::int64_t to_rows = l[1], to_cols = r[2], part = r[1];
    const std::int64_t share = to_cols / node.get(attr::groups);
    const std::int64_t batches = out.size() / std::max<std::int64_t>(to_rows * to_cols, 1);
    std::vector<Number> sums(static_cast<std::size_t>(out.size()), Number{0});
    for (std::int64_t b = 0; b < batches; ++b)
        for (std::int64_t j = 0; j < l[0]; ++j)
            for (std::int64_t q = 0; q < to_rows; ++q) {
                const std::int64_t p = gathered_row(node, *in[1], j * to_rows + q, rows);
                if (p < 0) continue;
                for (std::int64_t c = 0; c < cols; ++c) {
                    const auto value = number_at<Number>(*in[0], (b * rows + p) * cols + c);
                    const std::int64_t first = c / part * share;
                    for (std::int64_t d = first; d < first + share; ++d)
                        sums[static_cast<std::size_t>((b * to_rows + q) * to_cols + d)] +=
                            value * number_at<Number>(*in[2], (j * part + c % part) * to_cols + d);
                }
            }
    for (std::int64_t i = 0; i < out.size(); ++i) put(out, i, sums[static_cast<std::size_t>(i)]);
    return out;
}
Literal eval_gather_sum(const Node& node, std::span<const Literal* const> in) {
    return sums_integers(node, in) ? gathered_sum<Modular>(node, in) : gathered_sum<double>(node, in);
}

std::int64_t work_gather_sum(const Node& node, std::span<const Literal* const> in) {
    return count({count(node.type.dims), in[1]->dims()[0], in[0]->dims().back()});
}

Type infer_gather_rows(const Node& node, std::span<const Type> in) {
    check_gather(node, in);
    Type out = in[0];
    const Dims& l = in[1].dims;
    out.dims[out.dims.size() - 2] = l[1];
    out.dims.insert(out.dims.end() - 2, l[0]);
    return out;
}

Literal eval_gather_rows(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const std::int64_t rows = in[0]->dims()[in[0]->dims().size() - 2], cols = in[0]->dims().back();
    const std::int64_t map = in[1]->size();
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::int64_t row = gathered_row(node, *in[1], i / cols % map, rows);
        if (row >= 0) out.copy(i, *in[0], (i / (map * cols) * rows + row) * cols + i % cols);
    }
    return out;
}

Type infer_scatter_rows(const Node& node, std::span<const Type> in) {
    const Dims &x = in[0].dims, &map = in[1].dims;
    const std::int64_t rows = node.get(attr::rows);
    if (x.size() < 3 || map.size() != 2 || is_float(in[1].dtype) || x[x.size() - 3] != map[0] ||
        x[x.size() - 2] != map[1] || rows < 1)
        fail_input(node.loc, "'{}' needs [.., j, q, c], integers [j, q] and rows above 0; it has {}, {} and {} rows",
                   node.name, to_string(in[0]), to_string(in[1]), rows);
    Type out = in[0];
    out.dims.erase(out.dims.end() - 3);
    out.dims[out.dims.size() - 2] = rows;
    return out;
}

Literal eval_scatter_rows(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const std::int64_t rows = node.type.dims[node.type.dims.size() - 2], cols = node.type.dims.back();
    const std::int64_t map = in[1]->size();
    for (std::int64_t i = 0; i < in[0]->size(); ++i) {
        const std::int64_t row = gathered_row(node, *in[1], i / cols % map, rows);
        if (row < 0) continue;
        const std::int64_t to = (i / (map * cols) * rows + row) * cols + i % cols;
        out.set(to, out.at(to) + in[0]->at(i));
    }
    return out;
}

Type infer_reshape(const Node& node, std::span<const Type> in) {
    Type out = in[0];
    out.dims = node.get(attr::dims);
    if (count(out.dims) != count(in[0].dims))
        fail_input(node.loc, "'{}' reshapes {} into {}: {} elements into {}", node.name, to_string(in[0]),
                   to_string(out), count(in[0].dims), count(out.dims));
    return out;
}
Literal eval_reshape(const Node& node, std::span<const Literal* const> in) {
    Literal out = *in[0];
    out.reshape(node.type.dims);
    return out;
}

Type infer_transpose(const Node& node, std::span<const Type> in) {
    const auto perm = node.get(attr::perm);
    auto sorted = perm;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != static_cast<std::int64_t>(i) || sorted.size() != in[0].dims.size())
            fail_input(node.loc, "perm of '{}' is not an order of the {} axes", node.name, in[0].dims.size());
    if (perm.size() != in[0].dims.size()) fail_input(node.loc, "'{}' has no perm for each axis", node.name);
    Type out = in[0];
    for (std::size_t i = 0; i < perm.size(); ++i) out.dims[i] = in[0].dims[static_cast<std::size_t>(perm[i])];
    return out;
}
/// One axis of a result: its size and its strides in the source and in the result.
struct MovedAxis {
    std::int64_t size = 1, from = 0, to = 0;
};

template <class T>
void move_axes(const T* from, T* to, std::span<const MovedAxis> outer, const MovedAxis& last) {
    if (outer.empty()) {
        for (std::int64_t j = 0; j < last.size; ++j) to[j] = from[j * last.from];
        return;
    }
    for (std::int64_t i = 0; i < outer.front().size; ++i)
        move_axes(from + i * outer.front().from, to + i * outer.front().to, outer.subspan(1), last);
}

/// Copies a few elements of the last axis of the result at a time, so that cache lines of the source are reused.
template <class T>
void transpose_into(const Literal& x, const std::vector<std::int64_t>& perm, const Dims& dims, const T* from, T* to) {
    const Dims source = strides(x.dims()), target = strides(dims);
    std::vector<MovedAxis> axes;
    for (std::size_t d = 0; d < perm.size(); ++d)
        axes.push_back({dims[d], source[static_cast<std::size_t>(perm[d])], target[d]});
    MovedAxis last;
    if (!axes.empty()) {
        last = axes.back();
        axes.pop_back();
    }
    std::erase_if(axes, [](const MovedAxis& axis) { return axis.size == 1; });
    std::stable_sort(axes.begin(), axes.end(), [](const auto& a, const auto& b) { return a.from > b.from; });
    constexpr std::int64_t line = 16;  // elements
    const std::int64_t all = last.size, step = last.from == 1 ? all : line;
    for (std::int64_t j = 0; j < all; j += step) {
        last.size = std::min(step, all - j);
        move_axes(from + j * last.from, to + j, axes, last);
    }
}

Literal eval_transpose(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const Literal& x = *in[0];
    if (out.size() == 0) return out;
    const auto perm = node.get(attr::perm);
    if (is_float(out.dtype()))
        transpose_into(x, perm, out.dims(), x.floats().data(), out.floats().data());
    else
        transpose_into(x, perm, out.dims(), x.integer_elements().data(), out.integer_elements().data());
    return out;
}

Type infer_reduce_max(const Node& node, std::span<const Type> in) {
    Type out = in[0];
    out.dims[axis_of(node, in[0])] = 1;
    return out;
}
Literal eval_reduce_max(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const std::int64_t n = in[0]->dims()[axis], step = strides(in[0]->dims())[axis];
    if (!is_float(out.dtype())) {
        for (std::int64_t i = 0; i < out.size(); ++i) {
            std::int64_t most = least_of(out.dtype());
            for (std::int64_t k = 0; k < n; ++k)
                most = integers::larger(most, in[0]->integer(i / step * step * n + i % step + k * step), out.dtype());
            out.set_integer(i, most);
        }
        return out;
    }
    for (std::int64_t i = 0; i < out.size(); ++i) {
        double most = -std::numeric_limits<double>::infinity();
        for (std::int64_t k = 0; k < n; ++k)
            most = std::max(most, in[0]->at(i / step * step * n + i % step + k * step));
        out.set(i, most);
    }
    return out;
}

Type infer_hslice(const Node& node, std::span<const Type> in) {
    Type out = in[0];
    const std::int64_t n = node.get(attr::n);
    if (out.dims.size() < 2 || n < 1 || out.dims.back() % n != 0)
        fail_input(node.loc, "'{}' cuts {} into {} slices", node.name, to_string(in[0]), n);
    out.dims.back() /= n;
    out.dims.insert(out.dims.end() - 2, n);
    return out;
}
Type infer_hstack(const Node& node, std::span<const Type> in) {
    Type out = in[0];
    const std::int64_t n = node.get(attr::n);
    if (out.dims.size() < 3 || out.dims[out.dims.size() - 3] != n)
        fail_input(node.loc, "'{}' stacks {} slices of {}", node.name, n, to_string(in[0]));
    out.dims.erase(out.dims.end() - 3);
    out.dims.back() = count({out.dims.back(), n});
    return out;
}
/// hslice and hstack swap the middle two axes of [.., a, b, c].
Literal swapped(const Node& node, const Literal& in, std::int64_t a, std::int64_t b, std::int64_t c) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::int64_t z = i / (a * b * c), rest = i % (a * b * c);
        out.copy(i, in, (z * a * b + rest / c % a * b + rest / (a * c)) * c + rest % c);
    }
    return out;
}
Literal eval_hslice(const Node& node, std::span<const Literal* const> in) {
    const Dims& d = node.type.dims;
    return swapped(node, *in[0], d[d.size() - 2], d[d.size() - 3], d.back());
}
Literal eval_hstack(const Node& node, std::span<const Literal* const> in) {
    const Dims& d = in[0]->dims();
    return swapped(node, *in[0], d[d.size() - 3], d[d.size() - 2], d.back());
}

constexpr std::array tensor_table{
    OpFunctions{op::matmul, infer_matmul, eval_matmul, work_matmul},
    OpFunctions{op::map_axis, infer_map_axis, eval_map_axis, work_map_axis},
    OpFunctions{op::gather_sum, infer_gather_sum, eval_gather_sum, work_gather_sum},
    OpFunctions{op::gather_rows, infer_gather_rows, eval_gather_rows},
    OpFunctions{op::scatter_rows, infer_scatter_rows, eval_scatter_rows},
    OpFunctions{op::result, nullptr},
    OpFunctions{op::hslice, infer_hslice, eval_hslice},
    OpFunctions{op::hstack, infer_hstack, eval_hstack},
    OpFunctions{op::reshape, infer_reshape, eval_reshape},
    OpFunctions{op::transpose, infer_transpose, eval_transpose},
    OpFunctions{op::reduce_max, infer_reduce_max, eval_reduce_max},
};

}  // namespace

std::span<const OpFunctions> tensor_ops() { return tensor_table; }

}  // namespace ttsim::impl::ir
