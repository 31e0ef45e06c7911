// ONNX's gather and scatter ops, and cumulative sums and products. Gathers by runtime indices use one-hot matrices.
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

namespace {

/// Moves axis `from` to position `to`.
ValueId axis_moved(Import& n, ValueId x, std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> perm(n.b.dims(x).size());
    std::iota(perm.begin(), perm.end(), 0);
    perm.erase(perm.begin() + from);
    perm.insert(perm.begin() + to, from);
    return n.b.transpose(x, perm);
}

/// One-hot encoding [.., size] of `ids`, which have the type f32. `wrap`: negative indices count from the end.
ValueId one_hot(Import& n, ValueId ids, std::int64_t size, bool wrap) {
    Dims dims = n.b.dims(ids);
    if (wrap) {
        const ValueId below = n.b.cast(n.binary(op::less, ids, n.b.scalar(0)), DType::F32);
        ids = n.binary(op::add, ids, n.scaled(below, static_cast<double>(size)));
    }
    dims.push_back(1);
    Literal numbers(DType::F32, {size});
    for (std::int64_t k = 0; k < size; ++k) numbers.set(k, static_cast<double>(k));
    return n.b.cast(n.binary(op::equal, n.b.reshape(ids, dims), n.b.constant(std::move(numbers))), DType::F32);
}

/// Constant indices of an axis, checked and made non-negative.
std::vector<std::int64_t> checked_indices(Import& n, const Literal& ids, std::int64_t size) {
    std::vector<std::int64_t> rows;
    if (is_float(ids.dtype())) n.wrong("indices of type {}; they must be integers", to_string(ids.dtype()));
    for (const std::int64_t id : ids.integer_elements()) {
        if (id < -size || id >= size) n.wrong("index {} of an axis of {}", id, size);
        rows.push_back(id < 0 ? id + size : id);
    }
    return rows;
}

void gather(Import& n) { gather_along(n, n.axis(n.i("axis", 0), n.rank())); }

/// out[i][j] = x[ids[i][j]][j] (axis 0): sum over k of one_hot[i][j][k] * x[k][j].
void gather_elements(Import& n) {
    const std::int64_t axis = n.axis(n.i("axis", 0), n.rank()), last = n.rank() - 1;
    if (n.rank(1) != n.rank()) n.wrong("indices of rank {} for rank {}", n.rank(1), n.rank());
    const Literal* known = n.b.literal(n.x(1));
    // Constants are folded. Integers may be indices themselves, which the device's formats may not hold.
    const bool on_host = n.b.literal(n.x(0)) || !is_float(n.b.type(n.x(0)).dtype);
    if (!known || on_host) return n.add_output(n.b.add(op::gather_elements, {n.x(0), n.x(1)}, {attr::axis(axis)}));
    checked_indices(n, *known, n.dims()[static_cast<std::size_t>(axis)]);
    const ValueId x = axis_moved(n, n.x(0), axis, last);
    const ValueId ids = axis_moved(n, n.b.cast(n.x(1), DType::F32), axis, last);
    Dims lead = n.b.dims(x), wanted = n.b.dims(ids);
    const std::int64_t size = lead.back(), index_count = wanted.back();
    lead.pop_back();
    wanted.pop_back();
    if (lead != wanted) return n.add_output(n.b.add(op::gather_elements, {n.x(0), n.x(1)}, {attr::axis(axis)}));
    const ValueId hot = one_hot(n, ids, size, true);
    lead.push_back(1);
    lead.push_back(size);
    const ValueId all = n.b.broadcast_to(n.b.reshape(x, lead), n.b.dims(hot));
    const ValueId sum = n.b.reduce_sum(n.binary(op::multiply, hot, all), n.rank());
    wanted.push_back(index_count);
    n.add_output(axis_moved(n, n.b.reshape(sum, wanted), last, axis));
}

/// x reshaped to [lead, rest], so that each index tuple (last axis of operand 1, `depth` long) selects a row.
struct Rows {
    std::int64_t depth = 0, lead = 1, rest = 1;
};
Rows rows_of(Import& n, std::int64_t batch) {
    const Dims d = n.dims(), ids = n.dims(1);
    Rows r;
    r.depth = ids.empty() ? 0 : ids.back();
    if (r.depth < 1 || batch + r.depth > n.rank()) n.wrong("indices of depth {} into rank {}", r.depth, n.rank());
    for (std::int64_t a = 0; a < n.rank(); ++a)
        (a < batch + r.depth ? r.lead : r.rest) *= d[static_cast<std::size_t>(a)];
    return r;
}

/// The rows of constant index tuples. The rows of a batch follow those of earlier batches.
std::vector<std::int64_t> constant_rows(Import& n, const Literal& ids, const Rows& r, std::int64_t batch) {
    const Dims d = n.dims();
    std::int64_t batches = 1;
    for (std::int64_t a = 0; a < batch; ++a) batches *= d[static_cast<std::size_t>(a)];
    if (is_float(ids.dtype())) n.wrong("indices of type {}; they must be integers", to_string(ids.dtype()));
    std::vector<std::int64_t> rows;
    const auto& values = ids.integer_elements();
    const auto total = static_cast<std::int64_t>(values.size()) / r.depth;
    for (std::int64_t k = 0; k < total; ++k) {
        std::int64_t row = batches > 1 ? k / (total / batches) : 0;
        for (std::int64_t a = 0; a < r.depth; ++a) {
            const std::int64_t dim = d[static_cast<std::size_t>(batch + a)],
                               v = values[static_cast<std::size_t>(k * r.depth + a)];
            if (v < -dim || v >= dim) n.wrong("index {} of an axis of {}", v, dim);
            row = row * dim + (v < 0 ? v + dim : v);
        }
        rows.push_back(row);
    }
    return rows;
}

/// The same for runtime indices: integers [m].
ValueId runtime_rows(Import& n, const Rows& r, std::int64_t batch) {
    const Dims d = n.dims(), ids = n.dims(1);
    const DType type = n.b.type(n.x(1)).dtype;
    const std::int64_t m = count(ids) / r.depth;
    const ValueId flat = n.b.reshape(n.x(1), {m, r.depth});
    std::int64_t batches = 1;
    for (std::int64_t a = 0; a < batch; ++a) batches *= d[static_cast<std::size_t>(a)];
    Literal first(type, {m});
    for (std::int64_t k = 0; k < m; ++k) first.set(k, static_cast<double>(batches > 1 ? k / (m / batches) : 0));
    ValueId row = n.b.constant(std::move(first));
    for (std::int64_t a = 0; a < r.depth; ++a) {
        const auto dim = static_cast<double>(d[static_cast<std::size_t>(batch + a)]);
        ValueId v = n.b.reshape(n.b.map_axis(flat, 1, gather_matrix({a}, r.depth)), {m});
        const ValueId below = n.b.cast(n.binary(op::less, v, n.number(0, v)), type);
        v = n.binary(op::add, v, n.scaled(below, dim));
        row = n.binary(op::add, n.scaled(row, dim), v);
    }
    return row;
}

void gather_nd(Import& n) {
    const Dims d = n.dims(), ids = n.dims(1);
    const std::int64_t batch = n.i("batch_dims", 0);
    if (batch < 0 || batch >= static_cast<std::int64_t>(ids.size())) n.wrong("batch_dims is {}", batch);
    for (std::int64_t a = 0; a < std::min(batch, n.rank()); ++a)
        if (ids[static_cast<std::size_t>(a)] != d[static_cast<std::size_t>(a)])
            n.wrong("axis {} of the indices is {}, that of the data {}", a, ids[static_cast<std::size_t>(a)],
                    d[static_cast<std::size_t>(a)]);
    const Rows r = rows_of(n, batch);
    Dims out(ids.begin(), ids.end() - 1);
    out.insert(out.end(), d.begin() + batch + r.depth, d.end());
    const ValueId x = n.b.reshape(n.x(0), {r.lead, r.rest});
    if (const Literal* known = n.b.literal(n.x(1)))
        return n.add_output(n.b.reshape(n.gather(x, 0, constant_rows(n, *known, r, batch)), out));
    n.add_output(n.b.reshape(n.b.add(op::take, {x, runtime_rows(n, r, batch)}, {attr::axis(0)}), out));
}

/// Replaces rows of x [lead, rest] by rows of updates [m, rest]; from[row] is the update's row, -1 keeps the row.
ValueId replaced(Import& n, ValueId x, ValueId updates, const std::vector<std::int64_t>& from) {
    const DType type = n.b.type(x).dtype;
    Literal keep(type, {n.b.dims(x)[0], 1});
    for (std::int64_t k = 0; k < keep.size(); ++k) keep.set(k, from[static_cast<std::size_t>(k)] < 0 ? 1 : 0);
    const ValueId placed = n.gather(updates, 0, from);
    return n.binary(op::add, n.binary(op::multiply, x, n.b.constant(std::move(keep))), placed);
}

/// Writes the rows of operand 2 to `rows`. `updates`: the required dims of operand 2.
void scatter(Import& n, const Rows& r, const std::vector<std::int64_t>& rows, const Dims& updates) {
    n.check_positions(r.lead);
    std::vector<std::int64_t> from(static_cast<std::size_t>(r.lead), -1);
    for (std::size_t k = 0; k < rows.size(); ++k)
        from[static_cast<std::size_t>(rows[k])] = static_cast<std::int64_t>(k);
    const ValueId x = n.b.reshape(n.x(0), {r.lead, r.rest});
    const auto m = static_cast<std::int64_t>(rows.size());
    if (n.dims(2) != updates)
        n.wrong("updates [{}] for indices [{}]", fmt::join(n.dims(2), ", "), fmt::join(updates, ", "));
    if (m == 0) return n.add_output(n.x(0));
    n.add_output(n.b.reshape(replaced(n, x, n.b.reshape(n.x(2), {m, r.rest}), from), n.dims()));
}

/// Whether indices are constant and replace elements. The host computes other scatters.
bool is_constant_scatter(Import& n) { return n.s("reduction", "none") == "none" && n.b.literal(n.x(1)); }

void scatter_nd(Import& n) {
    if (!is_constant_scatter(n))
        return n.add_output(
            n.b.add(op::scatter_nd, {n.x(0), n.x(1), n.x(2)}, {attr::reduction(n.s("reduction", "none"))}));
    const Rows r = rows_of(n, 0);
    const Dims d = n.dims(), ids = n.dims(1);
    Dims updates(ids.begin(), ids.end() - 1);
    updates.insert(updates.end(), d.begin() + r.depth, d.end());
    scatter(n, r, constant_rows(n, n.literal(1), r, 0), updates);
}

/// Every index selects one element, so rows have one column.
void scatter_elements(Import& n) {
    const Dims d = n.dims(), steps = strides(d);
    const std::int64_t axis = n.axis(n.i("axis", 0), n.rank());
    if (!is_constant_scatter(n))
        return n.add_output(n.b.add(op::scatter_elements, {n.x(0), n.x(1), n.x(2)},
                                    {attr::axis(axis), attr::reduction(n.s("reduction", "none"))}));
    const Literal& ids = n.literal(1);
    if (ids.dims().size() != d.size()) n.wrong("indices of rank {} for rank {}", ids.dims().size(), d.size());
    const std::int64_t size = d[static_cast<std::size_t>(axis)];
    const auto along = checked_indices(n, ids, size);
    std::vector<std::int64_t> rows;
    for (std::int64_t k = 0; k < ids.size(); ++k) {
        std::int64_t row = 0, rest = k;
        for (std::size_t a = d.size(); a-- > 0;) {
            const std::int64_t at = rest % ids.dims()[a];
            rest /= ids.dims()[a];
            if (at >= d[a]) n.wrong("more indices along axis {} than elements", a);
            row += (static_cast<std::int64_t>(a) == axis ? along[static_cast<std::size_t>(k)] : at) * steps[a];
        }
        rows.push_back(row);
    }
    scatter(n, {1, count(d), 1}, rows, ids.dims());
}

void compress(Import& n) {
    const Literal& condition = n.literal(1);
    ValueId x = n.has_attribute("axis") ? n.x(0) : n.b.reshape(n.x(0), {count(n.dims())});
    const std::int64_t axis = n.has_attribute("axis") ? n.axis(n.i("axis", 0), n.rank()) : 0;
    const std::int64_t size = n.b.dims(x)[static_cast<std::size_t>(axis)];
    if (condition.dims().size() != 1 || condition.size() > size)
        n.wrong("a condition [{}] for an axis of {}", fmt::join(condition.dims(), ", "), size);
    std::vector<std::int64_t> rows;
    for (std::int64_t k = 0; k < condition.size(); ++k)
        if (condition.at(k) != 0) rows.push_back(k);
    n.add_output(n.gather(x, axis, rows));
}

void one_hot_op(Import& n) {
    const std::int64_t depth = to_integer(n.scalar(1));
    n.check_positions(depth);
    if (count(n.dims(2)) != 2 || n.rank(2) != 1) n.wrong("operand 2 must have two elements, for off and on");
    if (depth < 1) n.wrong("depth is {}", depth);
    const DType type = n.b.type(n.x(2)).dtype;
    const auto value = [&](std::int64_t k) {
        return n.b.reshape(n.b.map_axis(n.b.cast(n.x(2), DType::F32), 0, gather_matrix({k}, 2)), {});
    };
    const ValueId hot = one_hot(n, n.b.cast(n.x(0), DType::F32), depth, true);
    const std::int64_t last = n.rank();
    const std::int64_t axis = n.axis(n.i("axis", -1), last + 1);
    if (n.is_integer(2)) {  // a float may not hold the values
        const auto element = [&](std::int64_t k) { return n.b.reshape(n.gather(n.x(2), 0, {k}), {}); };
        const ValueId chosen = n.b.add(op::where, {n.b.cast(hot, DType::Bool), element(1), element(0)});
        return n.add_output(axis_moved(n, chosen, last, axis));
    }
    const ValueId y =
        n.binary(op::add, n.binary(op::multiply, hot, n.binary(op::subtract, value(1), value(0))), value(0));
    n.add_output(n.b.cast(axis_moved(n, y, last, axis), type));
}

/// Parallel prefix: each step multiplies by the product at twice the previous distance.
void cumulative_product(Import& n) {
    const std::int64_t axis = n.axis(n.integer(1), n.rank()), size = n.dims()[static_cast<std::size_t>(axis)];
    const std::int64_t back = n.i("reverse", 0) != 0 ? -1 : 1;
    const auto shifted = [&](ValueId x, std::int64_t by) {
        std::vector<std::int64_t> rows;
        Dims line(n.dims().size(), 1);
        line[static_cast<std::size_t>(axis)] = size;
        Literal ones(n.b.type(x).dtype, line);
        for (std::int64_t k = 0; k < size; ++k) {
            const std::int64_t from = k - back * by;
            const bool inside = from >= 0 && from < size;
            rows.push_back(inside ? from : -1);
            ones.set(k, inside ? 0 : 1);
        }
        return n.binary(op::add, n.gather(x, axis, rows), n.b.constant(std::move(ones)));
    };
    ValueId x = n.i("exclusive", 0) != 0 ? shifted(n.x(0), 1) : n.x(0);
    for (std::int64_t by = 1; by < size; by *= 2) x = n.binary(op::multiply, x, shifted(x, by));
    n.add_output(x);
}

void cumulative_sum(Import& n) {
    const std::int64_t axis = n.axis(n.integer(1), n.rank());
    n.add_output(n.unary(op::cumulative_sum, n.x(0),
                         {attr::axis(axis), attr::exclusive(n.i("exclusive", 0)), attr::reverse(n.i("reverse", 0))}));
}

}  // namespace

void gather_along(Import& n, std::int64_t axis) {
    const Dims d = n.dims(), ids = n.dims(1);
    const std::int64_t size = d[static_cast<std::size_t>(axis)];
    Dims out(d.begin(), d.begin() + axis);
    out.insert(out.end(), ids.begin(), ids.end());
    out.insert(out.end(), d.begin() + axis + 1, d.end());
    if (const Literal* known = n.b.literal(n.x(1)))
        return n.add_output(n.b.reshape(n.gather(n.x(0), axis, checked_indices(n, *known, size)), out));
    if (!n.is_integer(1)) n.wrong("indices of type {}; they must be integers", to_string(n.b.type(n.x(1)).dtype));
    n.add_output(n.b.add(op::take, {n.x(0), n.x(1)}, {attr::axis(axis)}));
}

const ImportRules& gather_rules() {
    static const ImportRules rules{
        {"Gather", gather},
        {"GatherElements", gather_elements},
        {"GatherND", gather_nd},
        {"ScatterND", scatter_nd},
        {"ScatterElements", scatter_elements},
        {"Scatter", scatter_elements},
        {"Compress", compress},
        {"OneHot", one_hot_op},
        {"CumSum", cumulative_sum},
        {"CumProd", cumulative_product},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
