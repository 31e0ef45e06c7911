// Operands and comparisons for the tests of matmul, depthwise, reduce and fused ops.
#pragma once

#include "kernels/ops/golden_result.hpp"
#include "tests/kernels/run_op.hpp"

namespace ttsim::impl::testing {

/// Operands by value, passed on as pointers.
struct Operands {
    std::vector<Tensor> tensors;
    std::vector<const Tensor*> pointers() const {
        std::vector<const Tensor*> list;
        for (const auto& t : tensors) list.push_back(&t);
        return list;
    }
};

/// Uniform in [low, high); `step` > 0 rounds to its multiples.
inline Tensor draw_tensor(TileShape shape, TileDim dim, std::mt19937& random, float low = -1, float high = 1,
                          float step = 0) {
    Tensor t(shape, dim);
    std::uniform_real_distribution<float> uniform(low, high);
    for (float& x : t.data) x = step > 0 ? std::round(uniform(random) / step) * step : uniform(random);
    return t;
}

inline std::int64_t pick(std::mt19937& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

inline Blocking random_blocking(std::mt19937& random) {
    return {.grid_r = pick(random, 1, 2),
            .grid_c = pick(random, 1, 3),
            .mblock_m = pick(random, 1, 2),
            .mblock_n = pick(random, 1, 2),
            .ublock_rt = pick(random, 1, 2),
            .ublock_ct = pick(random, 1, 2),
            .t = pick(random, 1, 2)};
}

/// Shapes from the tensors; tile dims and formats that the op does not name yet become 32x32 and `format`.
inline void set_operands(OpConfig& op, const std::vector<const Tensor*>& in, DataFormat format = DataFormat::Float32) {
    op.loc = {"test.yaml", 3, 5};
    op.in.clear();
    op.in_df.resize(in.size(), format);
    op.in_tile.resize(in.size());
    for (std::size_t k = 0; k < in.size(); ++k)
        op.in.push_back({in[k]->z, in[k]->rows / op.in_tile[k].h, in[k]->cols / op.in_tile[k].w});
}

inline void convert(DataFormat format, Tensor& t) {
    for (std::int64_t z = 0; z < t.z; ++z) host_convert(format, t.slice(z));
}

inline Tensor run_golden(const OpConfig& op, const std::vector<const Tensor*>& in) {
    auto result = find_op(op.type)->golden(op, in);
    finish_golden(op, nullptr, result);
    if (is_stored_as_bits(op.out_df)) integers_to_floats(result);
    return result;
}

/// Largest difference, relative to the largest magnitude.
inline double relative_error(const Tensor& a, const Tensor& b) {
    REQUIRE(a.data.size() == b.data.size());
    double worst = 0, scale = 1e-30;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        worst = std::max(worst, std::fabs(double{a.data[i]} - double{b.data[i]}));
        scale = std::max(scale, std::fabs(double{b.data[i]}));
    }
    return worst / scale;
}

inline double correlation(const Tensor& a, const Tensor& b) {
    if (a.data == b.data) return 1;  // also when both are constant
    const auto n = static_cast<double>(a.data.size());
    double ma = 0, mb = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        ma += double{a.data[i]} / n;
        mb += double{b.data[i]} / n;
    }
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        const double x = double{a.data[i]} - ma, y = double{b.data[i]} - mb;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
}

}  // namespace ttsim::impl::testing
