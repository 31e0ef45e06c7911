#include "compiler/ir/literal.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "compiler/ir/integers.hpp"

namespace ttsim::impl::ir {

namespace {
constexpr std::array<std::string_view, 13> dtype_names{"f32", "f16", "bf16", "f64", "i8",  "i16", "i32",
                                                       "i64", "u8",  "u16",  "u32", "u64", "bool"};
}

std::string_view to_string(DType dtype) { return dtype_names[static_cast<std::size_t>(dtype)]; }

std::optional<DType> parse_dtype(std::string_view name) {
    const auto found = std::find(dtype_names.begin(), dtype_names.end(), name);
    if (found == dtype_names.end()) return std::nullopt;
    return static_cast<DType>(found - dtype_names.begin());
}

std::string to_string(const Type& type) {
    return fmt::format("{}[{}]", type.format ? ttsim::impl::to_string(*type.format) : to_string(type.dtype),
                       fmt::join(type.dims, ", "));
}

std::int64_t count(const Dims& dims) {
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
    std::int64_t n = 1;
    for (const std::int64_t d : dims)
        if (__builtin_mul_overflow(n, d, &n)) return std::numeric_limits<std::int64_t>::max();
    return n;
}

std::int64_t extent(const Dims& dims) {
    constexpr std::size_t most_rank = 64;
    if (dims.size() > most_rank) return std::numeric_limits<std::int64_t>::max();
    Dims filled = dims;
    for (std::int64_t& d : filled) {
        if (d < 0) return -1;
        d = std::max<std::int64_t>(d, 1);
    }
    return count(filled);
}

void check_element_count(const Dims& dims, std::int64_t most) {
    if (const std::int64_t elements = extent(dims); elements < 0 || elements > most)
        fail_unsupported({}, "a constant of the dimensions [{}]; at most {} elements are allowed",
                         fmt::join(dims, ", "), most);
}

std::int64_t to_integer(double value) {
    constexpr double most = 9.2e18;
    if (std::isnan(value)) return 0;
    if (value >= most) return std::numeric_limits<std::int64_t>::max();
    if (value <= -most) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(std::trunc(value));
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

/// To the nearest number of 8 significant bits, ties to even.
static float to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return value;
    return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000U);
}

Literal::Literal(DType dtype, Dims dims, std::int64_t most) : dtype_(dtype), dims_(std::move(dims)) {
    check_element_count(dims_, most);
    const auto n = static_cast<std::size_t>(count(dims_));
    if (is_float(dtype_))
        floats_ = std::make_shared<std::vector<float>>(n);
    else
        integers_ = std::make_shared<std::vector<std::int64_t>>(n);
}

Literal Literal::scalar(DType dtype, double value) {
    Literal literal(dtype, {});
    literal.set(0, value);
    return literal;
}

Literal Literal::vector(const std::vector<std::int64_t>& values) {
    Literal literal(DType::I64, {static_cast<std::int64_t>(values.size())});
    literal.integers_ = std::make_shared<std::vector<std::int64_t>>(values);
    return literal;
}

Literal Literal::of_bytes(DType dtype, Dims dims, std::string bytes) {
    TT_CHECK(dtype == DType::I8 || dtype == DType::U8, "{} elements do not fit in bytes", to_string(dtype));
    TT_CHECK(count(dims) == std::ssize(bytes), "{} bytes for [{}]", bytes.size(), fmt::join(dims, ", "));
    Literal literal;
    literal.dtype_ = dtype;
    literal.dims_ = std::move(dims);
    literal.packed_ = std::make_shared<Packed>(std::move(bytes), dtype == DType::I8);
    return literal;
}

Literal Literal::of_gather_map(Dims dims, GatherMap gather) {
    const std::int64_t size = count(dims);
    TT_CHECK(gather.runs().empty() || gather.runs().back().last() < size, "a gather map exceeds [{}]",
             fmt::join(dims, ", "));
    Literal literal;
    literal.dtype_ = DType::I32;
    literal.dims_ = std::move(dims);
    literal.packed_ = std::make_shared<Packed>(size, std::move(gather));
    return literal;
}

Literal Literal::computed_on_read(DType dtype, Dims dims, std::function<std::vector<float>()> make) {
    TT_CHECK(is_float(dtype), "{} is not a float type", to_string(dtype));
    Literal literal;
    literal.dtype_ = dtype;
    literal.lazy_ = std::make_shared<Lazy>(count(dims), std::move(make));
    literal.dims_ = std::move(dims);
    return literal;
}

Literal Literal::filled(const Literal& one, Dims dims) {
    const std::int64_t size = count(dims);
    Literal literal;
    literal.dtype_ = one.dtype();
    if (is_float(one.dtype())) {
        const float element = one.floats()[0];
        literal.lazy_ = std::make_shared<Lazy>(size, [size, element] {
            check_element_count({size});
            return std::vector<float>(static_cast<std::size_t>(size), element);
        });
        literal.lazy_->fill = element;
    } else {
        literal.packed_ = std::make_shared<Packed>(size, one.integer(0));
    }
    literal.dims_ = std::move(dims);
    return literal;
}

const std::vector<float>& Literal::Lazy::cached() {
    std::call_once(once, [&] {
        elements = make();
        TT_CHECK(std::ssize(elements) == size, "{} elements made, not {}", elements.size(), size);
    });
    return elements;
}

const std::vector<std::int64_t>& Literal::Packed::integer_elements() {
    if (fill) check_element_count({size});
    std::call_once(once, [&] {
        expanded.assign(static_cast<std::size_t>(size), fill.value_or(-1));
        if (fill) return;
        if (gather)
            gather->each(0, size,
                         [&](std::int64_t k, std::int64_t row) { expanded[static_cast<std::size_t>(k)] = row; });
        else
            for (std::size_t k = 0; k < expanded.size(); ++k) expanded[k] = at(k);
    });
    return expanded;
}

