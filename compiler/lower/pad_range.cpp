#include "compiler/lower/pad_range.hpp"

#include <cmath>
#include <limits>

namespace tt::ir {

PadRange PadRange::wild() {
    const double inf = std::numeric_limits<double>::infinity();
    return {-inf, inf};
}

PadRange PadRange::scaled(double by) const {
    const double most = std::max(std::fabs(low), std::fabs(high)) * by;
    return is_zero() || by == 0 ? PadRange{} : PadRange{-most, most};
}

static PadRange reciprocal(PadRange x) {
    constexpr double of_zero = 8388608;  // the device divides by epsilon instead
    if (x.is_zero()) return PadRange::of(of_zero);
    if (x.low > 0 || x.high < 0) return {1 / x.high, 1 / x.low};
    return PadRange::wild();
}

PadRange unary_pads(const Node& node, PadRange x) {
    const std::string& op = node.op;
    if (op == "sigmoid") return {0, 1};
    if (op == "tanh" || op == "sine" || op == "cosine") return x.is_tame() ? PadRange{-1, 1} : PadRange::wild();
    if (op == "relu_max") {
        const double most = node.number("threshold", 1);
        return {std::clamp(x.low, 0.0, most), std::clamp(x.high, 0.0, most)};
    }
    if (!x.is_tame()) return PadRange::wild();
    if (op == "nop" || op == "cast") return x;
    if (op == "relu") return {std::max(x.low, 0.0), std::max(x.high, 0.0)};
    if (op == "exp") return x.high < 78 ? PadRange{std::exp(x.low), std::exp(x.high)} : PadRange::wild();
    if (op == "log")
        return x.is_zero() ? PadRange::of(-16)
               : x.low > 0 ? PadRange{std::log(x.low), std::log(x.high)}
                           : PadRange::wild();
    if (op == "sqrt") return x.low >= 0 ? PadRange{std::sqrt(x.low), std::sqrt(x.high)} : PadRange::wild();
    if (op == "reciprocal") return reciprocal(x);
    const double most = std::max(std::fabs(x.low), std::fabs(x.high));
    if (op == "abs") return {0, most};
    if (op == "square") return {0, most * most};
    if (op == "gelu" || op == "lrelu") return {-most, most};
    return PadRange::wild();
}

PadRange binary_pads(const std::string& op, PadRange a, PadRange b) {
    if (op == "multiply" && (a.is_zero() || b.is_zero())) return {};  // the device multiplies by 0 exactly
    if (!a.is_tame() || !b.is_tame()) return PadRange::wild();
    if (op == "add") return {a.low + b.low, a.high + b.high};
    if (op == "subtract") return {a.low - b.high, a.high - b.low};
    if (op == "maximum") return {std::max(a.low, b.low), std::max(a.high, b.high)};
    const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return {low, high};
}

}  // namespace tt::ir
