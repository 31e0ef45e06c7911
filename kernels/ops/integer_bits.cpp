#include "kernels/ops/integer_bits.hpp"
#include "kernels/copy_ops.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace ttsim::impl {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();

std::int64_t integer_in(float element) { return std::bit_cast<std::int32_t>(element); }
float as_element(std::int64_t value) {
    return std::bit_cast<float>(static_cast<std::int32_t>(std::clamp(value, -largest, largest)));
}

template <class F>
void for_each_value(MatrixView values, F f) {
    for (std::int64_t r = 0; r < values.rows; ++r) {
        float* row = values.row(r);
        for (std::int64_t c = 0; c < values.cols; ++c) row[c] = f(row[c]);
    }
}

MatrixView as_matrix(Tensor& t) { return {t.data.data(), t.z * t.rows, t.cols, t.cols}; }

}  // namespace

bool keeps_integers(const OpConfig& op) {
    constexpr std::array<std::string_view, 3> others{"splice", "add", "maximum"};
    return result_is_bits(op) && op.acc_df == DataFormat::Int32 && !op.gradient &&
           (is_copy(op.type) || std::find(others.begin(), others.end(), op.type) != others.end()) &&
           std::all_of(op.in_df.begin(), op.in_df.end(), [](DataFormat df) { return df == DataFormat::Int32; });
}

void floats_to_integers(MatrixView values) {
    for_each_value(values, [](float v) {
        constexpr float limit = 2147483648.0F;
        return v != v ? 0.0F : as_element(v >= limit ? largest : v <= -limit ? -largest : static_cast<std::int64_t>(v));
    });
}
void integers_to_floats(MatrixView values) {
    for_each_value(values, [](float v) { return static_cast<float>(integer_in(v)); });
}
void floats_to_integers(Tensor& values) { floats_to_integers(as_matrix(values)); }
void integers_to_floats(Tensor& values) { integers_to_floats(as_matrix(values)); }

void add_integers(float* out, const float* a, const float* b, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = as_element(integer_in(a[i]) + integer_in(b[i]));
}
void max_integers(float* out, const float* a, const float* b, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = as_element(std::max(integer_in(a[i]), integer_in(b[i])));
}
void rectify_integers(MatrixView values) {
    for_each_value(values, [](float v) { return as_element(std::max<std::int64_t>(integer_in(v), 0)); });
}

}  // namespace ttsim::impl
