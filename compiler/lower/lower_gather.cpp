// Lowers gathers of rows to sparse products: a list of 32x32 tiles of zeros and ones with their positions.
#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/lower/lowering.hpp"
#include "compiler/lower/streaming.hpp"

namespace ttsim::impl::ir {

std::int64_t SparseRows::widest() const {
    std::size_t most = 1;
    for (const auto& row : rows) most = std::max(most, row.size());
    return static_cast<std::int64_t>(most);
}

SparseIndex Lowering::indexed(const SparseRows& rows) const {
    const auto count = static_cast<std::int64_t>(rows.rows.size()), width = rows.widest();
    check_size(count * width);
    GatherMap columns;
    Literal weights(DType::F32, {count, width});
    double max_weight = 0;
    for (std::int64_t r = 0; r < count; ++r) {
        double sum = 0;
        std::int64_t at = r * width;
        for (const auto& [column, weight] : rows.rows[static_cast<std::size_t>(r)]) {
            columns.append(at, column);
            weights.set(at++, weight);
            sum += std::fabs(weight);
        }
        max_weight = std::max(max_weight, sum);
    }
    SparseIndex index{Literal::of_gather_map({count, width}, std::move(columns)), std::nullopt, max_weight};
    if (!rows.ones) index.weights = std::move(weights);
    return index;
}

/// Sparse product with `tall`, which has one slice. The rows of the result are divided into `t` slices.
Matrix Lowering::sparse(const Matrix& tall, SparseIndex index, std::int64_t t) {
    const std::int64_t count = index.columns.dims()[0];
    std::vector<Edge> in{tall.edge, {build_.constant(std::move(index.columns)), {}}};
    if (index.weights) in.push_back({build_.constant(std::move(*index.weights)), {}});
    Attrs attrs;
    if (t > 1) set(attrs, attr::t, t);
    return emit(op::buda::sparse, std::move(in), std::move(attrs), tall_form(t, count / t, tall.form), {},
                tall.col_pad.scaled(index.max_weight));
}

std::int64_t Lowering::streaming(std::int64_t rt, std::int64_t ct, std::int64_t terms) const {
    return options_.t_streaming ? slices_to_stream(rt, ct, terms, options_.default_df, options_.slice_bytes) : 1;
}

/// sparse() with a result of one slice, streamed if it is large.
Matrix Lowering::single_slice_sparse(const Matrix& tall, SparseIndex index) {
    const std::int64_t rows = index.columns.dims()[0], t = streaming(rows / tile_edge, tall.form.ct(), 1);
    Matrix x = sparse(tall, std::move(index), t);
    if (t > 1) x.edge.tms.push_back(make_tm(Tm::Kind::VStack, t));
    x.form = tall_form(1, rows, tall.form);
    return x;
}

/// Gathers rows [term, row] of each slice, padded to `full` rows. Each slice's rows are cut into `blocks` result
/// slices, each with all terms in order.
Matrix Lowering::gather_rows(const Matrix& x, const Literal& gather_map, std::int64_t full, std::int64_t blocks) {
    const std::int64_t terms = gather_map.dims()[0], count = gather_map.dims()[1];
    const std::int64_t part = full / blocks;
    check_size(x.form.z * terms * full);
    GatherMap all;
    for (std::int64_t z = 0; z < x.form.z; ++z)
        for (std::int64_t first = 0; first < count; first += part)
            for (std::int64_t term = 0; term < terms; ++term) {
                const std::int64_t from = term * count + first, size = std::min(part, count - first);
                const std::int64_t to = ((z * blocks + first / part) * terms + term) * part;
                const std::int64_t rows = z * x.form.full_rows();
                if (const GatherMap* runs = gather_map.gather_map())
                    runs->each_run(from, from + size,
                                   [&](const GatherMap::Run& run) { all.append(run, to - from, rows); });
                else
                    gather_map.for_each_gathered(from, from + size, [&](std::int64_t i, std::int64_t row) {
                        all.append(to + i - from, rows + row);
                    });
            }
    SparseIndex index{Literal::of_gather_map({x.form.z * terms * full, 1}, std::move(all)), std::nullopt};
    return sparse(stacked(x), std::move(index), blocks > 1 ? x.form.z * blocks : 1);
}

/// Places the terms of each slice of gather_rows side by side. `to` has the slices, their rows, and all columns.
Matrix Lowering::hstack_terms(Matrix picked, std::int64_t terms, Form to) {
    const std::int64_t cut = to.z * terms / picked.form.z;
    if (cut > 1) picked.edge.tms.push_back(make_tm(Tm::Kind::VSlice, cut));
    if (terms > 1) picked.edge.tms.push_back(make_tm(Tm::Kind::HStack, terms));
    picked.form = to;
    picked.row_pad = picked.col_pad = {};
    return picked;
}

/// The maximum over the terms of a gather_rows.
Matrix Lowering::pool_max(const Node& n, Form to) {
    const Matrix x = operand(n.inputs[0].value);
    const Literal& gather_map = *model_.nodes[n.inputs[1].value].literal;
    const std::int64_t terms = gather_map.dims()[0], blocks = streaming(to.rt(), to.ct(), terms);
    Matrix picked = gather_rows(x, gather_map, to.full_rows(), blocks);
    const std::int64_t cut = to.z * blocks * terms / picked.form.z;
    if (cut > 1) picked.edge.tms.push_back(make_tm(Tm::Kind::VSlice, cut));
    const Form part = tall_form(to.z * blocks, to.full_rows() / blocks, to);
    Matrix most = picked;
    if (terms > 1) most = emit(op::buda::reduce, {picked.edge}, {attr::dim("z"), attr::z(terms)}, part, {}, x.col_pad);
    if (blocks > 1) most.edge.tms.push_back(make_tm(Tm::Kind::VStack, blocks));
    most.form = to;
    return most;
}

static bool is_identity(const Literal& gather_map, std::int64_t rows) {
    if (gather_map.dims()[0] != 1 || gather_map.dims()[1] != rows) return false;
    std::int64_t own = 0;
    gather_map.for_each_gathered(0, rows, [&](std::int64_t i, std::int64_t row) { own += i == row; });
    return own == rows;
}

Matrix Lowering::depthwise(const Matrix& wide, Form to, std::int64_t terms, const TermWeights& weights) {
    const std::int64_t full = to.full_cols();
    // A channel contributes only to its own tile of columns, so one row holds the weights of all tiles.
    const auto diagonal = [&] {
        Literal values(DType::F32, {1, terms * tile_edge, full});
        for (std::int64_t j = 0; j < terms; ++j)
            for (std::int64_t c = 0; c < weights.in; ++c)
                weights.row(j, c, values.floats().data() + (j * tile_edge + c % tile_edge) * full);
        return values;
    };
    LayoutKey key = weights.key;
    key.layout += fmt::format(" on the diagonal of {}", full);
    Edge right{build_.device_constant(
                   build_.cached(key.layout, std::span(&key.constant, 1), diagonal, terms * tile_edge * full),
                   options_.default_df),
               {}};
    if (weights.constant)
        derived_from(right.value, *weights.constant,
                     {{1, terms * tile_edge, full},
                      [cols = to.cols, in = weights.in, index = weights.index](auto, std::int64_t r, std::int64_t d) {
                          const std::int64_t c = d / tile_edge * tile_edge + r % tile_edge;
                          return d < cols && c < in ? index(r / tile_edge, c, d) : -1;
                      }});
    if (to.z > 1) right.tms.push_back(make_tm(Tm::Kind::BroadcastZ, to.z));
    return emit(op::buda::depthwise, {wide.edge, right}, {}, to,
                wide.row_pad.is_zero() ? PadRange{} : PadRange::unbounded(), {});
}

/// The matrices R[j] stacked vertically, each with `full` rows.
ValueId Lowering::term_matrix(const Form& form, std::int64_t full, const TermWeights& weights) {
    if (!weights.row)
        return matrix(form, [&](auto, std::int64_t r, std::int64_t c) {
            return r % full < weights.in ? weights.at(r / full, r % full, c) : 0.0;
        });
    const FillRow fill = [&](auto, std::int64_t r, float* row) {
        if (r % full < weights.in) weights.row(r / full, r % full, row);
    };
    LayoutKey key = weights.key;
    if (!key.layout.empty()) key.layout += fmt::format(" of {} each, {} of them used", full, weights.in);
    return matrix_of_rows(form, fill, key);
}

/// The sum over j of (rows picks[j] of x) * R[j], slice by slice.
Matrix Lowering::gather_product(const Matrix& x_in, Form to, const Literal& gather_map, const TermWeights& weights) {
    const Matrix x = bound_padding(x_in, true);
    const bool all = is_identity(gather_map, x.form.rows);
    const std::int64_t full = x.form.full_cols(), terms = weights.terms;
    const std::int64_t blocks = all ? 1 : streaming(to.rt(), x.form.ct(), terms);
    const Form part = blocks == 1 ? to : tall_form(to.z * blocks, to.full_rows() / blocks, to);
    const Form beside{part.z, part.rows, terms * full, part.more_rt, 0};
    const Matrix wide = all ? x : hstack_terms(gather_rows(x, gather_map, to.full_rows(), blocks), terms, beside);
    Matrix y;
    if (weights.tile_diagonal && full == to.full_cols() && terms > 1) {
        y = depthwise(wide, part, terms, weights);
    } else {
        Edge right{term_matrix({1, terms * full, to.cols, 0, to.more_ct}, full, weights), {}};
        if (weights.constant)
            derived_from(
                right.value, *weights.constant,
                {{1, terms * full, to.full_cols()},
                 [full, cols = to.cols, in = weights.in, index = weights.index](auto, std::int64_t r, std::int64_t c) {
                     return r % full < in && c < cols ? index(r / full, r % full, c) : -1;
                 }});
        if (part.z > 1) right.tms.push_back(make_tm(Tm::Kind::BroadcastZ, part.z));
        const PadRange rows = wide.row_pad.is_zero() ? PadRange{} : PadRange::unbounded();
        y = emit(op::buda::matmul, {wide.edge, right}, {}, part, rows, {});
    }
    if (blocks > 1) y.edge.tms.push_back(make_tm(Tm::Kind::VStack, blocks));
    y.form = to;
    return y;
}

static const Literal& constant_of(const Graph& model, const Node& n, std::size_t operand) {
    const Literal* literal = model.nodes[n.inputs[operand].value].literal.get();
    if (!literal) fail_unsupported(n.loc, "'{}': operand {} of {} must be a constant", n.name, operand, n.op);
    return *literal;
}

Matrix Lowering::gather_sum(const Node& n) {
    const Literal &gather_map = constant_of(model_, n, 1), &r = constant_of(model_, n, 2);
    const std::int64_t groups = n.get(attr::groups), part = r.dims()[1], outs = r.dims()[2];
    TermWeights weights{.terms = r.dims()[0], .in = part * groups, .out = outs, .at = {}};
    weights.index = [=](std::int64_t j, std::int64_t c, std::int64_t d) {
        return c / part == d * groups / outs ? (j * part + c % part) * outs + d : -1;
    };
    weights.at = [&](std::int64_t j, std::int64_t c, std::int64_t d) {
        const std::int64_t at = weights.index(j, c, d);
        return at < 0 ? 0.0 : r.at(at);
    };
    weights.row = [&r, part, outs, groups](std::int64_t j, std::int64_t c, float* row) {
        const std::int64_t group = c / part, from = (j * part + c % part) * outs;  // the range of d in the group of c
        const auto first_of = [&](std::int64_t g) { return (g * outs + groups - 1) / groups; };
        for (std::int64_t d = first_of(group); d < first_of(group + 1); ++d)
            row[d] = static_cast<float>(r.at(from + d));
    };
    weights.key = {&r, fmt::format("terms for {} columns in {} groups", outs, groups)};
    const Node& constant = model_.nodes[n.inputs[2].value];
    if (constant.derivation) weights.constant = &constant;
    weights.tile_diagonal = groups > 1 && weights.in == outs && tile_edge % part == 0;
    return gather_product(operand(n.inputs[0].value), form_of(n.type.dims), gather_map, weights);
}

Matrix Lowering::lower_gather_rows(const Node& n) {
    const Matrix x = operand(n.inputs[0].value);
    const Form to = form_of(n.type.dims);
    return sliced(gather_rows(x, constant_of(model_, n, 1), to.full_rows(), 1), to);
}

/// The transpose of gather_rows: a sparse product whose rows list the positions of the map that hold them.
Matrix Lowering::scatter_rows(const Node& n) {
    const Matrix x = operand(n.inputs[0].value);
    const Literal& map = constant_of(model_, n, 1);
    const Form to = form_of(n.type.dims);
    const std::int64_t taps = map.dims()[0], count = map.dims()[1];
    SparseRows all;
    all.rows.resize(static_cast<std::size_t>(to.z * to.full_rows()));
    for (std::int64_t z = 0; z < to.z; ++z)
        map.for_each_gathered(0, taps * count, [&](std::int64_t i, std::int64_t row) {
            const std::int64_t slice = z * taps + i / count;
            all.rows[static_cast<std::size_t>(z * to.full_rows() + row)].emplace_back(
                slice * x.form.full_rows() + i % count, 1.0);
        });
    check_size(to.z * to.full_rows() * all.widest());
    return sliced(single_slice_sparse(stacked(bound_padding(x, false)), indexed(all)), to);
}

/// Calls use(i, value) for the nonzero elements.
template <class Use>
static void each_weight(const Literal& m, const Use& use) {
    if (is_float(m.dtype())) {
        const std::vector<float>& all = m.floats();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i] != 0) use(static_cast<std::int64_t>(i), static_cast<double>(all[i]));
        return;
    }
    for (std::int64_t i = 0; i < m.size(); ++i)
        if (const double value = m.at(i); value != 0) use(i, value);
}

