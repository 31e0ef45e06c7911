// ONNX reductions, softmax and normalisations.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

namespace {

using Fold = ValueId (*)(Import&, ValueId x, std::int64_t axis);

ValueId sum_axis(Import& n, ValueId x, std::int64_t axis) { return n.b.reduce_sum(x, axis); }
ValueId max_axis(Import& n, ValueId x, std::int64_t axis) { return n.b.add(op::reduce_max, {x}, {attr::axis(axis)}); }
ValueId product_axis(Import& n, ValueId x, std::int64_t axis) {
    const std::int64_t size = n.b.dims(x)[static_cast<std::size_t>(axis)];
    constexpr std::int64_t most = 256;
    if (size > most) n.unsupported("it multiplies {} elements; at most {} are unrolled", size, most);
    if (size < 1) {
        Dims dims = n.b.dims(x);
        dims[static_cast<std::size_t>(axis)] = 1;
        Literal ones(n.b.type(x).dtype, dims);
        for (std::int64_t k = 0; k < ones.size(); ++k) ones.set_integer(k, 1);
        return n.b.constant(std::move(ones));
    }
    ValueId product = n.b.map_axis(x, axis, gather_matrix({0}, size));
    for (std::int64_t k = 1; k < size; ++k)
        product = n.binary(op::multiply, product, n.b.map_axis(x, axis, gather_matrix({k}, size)));
    return product;
}

/// Applies `fold` to each axis; drops the axes unless keepdims. `count` gets the number of elements per result.
ValueId fold_axes(Import& n, ValueId x, const std::vector<std::int64_t>& axes, Fold fold, std::int64_t& count) {
    count = 1;
    for (const std::int64_t axis : axes) {
        count *= n.b.dims(x)[static_cast<std::size_t>(axis)];
        x = fold(n, x, axis);
    }
    return x;
}

ValueId drop(Import& n, ValueId x, const std::vector<std::int64_t>& axes) {
    if (n.i("keepdims", 1) != 0) return x;
    Dims dims;
    for (std::size_t d = 0; d < n.b.dims(x).size(); ++d)
        if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) == axes.end())
            dims.push_back(n.b.dims(x)[d]);
    return n.b.reshape(x, dims);
}

