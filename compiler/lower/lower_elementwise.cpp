// Lowers elementwise ops and broadcasts of their operands.
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/lower/lowering.hpp"

namespace ttsim::impl::ir {

Matrix Lowering::unary(const Node& n) {
    const Matrix& x = operand(n.inputs[0].value);
    const PadRange rows = unary_pads(n, x.row_pad), cols = unary_pads(n, x.col_pad);
    if (n.op == op::relu)
        return emit(op::buda::nop, {x.edge}, {attr::relu("min"), attr::threshold(0.0)}, x.form, rows, cols);
    if (n.op == op::relu_max)
        return emit(op::buda::nop, {x.edge}, {attr::relu("max"), attr::threshold(n.get(attr::threshold))}, x.form, rows,
                    cols);
    return emit(find_op(n.op)->counterpart, {x.edge}, n.attrs, x.form, rows, cols);
}

/// Expands a constant to a tile row, tile column or slice, which TMs can broadcast.
Matrix Lowering::broadcast_constant(const Node& constant, const Dims& to) {
    const Literal& literal = *constant.literal;
    const Form form = form_of(to);
    Dims dims(to.size() - literal.dims().size(), 1);
    dims.insert(dims.end(), literal.dims().begin(), literal.dims().end());
    const Form own = form_of(dims);
    const bool down = own.rows == 1 && !own.more_rt, across = own.cols == 1 && form.cols > 1;
    const bool once = own.z == 1;
    const Dims from = strides(dims), target = strides(to);
    const auto index = [=](std::int64_t z, std::int64_t r, std::int64_t c) {
        std::int64_t at = (down || own.rows == 1 ? 0 : r) * own.cols + (across || own.cols == 1 ? 0 : c);
        for (std::size_t d = 0; d + 2 < to.size(); ++d)
            if (dims[d] != 1) at += z * form.rows * form.cols / target[d] % to[d] * from[d];
        return at;
    };
    const Form filled{once ? 1 : form.z, down ? tile_edge : form.rows, across ? tile_edge : form.cols,
                      down ? 0 : form.more_rt, across ? 0 : form.more_ct};
    const bool contiguous_rows = is_float(literal.dtype()) && !across && own.cols == filled.cols;
    const bool same_layout = contiguous_rows && literal.dtype() == DType::F32 &&
                             literal.size() == filled.z * filled.full_rows() * filled.full_cols();
    const LayoutKey key{&literal, fmt::format("broadcast to {}", fmt::join(to, "x"))};
    const ValueId id = same_layout ? matrix_of(literal, filled)
                       : contiguous_rows
                           ? matrix_of_rows(
                                 filled,
                                 [&](auto z, auto r, float* row) {
                                     std::copy_n(literal.floats().begin() + index(z, r, 0), own.cols, row);
                                 },
                                 key)
                           : matrix(
                                 filled, [&](auto z, auto r, auto c) { return literal.at(index(z, r, c)); }, key);
    Edge edge{id, {}};
    if (down && form.rt() > 1) edge.tms.push_back(make_tm(Tm::Kind::BroadcastR, form.rt()));
    if (across && form.ct() > 1) edge.tms.push_back(make_tm(Tm::Kind::BroadcastC, form.ct()));
    if (once && form.z > 1) edge.tms.push_back(make_tm(Tm::Kind::BroadcastZ, form.z));
    PadRange range{literal.at(0), literal.at(0)};
    for (std::int64_t i = 0, n = down || across ? literal.size() : 0; i < n; ++i) {
        const double value = literal.at(i);
        range = {std::min(range.low, value), std::max(range.high, value)};
    }
    const bool more = filled.more_rt + filled.more_ct > 0;
    if (constant.derivation && !down && !across && !more && (once || own.z == form.z)) {
        build_.graph().nodes[id].derivation = constant.derivation;
    } else if (constant.derivation) {
        Derivation& made = derived_from(id, constant, padded_placement(filled, index));
        if (down || across) range = padding_of_parameter(literal, range, made);
    }
    const PadRange fill = down && across ? range : range.with_zero();
    return {edge, form, down ? fill : PadRange{}, across ? fill : PadRange{}};
}

/// Padding of a broadcast constant has the constant's own values. For numbers of the model their range is exact. A
/// parameter can be replaced later, so its range is widened to the values for which the same ops are correct.
PadRange Lowering::padding_of_parameter(const Literal& literal, PadRange range, Derivation& made) {
    made.fixed = made.fixed || literal.is_splat();
    if (made.fixed || made.of.size() > 1) return range;
    constexpr double least = 32, times = 4;
    made.largest = std::max({least, -times * range.low, times * range.high});
    repeats_parameters_ = true;
    return trial_ ? PadRange{-made.largest, made.largest} : range;
}

Matrix Lowering::broadcast_slices(Matrix x, std::int64_t z) {
    if (x.form.z != z) x.edge.tms.push_back(make_tm(Tm::Kind::BroadcastZ, z / x.form.z));
    x.form.z = z;
    return x;
}

std::vector<Matrix> Lowering::broadcast_operands(const Node& n) {
    std::vector<Matrix> in;
    for (const Edge& edge : n.inputs) {
        const Node& constant = model_.nodes[edge.value];
        in.push_back(constant.literal && done_.count(edge.value) == 0
                         ? broadcast_constant(constant, n.type.dims)
                         : broadcast_slices(operand(edge.value), form_of(n.type.dims).z));
    }
    return in;
}

/// Quantizes to Int8 and back. The quantizer needs Float32 operands; the pass data-formats sets this format on the ops
/// that compute them.
Matrix Lowering::round_int8(const Node& n) {
    const Form form = form_of(n.type.dims);
    const double zero = n.get(attr::zero), offset = n.get(attr::offset);
    std::vector<Matrix> in = broadcast_operands(n);
    for (Matrix& x : in) {
        const Node& made = build_.graph().nodes[x.edge.value];
        const bool computed = made.op == op::buda::matmul || made.op == op::buda::depthwise ||
                              (made.op.on_device() && find_op(made.op)->elementwise);
        if (!computed && !made.is_constant())
            x.edge = {build_.add_edges(op::buda::nop, {x.edge}, {}, DataFormat::Float32), {}};
    }
    Attrs attrs{attr::zero_point(zero - offset), attr::acc_df(std::string(to_string(DataFormat::Int32)))};
    const ValueId integers =
        build_.add_edges(op::buda::quantization, {in[0].edge, in[1].edge}, attrs, DataFormat::Int8);
    Literal ones(DType::F32, {1, tile_edge, tile_edge});
    std::fill(ones.floats().begin(), ones.floats().end(), 1.0F);
    Edge one{build_.device_constant(std::move(ones), DataFormat::Float32), {}};
    if (form.rt() > 1) one.tms.push_back(make_tm(Tm::Kind::BroadcastR, form.rt()));
    if (form.ct() > 1) one.tms.push_back(make_tm(Tm::Kind::BroadcastC, form.ct()));
    if (form.z > 1) one.tms.push_back(make_tm(Tm::Kind::BroadcastZ, form.z));
    set(attrs, attr::zero_point, -offset);
    const ValueId floats =
        build_.add_edges(op::buda::dequantization, {{integers, {}}, one}, attrs, DataFormat::Float32);
    const PadRange any{offset - 127, offset + 127};
    return {{floats, {}}, form, form.fills_rows() ? PadRange{} : any, form.fills_cols() ? PadRange{} : any};
}

Matrix Lowering::binary(const Node& n) {
    if (n.op == op::round_int8) return round_int8(n);
    const Form form = form_of(n.type.dims);
    const std::vector<Matrix> in = broadcast_operands(n);
    return emit(find_op(n.op)->counterpart, {in[0].edge, in[1].edge}, n.attrs, form,
                binary_pads(n, in[0].row_pad, in[1].row_pad), binary_pads(n, in[0].col_pad, in[1].col_pad));
}

}  // namespace ttsim::impl::ir
