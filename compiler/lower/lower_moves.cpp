#include <map>
#include <tuple>

#include "compiler/lower/lowering.hpp"

namespace tt::ir {

/// Whether the axes that are not of size 1 keep their order: no datum moves then.
static bool keeps_order(const Dims& dims, const std::vector<std::int64_t>& perm) {
    std::int64_t last = -1;
    for (const std::int64_t axis : perm) {
        if (dims[static_cast<std::size_t>(axis)] == 1) continue;
        if (axis < last) return false;
        last = axis;
    }
    return true;
}

Matrix Lowering::stacked(const Matrix& x) {
    Matrix tall = x;
    if (x.form.z == 1 && x.form.rows % 32 == 0) return tall;
    if (x.form.z > 1) tall.edge.tms.push_back(make_tm(Tm::Kind::VStack, x.form.z));
    tall.form = {1, x.form.z * x.form.full_rows(), x.form.cols};
    // the filling rows stand between real ones now and are multiplied by 0
    if (!x.row_pad.is_tame()) {
        const Matrix cleaned = clean(x, false);
        tall.edge = cleaned.edge;
        if (x.form.z > 1) tall.edge.tms.push_back(make_tm(Tm::Kind::VStack, x.form.z));
    }
    tall.row_pad = {};
    return tall;
}

Matrix Lowering::sliced(Matrix x, Form to) {
    if (to.z > 1) x.edge.tms.push_back(make_tm(Tm::Kind::VSlice, to.z));
    x.form = to;
    if (to.rows % 32 == 0) x.row_pad = {};
    return x;
}

Matrix Lowering::transpose(const Node& n) {
    const Matrix x = operand(n.inputs[0].value);
    const Dims& dims = model_.type(n.inputs[0].value).dims;
    const auto perm = n.list("perm");
    const std::size_t rank = perm.size();
    if (keeps_order(dims, perm)) return reshape(n);
    const Form to = form_of(n.type.dims);
    if (perm.back() + 1 != static_cast<std::int64_t>(rank)) {
        bool swap = perm[rank - 1] == static_cast<std::int64_t>(rank) - 2 &&
                    perm[rank - 2] == static_cast<std::int64_t>(rank) - 1;
        for (std::size_t i = 0; i + 2 < rank; ++i) swap = swap && perm[i] == static_cast<std::int64_t>(i);
        if (!swap) fail_unsupported(n.loc, "'{}': run split-moves before lower-to-buda", n.name);
        Edge edge = x.edge;
        edge.tms.push_back(make_tm(Tm::Kind::Transpose));
        return emit("buda.nop", {edge}, {}, to, x.col_pad, x.row_pad);
    }
    const Matrix tall = stacked(x);
    const std::int64_t out_rows = to.z * to.full_rows(), in_rows = x.form.z * x.form.full_rows();
    check_size(out_rows * in_rows);
    Literal left(DType::F32, {1, out_rows, in_rows});
    const Dims from = strides(dims), target = strides(n.type.dims);
    for (std::int64_t i = 0; i < to.z * to.rows; ++i) {
        std::int64_t source = 0;
        for (std::size_t d = 0; d + 1 < rank; ++d)
            source += i * to.cols / target[d] % n.type.dims[d] * from[static_cast<std::size_t>(perm[d])];
        source /= to.cols;
        const std::int64_t row = i / to.rows * to.full_rows() + i % to.rows;
        left.set(row * in_rows + source / x.form.rows * x.form.full_rows() + source % x.form.rows, 1);
    }
    const ValueId made = build_.device_constant(std::move(left), options_.default_df);
    return sliced(map_rows(tall, {1, out_rows, to.cols}, made, 1), to);
}

namespace {

/// A run of datums that stays together: from row and column to row and column.
struct Run {
    std::int64_t from_row, from_col, to_row, to_col, length;
};

std::vector<Run> runs(std::int64_t size, std::int64_t from_cols, std::int64_t to_cols) {
    std::vector<Run> all;
    for (std::int64_t i = 0; i < size;) {
        const std::int64_t length = std::min(from_cols - i % from_cols, to_cols - i % to_cols);
        all.push_back({i / from_cols, i % from_cols, i / to_cols, i % to_cols, length});
        i += length;
    }
    return all;
}

}  // namespace

Matrix Lowering::slice_or_stack(const Node& n) {
    Matrix x = operand(n.inputs[0].value);
    const bool slices = n.op == "hslice";
    const Form to = form_of(n.type.dims);
    if ((slices ? to : x.form).cols % 32 != 0)
        fail_unsupported(n.loc, "'{}': {} works on whole tiles; a slice has {} columns", n.name, n.op,
                         (slices ? to : x.form).cols);
    x.edge.tms.push_back(make_tm(slices ? Tm::Kind::HSlice : Tm::Kind::HStack, n.integer("n", 1)));
    x.form = to;
    return x;
}

Matrix Lowering::reshape(const Node& n) {
    const Matrix x = operand(n.inputs[0].value);
    const Form from = x.form, to = form_of(n.type.dims);
    if (from == to) return x;
    if (from.cols == to.cols && from.rows % 32 == 0 && to.rows % 32 == 0) return sliced(stacked(x), to);
    // runs that differ in their rows only share one term
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t> terms;
    const auto all = runs(count(n.type.dims), from.cols, to.cols);
    for (const Run& run : all)
        terms.emplace(std::tuple(run.from_col, run.to_col, run.length), static_cast<std::int64_t>(terms.size()));
    const auto j = static_cast<std::int64_t>(terms.size());
    const std::int64_t in_rows = from.z * from.full_rows(), out_rows = to.z * to.full_rows(), full = to.full_cols();
    check_size(j * out_rows * in_rows);
    check_size(from.full_cols() * j * full);
    Literal left(DType::F32, {j, out_rows, in_rows}), right(DType::F32, {1, from.full_cols(), j * full});
    for (const Run& run : all) {
        const std::int64_t term = terms.at({run.from_col, run.to_col, run.length});
        const std::int64_t row = run.to_row / to.rows * to.full_rows() + run.to_row % to.rows;
        const std::int64_t source = run.from_row / from.rows * from.full_rows() + run.from_row % from.rows;
        left.set((term * out_rows + row) * in_rows + source, 1);
        for (std::int64_t k = 0; k < run.length; ++k)
            right.set((run.from_col + k) * j * full + term * full + run.to_col + k, 1);
    }
    const Matrix tall = stacked(x);
    const Form stack{1, out_rows, to.cols};
    const ValueId l = build_.device_constant(std::move(left), options_.default_df);
    if (j == 1 && from.cols == to.cols) return sliced(map_rows(tall, stack, l, 1), to);
    const ValueId r = build_.device_constant(std::move(right), options_.default_df);
    return sliced(pick_sum(tall, stack, j, l, r), to);
}

}  // namespace tt::ir
