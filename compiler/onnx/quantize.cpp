#include "compiler/onnx/quantize.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ttsim::impl::ir {

std::pair<double, double> quantized_range(const Import& n, DType type) {
    if (type == DType::I8) return {-128, 127};
    if (type == DType::U8) return {0, 255};
    if (type == DType::I16) return {-32768, 32767};
    if (type == DType::U16) return {0, 65535};
    if (type == DType::I32) return {-2147483648.0, 2147483647.0};
    n.unsupported("a quantized type {}; it must be i8, u8, i16, u16 or i32", to_string(type));
}

static double largest_byte(const Import& n, std::size_t k, std::size_t zero) {
    return n.has(zero) || n.b.type(n.x(k)).dtype == DType::U8 ? 255 : 128;
}

bool is_exact_in_float32(const Import& n, std::pair<std::size_t, std::size_t> zeros, ValueId weights,
                         std::int64_t inner, const std::function<std::int64_t(std::int64_t)>& sum_of) {
    constexpr double held = 1 << 24;
    const double element = largest_byte(n, 0, zeros.first);
    const Literal* known = n.b.literal(weights);
    if (!known) return element * largest_byte(n, 1, zeros.second) * static_cast<double>(inner) <= held;
    std::map<std::int64_t, double> sums;
    double most = 0;
    for (std::int64_t i = 0; i < known->size(); ++i) most = std::max(most, sums[sum_of(i)] += std::fabs(known->at(i)));
    return element * most <= held;
}

ValueId along_axis(Import& n, ValueId v, const Dims& dims, std::int64_t axis, std::int64_t block) {
    if (block > 0) {
        const std::int64_t size = dims[static_cast<std::size_t>(axis)];
        if (n.b.dims(v).size() != dims.size() || count({n.b.dims(v)[static_cast<std::size_t>(axis)], block}) < size)
            n.wrong("blocks of {} of axis {} with {}", block, axis, to_string(n.b.type(v)));
        std::vector<std::int64_t> from;
        for (std::int64_t k = 0; k < size; ++k) from.push_back(k / block);
        return n.gather(v, axis, from);
    }
    if (count(n.b.dims(v)) == 1) return n.b.reshape(v, {});
    Dims line(dims.size(), 1);
    line[static_cast<std::size_t>(n.axis(axis, static_cast<std::int64_t>(dims.size())))] = count(n.b.dims(v));
    return n.b.reshape(v, line);
}

ValueId dequantized(Import& n, ValueId x, ValueId scale, std::optional<ValueId> zero, std::int64_t axis) {
    const Dims dims = n.b.dims(x);
    ValueId y = n.b.cast(x, DType::F32);
    if (zero) y = n.binary(op::subtract, y, n.b.cast(along_axis(n, *zero, dims, axis), DType::F32));
    return n.binary(op::multiply, y, n.b.cast(along_axis(n, scale, dims, axis), DType::F32));
}
ValueId dequantized(Import& n, std::size_t k, std::int64_t axis) {
    return dequantized(n, n.x(k), n.x(k + 1), n.has(k + 2) ? std::optional(n.x(k + 2)) : std::nullopt, axis);
}

ValueId quantized(Import& n, ValueId y, std::size_t scale) {
    const bool shifted = n.has(scale + 1);
    const DType to = shifted ? n.b.type(n.x(scale + 1)).dtype : DType::U8;
    const ValueId zero = shifted ? n.b.cast(n.b.reshape(n.x(scale + 1), {}), DType::F32) : n.b.scalar(0);
    return quantize_to(n, n.binary(op::divide, y, n.b.reshape(n.x(scale), {})), zero, to);
}

ValueId quantize_to(Import& n, ValueId y, ValueId zero, DType to) {
    const auto [low, high] = quantized_range(n, to);
    const ValueId q = n.b.add(op::quantize, {y, zero}, {attr::low(low), attr::high(high)});
    return n.b.add(op::cast, {q}, {attr::to(std::string(to_string(to))), attr::exact(true)});
}

}  // namespace ttsim::impl::ir
