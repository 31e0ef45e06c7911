#include "compiler/literal.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace tt::ir {

namespace {
constexpr std::array<std::string_view, 13> names{"f32", "f16", "bf16", "f64", "i8",  "i16", "i32",
                                                 "i64", "u8",  "u16",  "u32", "u64", "bool"};
}

std::string_view to_string(DType dtype) { return names[static_cast<std::size_t>(dtype)]; }

std::optional<DType> parse_dtype(std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<DType>(found - names.begin());
}

std::string to_string(const Type& type) {
    return fmt::format("{}[{}]", type.format ? tt::to_string(*type.format) : to_string(type.dtype),
                       fmt::join(type.dims, ", "));
}

std::int64_t count(const Dims& dims) {
    std::int64_t n = 1;
    for (const std::int64_t d : dims) n *= d;
    return n;
}

Dims strides(const Dims& dims) {
    Dims steps(dims.size(), 1);
    for (std::size_t i = dims.size(); i-- > 1;) steps[i - 1] = steps[i] * dims[i];
    return steps;
}

float from_half(std::uint16_t h) {
    const int exponent = h >> 10 & 31, mantissa = h & 1023;
    const float sign = h & 0x8000 ? -1.0F : 1.0F;
    if (exponent == 31) return mantissa ? std::nanf("") : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                 : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25));
}

Literal::Literal(DType dtype, Dims dims) : dtype_(dtype), dims_(std::move(dims)) {
    const auto n = static_cast<std::size_t>(size());
    if (is_float(dtype_))
        floats_.resize(n);
    else
        whole_.resize(n);
}

Literal Literal::scalar(DType dtype, double value) {
    Literal literal(dtype, {});
    literal.set(0, value);
    return literal;
}

Literal Literal::vector(const std::vector<std::int64_t>& values) {
    Literal literal(DType::I64, {static_cast<std::int64_t>(values.size())});
    literal.whole_ = values;
    return literal;
}

double Literal::at(std::int64_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return is_float(dtype_) ? static_cast<double>(floats_[k]) : static_cast<double>(whole_[k]);
}

void Literal::set(std::int64_t i, double value) {
    const auto k = static_cast<std::size_t>(i);
    if (is_float(dtype_)) {
        floats_[k] = static_cast<float>(value);
    } else if (dtype_ == DType::Bool) {
        whole_[k] = value != 0 ? 1 : 0;
    } else {
        constexpr double most = 9.2e18;
        whole_[k] = std::isnan(value) ? 0
                    : value >= most   ? std::numeric_limits<std::int64_t>::max()
                    : value <= -most  ? std::numeric_limits<std::int64_t>::min()
                                      : static_cast<std::int64_t>(std::trunc(value));
    }
}

bool Literal::is_splat() const {
    const auto same = [](const auto& data) {
        return !data.empty() && std::all_of(data.begin(), data.end(), [&](auto v) { return v == data.front(); });
    };
    return is_float(dtype_) ? same(floats_) : same(whole_);
}

std::vector<std::int64_t> Literal::integers() const {
    if (!is_float(dtype_)) return whole_;
    std::vector<std::int64_t> values;
    for (const float v : floats_) values.push_back(static_cast<std::int64_t>(v));
    return values;
}

bool operator==(const Literal& a, const Literal& b) {
    // bit patterns, so that NaN equals itself
    return a.dtype_ == b.dtype_ && a.dims_ == b.dims_ && a.whole_ == b.whole_ && a.floats_.size() == b.floats_.size() &&
           (a.floats_.empty() ||
            std::memcmp(a.floats_.data(), b.floats_.data(), a.floats_.size() * sizeof(float)) == 0);
}

}  // namespace tt::ir
