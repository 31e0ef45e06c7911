// Lowers data movement ops: transpose, reshape, slices and stacks.
#include <algorithm>
#include <numeric>

#include "compiler/ir/transposed_rows.hpp"
#include "compiler/lower/lowering.hpp"

namespace ttsim::impl::ir {

Matrix Lowering::stacked(const Matrix& x) {
    Matrix tall = x;
    if (x.form.z == 1 && x.form.fills_rows()) return tall;
    if (x.form.z > 1) tall.edge.tms.push_back(make_tm(Tm::Kind::VStack, x.form.z));
    tall.form = tall_form(1, x.form.z * x.form.full_rows(), x.form);
    // padding rows are now between real rows; consumers multiply them by 0, so they must be bounded
    if (!x.row_pad.is_bounded()) {
        const Matrix cleaned = zero_padding(x, false);
        tall.edge = cleaned.edge;
        if (x.form.z > 1) tall.edge.tms.push_back(make_tm(Tm::Kind::VStack, x.form.z));
    }
    tall.row_pad = {};
    return tall;
}

Matrix Lowering::sliced(Matrix x, Form to) {
    if (to.z > 1) x.edge.tms.push_back(make_tm(Tm::Kind::VSlice, to.z));
    x.form = to;
    if (to.fills_rows()) x.row_pad = {};
    return x;
}

Matrix Lowering::transpose(const Node& n) {
    const Matrix x = operand(n.inputs[0].value);
    const Dims& dims = model_.type(n.inputs[0].value).dims;
    const auto perm = n.get(attr::perm);
    const std::size_t rank = perm.size();
    if (keeps_order(dims, perm)) return reshape(n);
    const Form to = form_of(n.type.dims);
    if (perm.back() + 1 != static_cast<std::int64_t>(rank)) {
        bool swap = perm[rank - 1] == static_cast<std::int64_t>(rank) - 2 &&
                    perm[rank - 2] == static_cast<std::int64_t>(rank) - 1;
        for (std::size_t i = 0; i + 2 < rank; ++i) swap = swap && perm[i] == static_cast<std::int64_t>(i);
        if (!swap) fail_unsupported(n.loc, "'{}': run split-data-movement before lower-to-buda", n.name);
        Edge edge = x.edge;
        edge.tms.push_back(make_tm(Tm::Kind::Transpose));
        return emit(op::buda::nop, {edge}, {}, to, x.col_pad, x.row_pad);
    }
    return permute_rows(x, to, transposed_rows(dims, perm));
}

/// Permutes the rows of all slices and divides them into the slices of `to`.
Matrix Lowering::permute_rows(const Matrix& x, Form to, const GatherMap& gather_map) {
    check_size(to.z * to.full_rows());
    GatherMap all;
    gather_map.each(0, to.z * to.rows, [&](std::int64_t i, std::int64_t row) {
        all.append(i / to.rows * to.full_rows() + i % to.rows,
                   row / x.form.rows * x.form.full_rows() + row % x.form.rows);
    });
    SparseIndex index{Literal::of_gather_map({to.z * to.full_rows(), 1}, std::move(all)), std::nullopt};
    return sliced(single_slice_sparse(stacked(x), std::move(index)), to);
}

namespace {

/// Consecutive elements that move together, with their source and target positions.
struct Run {
    std::int64_t from_row, from_col, to_row, to_col, length;
};

/// Runs of the first `size` elements, by target position.
std::vector<Run> runs_of(std::int64_t size, std::int64_t from_cols, std::int64_t to_cols) {
    std::vector<Run> runs;
    for (std::int64_t i = 0; i < size; i += runs.back().length)
        runs.push_back({i / from_cols, i % from_cols, i / to_cols, i % to_cols,
                        std::min(from_cols - i % from_cols, to_cols - i % to_cols)});
    return runs;
}

}  // namespace

Matrix Lowering::slice_or_stack(const Node& n) {
    Matrix x = operand(n.inputs[0].value);
    const bool slices = n.op == op::hslice;
    const Form to = form_of(n.type.dims);
    if ((slices ? to : x.form).cols % tile_edge != 0)
        fail_unsupported(n.loc, "'{}': {} works on whole tiles; a slice has {} columns", n.name, n.op,
                         (slices ? to : x.form).cols);
    x.edge.tms.push_back(make_tm(slices ? Tm::Kind::HSlice : Tm::Kind::HStack, n.get(attr::n)));
    x.form = to;
    return x;
}

Matrix Lowering::reshape(const Node& n) {
    const Matrix x = operand(n.inputs[0].value);
    const Form from = x.form, to = form_of(n.type.dims);
    if (from == to) return x;
    // a column becomes a row, or a row a column
    if (from.z == to.z && from.rows == to.cols && from.cols == to.rows && std::min(from.rows, from.cols) == 1) {
        Edge edge = x.edge;
        edge.tms.push_back(make_tm(Tm::Kind::Transpose));
        return emit(op::buda::nop, {edge}, {}, to, x.col_pad, x.row_pad);
    }
    if (from.cols == to.cols && from.fills_rows() && to.fills_rows()) return sliced(stacked(x), to);
    // Runs with different columns need different terms. Column positions repeat after `period` elements.
    const std::int64_t elements = count(n.type.dims), period = std::max<std::int64_t>(1, std::lcm(from.cols, to.cols));
    const std::vector<Run> moves = runs_of(std::min(elements, period), from.cols, to.cols);
    const auto j = static_cast<std::int64_t>(moves.size());
    check_size(j * to.z * to.full_rows());
    check_size(from.full_cols() * j * to.full_cols());
    const auto each_row = [&](const Run& run, const auto& use) {
        for (std::int64_t k = 0; k < std::max<std::int64_t>(1, elements / period); ++k)
            use(run.to_row + k * (period / to.cols), run.from_row + k * (period / from.cols));
    };
    if (j == 1 && from.cols == to.cols) {
        GatherMap gather_map;
        each_row(moves[0], [&](std::int64_t at, std::int64_t row) { gather_map.append(at, row); });
        return permute_rows(x, to, gather_map);
    }
    TermWeights weights{.terms = j, .in = from.cols, .out = to.cols, .at = {}};
    weights.at = [&](std::int64_t term, std::int64_t c, std::int64_t d) {
        const Run& run = moves[static_cast<std::size_t>(term)];
        return c >= run.from_col && c < run.from_col + run.length && d - run.to_col == c - run.from_col ? 1.0 : 0.0;
    };
    weights.row = [&](std::int64_t term, std::int64_t c, float* row) {
        const Run& run = moves[static_cast<std::size_t>(term)];
        if (c >= run.from_col && c < run.from_col + run.length) row[run.to_col + c - run.from_col] = 1;
    };
    weights.key.layout = fmt::format("moves of {} elements from {} to {} columns", elements, from.cols, to.cols);
    // one slice with all rows, so that any row can be gathered from any slice
    const auto row_of = [](std::int64_t row, const Form& form) {
        return row / form.rows * form.full_rows() + row % form.rows;
    };
    const std::int64_t rows = to.z * to.full_rows();
    GatherMap all;
    for (std::int64_t term = 0; term < j; ++term)
        each_row(moves[static_cast<std::size_t>(term)], [&](std::int64_t at, std::int64_t row) {
            all.append(term * rows + row_of(at, to), row_of(row, from));
        });
    const Literal gather_map = Literal::of_gather_map({j, rows}, std::move(all));
    return sliced(gather_product(stacked(x), tall_form(1, rows, to), gather_map, weights), to);
}

}  // namespace ttsim::impl::ir
