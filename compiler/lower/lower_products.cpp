// Lowers matrix products, map_axis and maxima.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/ir/next_nonzero.hpp"
#include "compiler/lower/lowering.hpp"

namespace ttsim::impl::ir {

static double largest(const Literal& m) {
    double most = 1;
    const auto take = [&](double value) { most = std::max(most, std::fabs(value)); };
    if (is_float(m.dtype()))
        for (const float value : m.floats()) take(static_cast<double>(value));
    else
        for (std::int64_t i = 0; i < m.size(); ++i) take(m.at(i));
    return most;
}

Matrix Lowering::product(const Node& n) {
    const Form form = form_of(n.type.dims);
    std::vector<Matrix> in;
    for (std::size_t k = 0; k < 2; ++k) {
        const ValueId id = n.inputs[k].value;
        const Dims& dims = model_.type(id).dims;
        Dims to = n.type.dims;
        to[to.size() - 2] = dims[dims.size() - 2];
        to.back() = dims.back();
        const Node& from = model_.nodes[id];
        in.push_back(from.literal ? broadcast_constant(from, to) : broadcast_slices(operand(id), form.z));
    }
    // padding of the inner axis must be bounded in both operands and zero in one
    in[0] = bound_padding(in[0], true);
    in[1] = bound_padding(in[1], false);
    if (!in[0].col_pad.is_zero() && !in[1].row_pad.is_zero()) in[0] = zero_padding(in[0], true);
    return emit(op::buda::matmul, {in[0].edge, in[1].edge}, {}, form,
                in[0].row_pad.is_zero() ? PadRange{} : PadRange::unbounded(),
                in[1].col_pad.is_zero() ? PadRange{} : PadRange::unbounded());
}

/// The largest sum of the magnitudes of a row of [rows, columns].
static double largest_row_sum(const Literal& m) {
    const std::int64_t rows = m.dims()[0], columns = m.dims()[1];
    double most = 0;
    if (is_float(m.dtype()) && !m.is_filled()) {
        const float* row = m.floats().data();
        for (std::int64_t r = 0; r < rows; ++r, row += columns) {
            double sum = 0;
            const float* const end = row + columns;
            for (const float* at = next_nonzero(row, end); at != end; at = next_nonzero(at + 1, end))
                sum += std::fabs(static_cast<double>(*at));
            most = std::max(most, sum);
        }
        return most;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        double sum = 0;
        for (std::int64_t c = 0; c < columns; ++c) sum += std::fabs(m.at(r * columns + c));
        most = std::max(most, sum);
    }
    return most;
}

/// [outs, ins] as a matrix [ins, outs]. It reads in order and skips zeros, since most such matrices move elements.
ValueId Lowering::transposed(const Form& form, const Literal& m) {
    const std::int64_t ins = form.rows, outs = form.cols, wide = form.full_cols();
    if (!is_float(m.dtype()) || m.is_filled())
        return matrix(form, [&](auto, std::int64_t r, std::int64_t c) { return m.at(c * ins + r); });
    return matrix_of_elements(form, {&m, "transposed"}, [&](float* to) {
        const float* from = m.floats().data();
        for (std::int64_t c = 0; c < outs; ++c)
            for (std::int64_t r = 0; r < ins; ++r, ++from)
                if (std::bit_cast<std::uint32_t>(*from) != 0) to[r * wide + c] = *from;
    });
}

Matrix Lowering::map_columns(const Matrix& x_in, Form to, const Literal& m) {
    const Matrix x = bound_padding(x_in, true);
    const std::int64_t outs = m.dims()[0], ins = m.dims()[1];
    Edge right{transposed({1, ins, outs, x.form.more_ct, to.more_ct}, m), {}};
    if (x.form.z > 1) right.tms.push_back(make_tm(Tm::Kind::BroadcastZ, x.form.z));
    return emit(op::buda::matmul, {x.edge, right}, {}, to, x.row_pad.scaled(largest_row_sum(m)), {});
}

/// left * x, where left has as many slices as x, or one that is broadcast.
Matrix Lowering::map_rows(const Matrix& x_in, Form to, ValueId left, double weight) {
    const Matrix x = bound_padding(x_in, false);
    Edge edge{left, {}};
    if (x.form.z > 1) edge.tms.push_back(make_tm(Tm::Kind::BroadcastZ, x.form.z));
    return emit(op::buda::matmul, {edge, x.edge}, {}, to, {}, x.col_pad.scaled(weight));
}

Matrix Lowering::map_axis(const Node& n) {
    const Matrix x = operand(n.inputs[0].value);
    const Dims& dims = model_.type(n.inputs[0].value).dims;
    const Node& weights = model_.nodes[n.inputs[1].value];
    if (!weights.literal) fail_unsupported(n.loc, "'{}': the matrix of map_axis must be a constant", n.name);
    const Literal& m = *weights.literal;
    const auto axis = static_cast<std::size_t>(n.get(attr::axis));
    if (axis + 1 == dims.size()) return map_columns(x, form_of(n.type.dims), m);
    const std::int64_t outs = m.dims()[0], ins = m.dims()[1];
    const Form to = form_of(n.type.dims);
    const double weight = static_cast<double>(ins) * largest(m);
    const std::int64_t step = axis + 2 == dims.size() ? 1 : strides(dims)[axis] / x.form.cols;  // rows per step
    if (const auto sparse = sparse_map(x, to, step, outs, m, axis + 2 < dims.size())) return *sparse;
    if (axis + 2 == dims.size()) {
        const ValueId left = matrix({1, outs, ins, to.more_rt, x.form.more_rt},
                                    [&](auto, std::int64_t r, std::int64_t c) { return m.at(r * ins + c); });
        return map_rows(x, to, left, weight);
    }
    // a leading axis: one product on the stacked slices
    const Matrix tall = stacked(x);
    const std::int64_t full = x.form.full_rows();
    const std::int64_t per = step / x.form.rows;  // slices per step of the axis
    check_size(to.z * full * tall.form.full_rows());
    Literal left(DType::F32, {1, to.z * full, x.form.z * full});
    for (std::int64_t z = 0; z < to.z; ++z)
        for (std::int64_t i = 0; i < ins; ++i) {
            const double value = m.at(z / per % outs * ins + i);
            if (value == 0) continue;
            const std::int64_t from = z / (per * outs) * per * ins + i * per + z % per;
            for (std::int64_t r = 0; r < x.form.rows; ++r)
                left.set((z * full + r) * x.form.z * full + from * full + r, value);
        }
    const ValueId made = build_.device_constant(std::move(left), options_.default_df);
    return sliced(map_rows(tall, tall_form(1, to.z * full, to), made, weight), to);
}

bool Lowering::reduces_slices(const Node& n) const {
    const std::size_t rank = model_.type(n.inputs[0].value).dims.size();
    return rank > 2 && n.get(attr::axis) + 3 == static_cast<std::int64_t>(rank);
}

/// Whether the op is a maximum over the terms of a gather_rows.
bool Lowering::is_max_pool(const Node& n) const {
    return n.op == op::reduce_max && model_.nodes[n.inputs[0].value].op == op::gather_rows && reduces_slices(n);
}

Matrix Lowering::reduce_max(const Node& n) {
    if (is_max_pool(n)) return pool_max(model_.nodes[n.inputs[0].value], form_of(n.type.dims));
    Matrix x = operand(n.inputs[0].value);
    if (reduces_slices(n)) {
        const Form to = form_of(n.type.dims);
        const std::int64_t group = x.form.z / to.z;
        if (group == 1) return x;
        return emit(op::buda::reduce, {x.edge}, {attr::dim("z"), attr::z(group)}, to, x.row_pad, x.col_pad);
    }
    if (n.get(attr::axis) + 1 != static_cast<std::int64_t>(n.type.dims.size()))
        fail_unsupported(n.loc, "'{}': reduce_max needs the last axis; run split-data-movement before", n.name);
    const Form to = form_of(n.type.dims);
    if (!x.form.fills_cols()) {
        // No value of a mask is below lowest(), so padding of lowest() never changes a maximum.
        constexpr double least = std::numeric_limits<float>::lowest();
        const std::int64_t real = x.form.cols;
        if (!x.col_pad.is_zero()) x = zero_padding(x, true);
        Edge fill{matrix({1, tile_edge, x.form.full_cols()},
                         [&](auto, auto, std::int64_t c) { return c < real ? 0.0 : least; }),
                  {}};
        if (x.form.rt() > 1) fill.tms.push_back(make_tm(Tm::Kind::BroadcastR, x.form.rt()));
        if (x.form.z > 1) fill.tms.push_back(make_tm(Tm::Kind::BroadcastZ, x.form.z));
        x = emit(op::buda::add, {x.edge, fill}, {}, x.form, x.row_pad, PadRange::unbounded());
    }
    return emit(op::buda::reduce, {x.edge}, {attr::dim("c")}, to, x.row_pad, {});
}

}  // namespace ttsim::impl::ir
