// ONNX ops that pick by number, and sums along an axis. A number known only at run time picks by a one-hot matrix.
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

namespace {

/// x with the axis first or last, and back.
ValueId axis_moved(Import& n, ValueId x, std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> perm(n.b.dims(x).size());
    std::iota(perm.begin(), perm.end(), 0);
    perm.erase(perm.begin() + from);
    perm.insert(perm.begin() + to, from);
    return n.b.transpose(x, perm);
}

/// [.., size]: 1 where the number of that place stands; negative numbers count from the end. `ids` has the type f32.
ValueId one_hot(Import& n, ValueId ids, std::int64_t size, bool wrap) {
    Dims dims = n.b.dims(ids);
    if (wrap) {
        const ValueId below = n.b.cast(n.two("less", ids, n.b.scalar(0)), DType::F32);
        ids = n.two("add", ids, n.scaled(below, static_cast<double>(size)));
    }
    dims.push_back(1);
    Literal numbers(DType::F32, {size});
    for (std::int64_t k = 0; k < size; ++k) numbers.set(k, static_cast<double>(k));
    return n.b.cast(n.two("equal", n.b.reshape(ids, dims), n.b.constant(std::move(numbers))), DType::F32);
}

std::vector<std::int64_t> places(Import& n, const Literal& ids, std::int64_t size) {
    std::vector<std::int64_t> rows;
    if (is_float(ids.dtype())) n.wrong("indices of the type {}; integers are wanted", to_string(ids.dtype()));
    for (const std::int64_t id : ids.whole()) {
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
    // what is known is computed now; integers, which may be indices themselves, are more than the device holds
    const bool as_it_is = n.b.literal(n.x(0)) || !is_float(n.b.type(n.x(0)).dtype);
    if (!known || as_it_is) return n.give(n.b.add("gather_elements", {n.x(0), n.x(1)}, {{"axis", axis}}));
    places(n, *known, n.dims()[static_cast<std::size_t>(axis)]);
    const ValueId x = axis_moved(n, n.x(0), axis, last);
    const ValueId ids = axis_moved(n, n.b.cast(n.x(1), DType::F32), axis, last);
    Dims lead = n.b.dims(x), wanted = n.b.dims(ids);
    const std::int64_t size = lead.back(), picks = wanted.back();
    lead.pop_back();
    wanted.pop_back();
    if (lead != wanted) return n.give(n.b.add("gather_elements", {n.x(0), n.x(1)}, {{"axis", axis}}));
    const ValueId hot = one_hot(n, ids, size, true);
    lead.push_back(1);
    lead.push_back(size);
    const ValueId all = n.b.broadcast_to(n.b.reshape(x, lead), n.b.dims(hot));
    const ValueId sum = n.b.reduce_sum(n.two("multiply", hot, all), n.rank());
    wanted.push_back(picks);
    n.give(axis_moved(n, n.b.reshape(sum, wanted), last, axis));
}

/// x as [lead, rest] where each index of the last axis of operand 1 is a row.
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

/// The rows that constant indices name, those of each batch after the ones before.
std::vector<std::int64_t> numbered(Import& n, const Literal& ids, const Rows& r, std::int64_t batch) {
    const Dims d = n.dims();
    std::int64_t batches = 1;
    for (std::int64_t a = 0; a < batch; ++a) batches *= d[static_cast<std::size_t>(a)];
    if (is_float(ids.dtype())) n.wrong("indices of the type {}; integers are wanted", to_string(ids.dtype()));
    std::vector<std::int64_t> rows;
    const auto& values = ids.whole();
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

/// The same for indices known at run time: integers [m].
ValueId computed_rows(Import& n, const Rows& r, std::int64_t batch) {
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
        ValueId v = n.b.reshape(n.b.map_axis(flat, 1, picking({a}, r.depth)), {m});
        const ValueId below = n.b.cast(n.two("less", v, n.number(0, v)), type);
        v = n.two("add", v, n.scaled(below, dim));
        row = n.two("add", n.scaled(row, dim), v);
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
        return n.give(n.b.reshape(n.pick(x, 0, numbered(n, *known, r, batch)), out));
    n.give(n.b.reshape(n.b.add("take", {x, computed_rows(n, r, batch)}, {{"axis", std::int64_t{0}}}), out));
}

/// Rows of x [lead, rest] replaced by those of updates [m, rest]; from[row] names the update, -1 keeps the row.
ValueId replaced(Import& n, ValueId x, ValueId updates, const std::vector<std::int64_t>& from) {
    const DType type = n.b.type(x).dtype;
    Literal keep(type, {n.b.dims(x)[0], 1});
    for (std::int64_t k = 0; k < keep.size(); ++k) keep.set(k, from[static_cast<std::size_t>(k)] < 0 ? 1 : 0);
    const ValueId placed = n.pick(updates, 0, from);
    return n.two("add", n.two("multiply", x, n.b.constant(std::move(keep))), placed);
}

/// `updates`: the dimensions that operand 2 must have.
void scatter(Import& n, const Rows& r, const std::vector<std::int64_t>& rows, const Dims& updates) {
    n.check_positions(r.lead);
    std::vector<std::int64_t> from(static_cast<std::size_t>(r.lead), -1);
    for (std::size_t k = 0; k < rows.size(); ++k)
        from[static_cast<std::size_t>(rows[k])] = static_cast<std::int64_t>(k);
    const ValueId x = n.b.reshape(n.x(0), {r.lead, r.rest});
    const auto m = static_cast<std::int64_t>(rows.size());
    if (n.dims(2) != updates)
        n.wrong("updates [{}] for places [{}]", fmt::join(n.dims(2), ", "), fmt::join(updates, ", "));
    if (m == 0) return n.give(n.x(0));
    n.give(n.b.reshape(replaced(n, x, n.b.reshape(n.x(2), {m, r.rest}), from), n.dims()));
}

/// Whether places and what is done there are known now; else the host does it.
bool replaces_known(Import& n) { return n.s("reduction", "none") == "none" && n.b.literal(n.x(1)); }

void scatter_nd(Import& n) {
    if (!replaces_known(n))
        return n.give(n.b.add("scatter_nd", {n.x(0), n.x(1), n.x(2)}, {{"reduction", n.s("reduction", "none")}}));
    const Rows r = rows_of(n, 0);
    const Dims d = n.dims(), ids = n.dims(1);
    Dims updates(ids.begin(), ids.end() - 1);
    updates.insert(updates.end(), d.begin() + r.depth, d.end());
    scatter(n, r, numbered(n, n.literal(1), r, 0), updates);
}

/// Every index names one element: rows of one column.
void scatter_elements(Import& n) {
    const Dims d = n.dims(), steps = strides(d);
    const std::int64_t axis = n.axis(n.i("axis", 0), n.rank());
    if (!replaces_known(n))
        return n.give(n.b.add("scatter_elements", {n.x(0), n.x(1), n.x(2)},
                              {{"axis", axis}, {"reduction", n.s("reduction", "none")}}));
    const Literal& ids = n.literal(1);
    if (ids.dims().size() != d.size()) n.wrong("indices of rank {} for rank {}", ids.dims().size(), d.size());
    const std::int64_t size = d[static_cast<std::size_t>(axis)];
    const auto along = places(n, ids, size);
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
    ValueId x = n.given("axis") ? n.x(0) : n.b.reshape(n.x(0), {count(n.dims())});
    const std::int64_t axis = n.given("axis") ? n.axis(n.i("axis", 0), n.rank()) : 0;
    const std::int64_t size = n.b.dims(x)[static_cast<std::size_t>(axis)];
    if (condition.dims().size() != 1 || condition.size() > size)
        n.wrong("a condition [{}] for an axis of {}", fmt::join(condition.dims(), ", "), size);
    std::vector<std::int64_t> rows;
    for (std::int64_t k = 0; k < condition.size(); ++k)
        if (condition.at(k) != 0) rows.push_back(k);
    n.give(n.pick(x, axis, rows));
}

void one_hot_op(Import& n) {
    const std::int64_t depth = to_whole(n.only(1));
    n.check_positions(depth);
    if (count(n.dims(2)) != 2 || n.rank(2) != 1) n.wrong("operand 2 must hold two values, for off and on");
    if (depth < 1) n.wrong("depth is {}", depth);
    const DType type = n.b.type(n.x(2)).dtype;
    const auto value = [&](std::int64_t k) {
        return n.b.reshape(n.b.map_axis(n.b.cast(n.x(2), DType::F32), 0, picking({k}, 2)), {});
    };
    const ValueId hot = one_hot(n, n.b.cast(n.x(0), DType::F32), depth, true);
    const std::int64_t last = n.rank();
    const std::int64_t axis = n.axis(n.i("axis", -1), last + 1);
    if (n.is_integer(2)) {  // maybe more than a float holds
        const auto whole = [&](std::int64_t k) { return n.b.reshape(n.pick(n.x(2), 0, {k}), {}); };
        const ValueId chosen = n.b.add("where", {n.b.cast(hot, DType::Bool), whole(1), whole(0)});
        return n.give(axis_moved(n, chosen, last, axis));
    }
    const ValueId y = n.two("add", n.two("multiply", hot, n.two("subtract", value(1), value(0))), value(0));
    n.give(n.b.cast(axis_moved(n, y, last, axis), type));
}

/// Each step multiplies by what lies twice as far away.
void cumulative_product(Import& n) {
    const std::int64_t axis = n.axis(n.whole(1), n.rank()), size = n.dims()[static_cast<std::size_t>(axis)];
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
        return n.two("add", n.pick(x, axis, rows), n.b.constant(std::move(ones)));
    };
    ValueId x = n.i("exclusive", 0) != 0 ? shifted(n.x(0), 1) : n.x(0);
    for (std::int64_t by = 1; by < size; by *= 2) x = n.two("multiply", x, shifted(x, by));
    n.give(x);
}

void cumulative_sum(Import& n) {
    const std::int64_t axis = n.axis(n.whole(1), n.rank());
    n.give(n.one("cumulative_sum", n.x(0),
                 {{"axis", axis}, {"exclusive", n.i("exclusive", 0)}, {"reverse", n.i("reverse", 0)}}));
}

}  // namespace

void gather_along(Import& n, std::int64_t axis) {
    const Dims d = n.dims(), ids = n.dims(1);
    const std::int64_t size = d[static_cast<std::size_t>(axis)];
    Dims out(d.begin(), d.begin() + axis);
    out.insert(out.end(), ids.begin(), ids.end());
    out.insert(out.end(), d.begin() + axis + 1, d.end());
    if (const Literal* known = n.b.literal(n.x(1)))
        return n.give(n.b.reshape(n.pick(n.x(0), axis, places(n, *known, size)), out));
    if (!n.is_integer(1)) n.wrong("indices of the type {}; integers are wanted", to_string(n.b.type(n.x(1)).dtype));
    n.give(n.b.add("take", {n.x(0), n.x(1)}, {{"axis", axis}}));
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
