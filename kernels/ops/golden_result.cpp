#include "kernels/ops/golden_result.hpp"

#include "kernels/ops/integer_bits.hpp"

#include <cmath>

namespace ttsim::impl {

static float apply_relu(const OpAttributes& attr, float x) {
    if (attr.relu == ReluMode::Min) return x > attr.relu_threshold ? x : 0.0F;
    if (attr.relu == ReluMode::Max) return x > 0.0F ? std::fmin(x, attr.relu_threshold) : 0.0F;
    return x;
}

static float round_to_integer(DataFormat format, float x) {
    if (std::isnan(x)) return 0.0F;
    const double low = format == DataFormat::Int8 ? -127.0 : format == DataFormat::Int32 ? -2147483647.0 : 0.0;
    const double high = format == DataFormat::Int8     ? 127.0
                        : format == DataFormat::UInt8  ? 255.0
                        : format == DataFormat::UInt16 ? 65535.0
                                                       : 2147483647.0;
    return static_cast<float>(std::fmin(std::fmax(std::round(double{x}), low), high));
}

void finish_golden(const OpConfig& op, const Tensor* previous, Tensor& result) {
    if (is_raw(op.out_df)) return;
    if (keeps_integers(op)) {
        if (op.attr.relu_en && op.attr.relu != ReluMode::None)
            for (float& x : result.data)
                if (std::signbit(x)) x = 0.0F;
        return;
    }
    if (previous != nullptr) {
        TT_CHECK(previous->data.size() == result.data.size(), "gradient of '{}' changes size", op.name);
        for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] += previous->data[i];
    }
    if (op.attr.relu_en && op.attr.relu != ReluMode::None) {
        for (float& x : result.data) x = apply_relu(op.attr, x);
    }
    if (is_integer(op.out_df)) {
        for (float& x : result.data) x = round_to_integer(op.out_df, x);
    }
    if (result_is_bits(op)) floats_to_integers(result);
}

}  // namespace ttsim::impl