bool Literal::Packed::is_splat() const {
    if (size == 0) return false;
    if (fill) return true;
    if (!gather) return std::all_of(bytes.begin(), bytes.end(), [&](char v) { return v == bytes.front(); });
    const auto& runs = gather->runs();
    if (runs.empty()) return true;
    std::int64_t covered = 0;
    for (const GatherMap::Run& run : runs) covered += run.count;
    return covered == size && std::all_of(runs.begin(), runs.end(), [&](const GatherMap::Run& run) {
               return run.row == runs.front().row && run.row_step == 0;
           });
}

std::shared_ptr<Literal::CachedFloats> Literal::attach_sources(std::vector<std::shared_ptr<const void>> of) {
    auto cached = std::make_shared<CachedFloats>(CachedFloats{std::move(floats()), std::move(of)});
    floats_ = {cached, &cached->floats};
    is_cached_ = true;
    return cached;
}

Literal Literal::of(DType dtype, Dims dims, const std::shared_ptr<CachedFloats>& cached) {
    Literal literal;
    literal.dtype_ = dtype;
    literal.dims_ = std::move(dims);
    literal.floats_ = {cached, &cached->floats};
    literal.is_cached_ = true;
    return literal;
}

Literal Literal::of_floats(DType dtype, Dims dims, std::vector<float>&& elements) {
    TT_CHECK(count(dims) == std::ssize(elements), "{} elements for another shape", elements.size());
    if (dtype == DType::BF16) std::transform(elements.begin(), elements.end(), elements.begin(), to_bf16);
    Literal literal;
    literal.dtype_ = dtype;
    literal.dims_ = std::move(dims);
    literal.floats_ = std::make_shared<std::vector<float>>(std::move(elements));
    return literal;
}

Literal Literal::of_integers(DType dtype, Dims dims, std::vector<std::int64_t>&& elements) {
    TT_CHECK(count(dims) == std::ssize(elements), "{} elements for another shape", elements.size());
    Literal literal;
    literal.dtype_ = dtype;
    literal.dims_ = std::move(dims);
    literal.integers_ = std::make_shared<std::vector<std::int64_t>>(std::move(elements));
    return literal;
}

std::vector<float> Literal::take_floats() && {
    if (lazy_ || is_cached_ || floats_.use_count() > 1) return copied_floats();
    return std::move(*floats_);
}

std::vector<std::int64_t> Literal::take_integers() && {
    if (packed_) return packed_->integer_elements();
    return integers_.use_count() > 1 ? *integers_ : std::move(*integers_);
}

void Literal::set(std::int64_t i, double value) {
    const auto k = static_cast<std::size_t>(i);
    if (dtype_ == DType::BF16) {
        floats()[k] = to_bf16(static_cast<float>(value));
    } else if (is_float(dtype_)) {
        floats()[k] = static_cast<float>(value);
    } else {
        integer_elements()[k] = integer_of(value, dtype_);
    }
}

std::int64_t Literal::integer(std::int64_t i) const {
    const auto k = static_cast<std::size_t>(i);
    if (packed_) return packed_->at(k);
    if (lazy_ && lazy_->fill) return to_integer(static_cast<double>(*lazy_->fill));
    return is_float(dtype_) ? to_integer(static_cast<double>(floats()[k])) : (*integers_)[k];
}

void Literal::set_integer(std::int64_t i, std::int64_t value) {
    if (is_float(dtype_))
        set(i, static_cast<double>(value));
    else
        integer_elements()[static_cast<std::size_t>(i)] = wrapped(static_cast<std::uint64_t>(value), dtype_);
}

void Literal::copy(std::int64_t i, const Literal& source, std::int64_t from) {
    if (is_float(source.dtype()))
        set(i, source.at(from));
    else if (is_float(dtype_))
        set(i, static_cast<double>(to_float(source.integer(from), source.dtype())));
    else
        set_integer(i, source.integer(from));
}

bool Literal::is_splat() const {
    if (packed_) return packed_->is_splat();
    if (lazy_ && lazy_->fill) return lazy_->size > 0;
    const auto same = [](const auto& data) {
        // -0 differs from 0: its bits and its reciprocal differ
        return !data.empty() && std::all_of(data.begin(), data.end(), [&](auto v) {
            return v == data.front() && std::signbit(v) == std::signbit(data.front());
        });
    };
    return is_float(dtype_) ? same(floats()) : same(integer_elements());
}

std::vector<std::int64_t> Literal::integers() const {
    if (!is_float(dtype_)) return integer_elements();
    std::vector<std::int64_t> values;
    for (const float v : floats()) values.push_back(to_integer(static_cast<double>(v)));
    return values;
}

bool operator==(const Literal& a, const Literal& b) {
    if (a.dtype_ != b.dtype_ || a.dims_ != b.dims_) return false;
    if (a.gather_map() && b.gather_map()) return *a.gather_map() == *b.gather_map();
    if (a.is_filled() && b.is_filled() && a.size() > 0) return a.integer(0) == b.integer(0) && a.at(0) == b.at(0);
    if (a.packed_ && b.packed_ && !a.gather_map() && !b.gather_map() && !a.is_filled() && !b.is_filled())
        return a.packed_->bytes == b.packed_->bytes;
    if (!is_float(a.dtype_))
        return &a.integer_elements() == &b.integer_elements() || a.integer_elements() == b.integer_elements();
    // bit patterns, so that NaN equals itself
    if (a.block() == b.block()) return true;
    const std::vector<float>&x = a.floats(), &y = b.floats();
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0);
}

}  // namespace ttsim::impl::ir