std::optional<std::vector<std::int64_t>> reduced(Import& n) {
    auto axes = n.axes(n.op() == "ReduceSum" ? 13 : 18, 1, n.rank());
    if (!axes.empty()) return axes;
    if (n.i("noop_with_empty_axes", 0) != 0) return std::nullopt;
    axes.resize(static_cast<std::size_t>(n.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

template <Fold F>
void reduce(Import& n, ValueId (*before)(Import&, ValueId), ValueId (*after)(Import&, ValueId, std::int64_t)) {
    const auto axes = reduced(n);
    if (!axes) return n.add_output(after(n, before(n, n.x(0)), 1));
    std::int64_t count = 1;
    const ValueId sum = fold_axes(n, before(n, n.x(0)), *axes, F, count);
    n.add_output(drop(n, after(n, sum, count), *axes));
}

ValueId plain(Import&, ValueId x) { return x; }
ValueId absolute(Import& n, ValueId x) { return n.unary(op::abs, x); }
ValueId squared(Import& n, ValueId x) { return n.unary(op::square, x); }
ValueId reversed(Import& n, ValueId x) { return n.b.reversed(x); }
ValueId exponential(Import& n, ValueId x) { return n.unary(op::exp, x); }
ValueId as_is(Import&, ValueId x, std::int64_t) { return x; }
ValueId average(Import& n, ValueId x, std::int64_t count) { return n.b.mean_of(x, count); }
ValueId square_root(Import& n, ValueId x, std::int64_t) { return n.unary(op::sqrt, x); }
ValueId logarithm(Import& n, ValueId x, std::int64_t) { return n.unary(op::log, x); }
ValueId reverse_result(Import& n, ValueId x, std::int64_t) { return n.b.reversed(x); }

/// log(sum(exp(x))), with the maximum subtracted first.
void reduce_log_sum_exp(Import& n) {
    const auto axes = reduced(n);
    if (!axes) return n.add_output(n.x(0));
    std::int64_t count = 1;
    const ValueId most = fold_axes(n, n.x(0), *axes, max_axis, count);
    const ValueId e = exponential(n, n.binary(op::subtract, n.x(0), most));
    n.add_output(drop(n, n.binary(op::add, n.unary(op::log, fold_axes(n, e, *axes, sum_axis, count)), most), *axes));
}

// --- arg max ------------------------------------------------------------------------------------------------------

ValueId index_of_max(Import& n, ValueId x, std::int64_t axis, bool last) {
    return n.unary(op::arg_max, x, {attr::axis(axis), attr::last(last)});
}

void arg_extremum(Import& n, bool least) {
    const std::int64_t axis = n.axis(n.i("axis", 0), n.rank());
    const ValueId x = least ? n.b.reversed(n.x(0)) : n.x(0);
    n.add_output(drop(n, index_of_max(n, x, axis, n.i("select_last_index", 0) != 0), {axis}));
}
void arg_max(Import& n) { arg_extremum(n, false); }
void arg_min(Import& n) { arg_extremum(n, true); }

void hardmax(Import& n) {
    const Dims dims = n.dims();
    const std::int64_t axis = n.axis(n.i("axis", n.opset < 13 ? 1 : -1), n.rank());
    ValueId x = n.x(0);
    std::int64_t along = axis;
    if (n.opset < 13) {  // all axes from `axis` on are one
        const std::int64_t lead =
            std::accumulate(dims.begin(), dims.begin() + axis, std::int64_t{1}, std::multiplies<>());
        x = n.b.reshape(x, {lead, count(dims) / std::max<std::int64_t>(lead, 1)});
        along = 1;
    }
    const ValueId place = n.b.broadcast_to(n.b.cast(index_of_max(n, x, along, false), DType::F32), n.b.dims(x));
    Dims line(n.b.dims(x).size(), 1);
    line[static_cast<std::size_t>(along)] = n.b.dims(x)[static_cast<std::size_t>(along)];
    Literal numbers(DType::F32, line);
    for (std::int64_t k = 0; k < numbers.size(); ++k) numbers.set(k, static_cast<double>(k));
    const ValueId hit = n.b.cast(n.binary(op::equal, place, n.b.constant(std::move(numbers))), DType::F32);
    n.add_output(n.b.reshape(hit, dims));
}

// --- softmax and normalisations -----------------------------------------------------------------------------------

void softmax_as(Import& n, OpId op) {
    const Dims dims = n.dims();
    if (n.opset >= 13) return n.add_output(n.unary(op, n.x(0), {attr::axis(n.axis(n.i("axis", -1), n.rank()))}));
    const std::int64_t axis = n.axis(n.i("axis", 1), n.rank());
    const std::int64_t lead = std::accumulate(dims.begin(), dims.begin() + axis, std::int64_t{1}, std::multiplies<>());
    const ValueId flat = n.b.reshape(n.x(0), {lead, count(dims) / std::max<std::int64_t>(lead, 1)});
    n.add_output(n.b.reshape(n.unary(op, flat, {attr::axis(1)}), dims));
}
void softmax(Import& n) { softmax_as(n, op::softmax); }
void log_softmax(Import& n) { softmax_as(n, op::log_softmax); }

ValueId mean_over(Import& n, ValueId x, const std::vector<std::int64_t>& axes) {
    std::int64_t count = 1;
    const ValueId sum = fold_axes(n, x, axes, sum_axis, count);
    return average(n, sum, count);
}

void layer_norm(Import& n) {
    const std::int64_t axis = n.axis(n.i("axis", -1), n.rank());
    const double epsilon = n.f("epsilon", 1e-5);
    ValueId y = n.unary(op::layer_norm, n.x(0), {attr::axis(axis), attr::epsilon(epsilon)});
    y = n.binary(op::multiply, y, n.x(1));
    if (n.has(2)) y = n.binary(op::add, y, n.x(2));
    n.add_output(y);
    if (n.outputs() < 2) return;
    std::vector<std::int64_t> axes;
    for (std::int64_t a = axis; a < n.rank(); ++a) axes.push_back(a);
    const ValueId mean = mean_over(n, n.x(0), axes);
    const ValueId variance = mean_over(n, n.unary(op::square, n.binary(op::subtract, n.x(0), mean)), axes);
    n.add_output(mean);
    n.add_output(n.unary(op::reciprocal, n.unary(op::sqrt, n.binary(op::add, variance, n.b.scalar(epsilon)))));
}

/// Normalizes by the mean and variance of the batch; outputs the running ones too.
void batch_norm_in_training(Import& n) {
    if (n.opset < 14) n.unsupported("training mode before opset 14");
    std::vector<std::int64_t> axes{0};
    for (std::int64_t a = 2; a < n.rank(); ++a) axes.push_back(a);
    const ValueId mean = mean_over(n, n.x(0), axes);
    const ValueId variance = mean_over(n, n.unary(op::square, n.binary(op::subtract, n.x(0), mean)), axes);
    const auto flat = [&](ValueId v) { return n.b.reshape(v, {n.dims()[1]}); };
    n.add_output(n.b.add(op::batch_norm, {n.x(0), n.x(1), n.x(2), flat(mean), flat(variance)},
                         {attr::epsilon(n.f("epsilon", 1e-5))}));
    const double kept = n.f("momentum", 0.9);
    const auto running = [&](ValueId old, ValueId now) {
        return n.binary(op::add, n.scaled(old, kept), n.scaled(flat(now), 1 - kept));
    };
    n.add_output(running(n.x(3), mean));
    n.add_output(running(n.x(4), variance));
}

void batch_norm(Import& n) {
    n.need_rank(2);
    if (n.i("training_mode", 0) != 0) return batch_norm_in_training(n);
    n.add_output(
        n.b.add(op::batch_norm, {n.x(0), n.x(1), n.x(2), n.x(3), n.x(4)}, {attr::epsilon(n.f("epsilon", 1e-5))}));
}

void instance_norm(Import& n) {
    n.need_rank(3);
    const Dims dims = n.dims();
    const ValueId y = n.unary(op::layer_norm, n.x(0), {attr::axis(2), attr::epsilon(n.f("epsilon", 1e-5))});
    Dims channels(dims.size() - 1, 1);
    channels[0] = dims[1];
    n.add_output(
        n.binary(op::add, n.binary(op::multiply, y, n.b.reshape(n.x(1), channels)), n.b.reshape(n.x(2), channels)));
}

/// Scale and bias are per group up to opset 20, per channel from 21 on.
void group_norm(Import& n) {
    n.need_rank(3);
    const std::int64_t groups = n.i("num_groups", 0), channels = n.dims()[1];
    const ValueId y = n.unary(op::group_norm, n.x(0), {attr::groups(groups), attr::epsilon(n.f("epsilon", 1e-5))});
    std::vector<std::int64_t> group_of;
    for (std::int64_t c = 0; c < channels; ++c) group_of.push_back(c / (channels / groups));
    Dims line(n.dims().size() - 1, 1);
    line[0] = channels;
    const auto spread = [&](std::size_t k) {
        if (n.dims(k) != Dims{n.opset < 21 ? groups : channels})
            n.wrong("operand {} is {}; it must have {} elements", k, to_string(n.b.type(n.x(k))),
                    n.opset < 21 ? groups : channels);
        return n.b.reshape(n.opset < 21 ? n.gather(n.x(k), 0, group_of) : n.x(k), line);
    };
    n.add_output(n.binary(op::add, n.binary(op::multiply, y, spread(1)), spread(2)));
}

void rms_norm(Import& n) {
    const std::int64_t axis = n.axis(n.i("axis", -1), n.rank());
    n.add_output(n.binary(
        op::multiply, n.unary(op::rms_norm, n.x(0), {attr::axis(axis), attr::epsilon(n.f("epsilon", 1e-5))}), n.x(1)));
}

/// Divides by the L1 or L2 norm; zeros stay zeros. Elements are scaled by the largest magnitude first, so that squares
/// neither overflow nor underflow.
void lp_norm(Import& n) {
    const std::int64_t axis = n.axis(n.i("axis", -1), n.rank()), p = n.i("p", 2);
    if (p != 1 && p != 2) n.wrong("p is {}; it is 1 or 2", p);
    constexpr double least = 0x1p-120;  // its reciprocal is finite
    const ValueId most = max_axis(n, absolute(n, n.x(0)), axis);
    const ValueId x = n.binary(op::divide, n.x(0), n.binary(op::maximum, most, n.number(least, most)));
    const ValueId sum = n.b.reduce_sum(p == 1 ? absolute(n, x) : squared(n, x), axis);
    const ValueId norm = p == 1 ? sum : n.unary(op::sqrt, sum);
    n.add_output(n.binary(op::divide, x, n.binary(op::maximum, norm, n.number(least, norm))));
}

void mean_variance(Import& n) {
    auto axes = n.ints("axes");
    if (axes.empty()) axes = {0, 2, 3};
    for (std::int64_t& a : axes) a = n.axis(a, n.rank());
    n.check_distinct(axes);
    const ValueId centred = n.binary(op::subtract, n.x(0), mean_over(n, n.x(0), axes));
    const ValueId deviation = n.unary(op::sqrt, mean_over(n, n.unary(op::square, centred), axes));
    n.add_output(n.binary(op::divide, centred, n.binary(op::add, deviation, n.b.scalar(1e-9))));
}

void local_response(Import& n) {
    n.need_rank(2);
    const std::int64_t size = n.i("size", 1), channels = n.dims()[1];
    if (size < 1) n.wrong("size is {}", size);
    Literal band = zero_matrix(channels, channels);
    const std::int64_t before = (size - 1) / 2, after = std::min(size / 2, channels);
    for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t k = std::max<std::int64_t>(0, c - before); k <= std::min(channels - 1, c + after); ++k)
            band.set(c * channels + k, 1);
    const ValueId squares = n.b.map_axis(n.unary(op::square, n.x(0)), 1, std::move(band));
    const ValueId base = n.binary(op::add, n.scaled(squares, n.f("alpha", 1e-4) / static_cast<double>(size)),
                                  n.b.scalar(n.f("bias", 1)));
    n.add_output(
        n.binary(op::multiply, n.x(0), n.unary(op::exp, n.scaled(n.unary(op::log, base), -n.f("beta", 0.75)))));
}

}  // namespace

const ImportRules& reduction_rules() {
    static const ImportRules rules{
        {"ReduceSum", [](Import& n) { reduce<sum_axis>(n, plain, as_is); }},
        {"ReduceMean", [](Import& n) { reduce<sum_axis>(n, plain, average); }},
        {"ReduceMax", [](Import& n) { reduce<max_axis>(n, plain, as_is); }},
        {"ReduceMin", [](Import& n) { reduce<max_axis>(n, reversed, reverse_result); }},
        {"ReduceProd", [](Import& n) { reduce<product_axis>(n, plain, as_is); }},
        {"ReduceL1", [](Import& n) { reduce<sum_axis>(n, absolute, as_is); }},
        {"ReduceL2", [](Import& n) { reduce<sum_axis>(n, squared, square_root); }},
        {"ReduceSumSquare", [](Import& n) { reduce<sum_axis>(n, squared, as_is); }},
        {"ReduceLogSum", [](Import& n) { reduce<sum_axis>(n, plain, logarithm); }},
        {"ReduceLogSumExp", reduce_log_sum_exp},
        {"ArgMax", arg_max},
        {"ArgMin", arg_min},
        {"Hardmax", hardmax},
        {"Softmax", softmax},
        {"LogSoftmax", log_softmax},
        {"LayerNormalization", layer_norm},
        {"BatchNormalization", batch_norm},
        {"InstanceNormalization", instance_norm},
        {"MeanVarianceNormalization", mean_variance},
        {"LpNormalization", lp_norm},
        {"LRN", local_response},
        {"GroupNormalization", group_norm},
        {"RMSNormalization", rms_norm},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