/// map_axis along rows or slices as a sparse product, for matrices with few nonzero elements. `step` rows belong to
/// each of the `outs` positions of the axis. `leading`: the axis is one of slices.
std::optional<Matrix> Lowering::sparse_map(const Matrix& x, Form to, std::int64_t step, std::int64_t outs,
                                           const Literal& m, bool leading) {
    const std::int64_t ins = m.dims()[1];
    const std::int64_t dense = leading ? to.z * to.rt() * x.form.z * x.form.rt() : to.rt() * x.form.rt() * to.z;
    constexpr std::int64_t cheap = 16;   // tiles of a dense product
    constexpr std::size_t widest = 256;  // elements of a row
    if (dense <= cheap) return std::nullopt;
    SparseRows all;
    all.rows.resize(static_cast<std::size_t>(to.z * to.full_rows()));
    std::vector<std::vector<std::pair<std::int64_t, double>>> weights(static_cast<std::size_t>(outs));  // nonzero ones
    each_weight(m, [&](std::int64_t i, double weight) {
        weights[static_cast<std::size_t>(i / ins)].emplace_back(i % ins, weight);
    });
    std::int64_t tiles = 0;
    std::set<std::int64_t> beside;  // tile columns used in the current tile row
    for (std::int64_t i = 0; i < to.z * to.rows; ++i) {
        const std::int64_t at = i / to.rows * to.full_rows() + i % to.rows, o = i / step % outs;
        const auto& row_weights = weights[static_cast<std::size_t>(o)];
        if (row_weights.size() > widest) return std::nullopt;
        if (at % tile_edge == 0) beside.clear();
        for (const auto& [k, weight] : row_weights) {
            const std::int64_t from = i / (step * outs) * step * ins + k * step + i % step;
            const std::int64_t row = from / x.form.rows * x.form.full_rows() + from % x.form.rows;
            all.rows[static_cast<std::size_t>(at)].emplace_back(row, weight);
            all.ones = all.ones && weight == 1;
            tiles += beside.insert(row / tile_edge).second ? 1 : 0;
        }
    }
    if (2 * tiles > dense) return std::nullopt;
    return sliced(single_slice_sparse(stacked(x), indexed(all)), to);
}

}  // namespace ttsim::impl::ir
