// Golden's matrix products by Eigen on whole tensors, independent of the simulator's GEMM.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/gemm/golden_eigen.hpp"
#include "kernels/instruction_set.hpp"
#include "kernels/ops/matmul.hpp"

namespace ttsim::impl {
namespace {

void add_bias(const OpConfig& op, const Tensor& bias, TileDim bias_tile, Tensor& sums) {
    const bool whole_tile = is_integer(op.in_df[0]);
    std::size_t i = 0;
    for (std::int64_t z = 0; z < sums.z; ++z)
        for (std::int64_t r = 0; r < sums.rows; ++r)
            for (std::int64_t c = 0; c < sums.cols; ++c, ++i) {
                const auto line = r / op.tile.h * bias_tile.h + (whole_tile ? r % op.tile.h : 0);
                sums.data[i] += bias.slice(z).at(line, c);
            }
}

void requantize(const OpConfig& op, const Tensor& scale, Tensor& sums) {
    for (std::size_t i = 0; i < sums.data.size(); ++i) {
        const double x = sums.data[i], s = scale.data[i], zero = op.attr.zero_point;
        const double value = op.attr.requant ? std::clamp(std::round(x * s + zero), -127.0, 127.0) : (x - zero) * s;
        sums.data[i] = static_cast<float>(value);
    }
}

void gelu(Tensor& sums) {
    constexpr double root = 0.7978845608028654;  // sqrt(2 / pi)
    for (float& value : sums.data) {
        const double x = value;  // times (1 + tanh(u)) / 2, as a sigmoid of 2u, which takes a third of the time
        value = static_cast<float>(x / (1.0 + std::exp(-2.0 * root * (x + 0.044715 * x * x * x))));
    }
}

void multiply(const golden_eigen::Product& p) {
    switch (instruction_set()) {
        case HostInstructions::Avx512:
            return golden_eigen::multiply_avx512(p);
        case HostInstructions::Avx2:
            return golden_eigen::multiply_avx2(p);
        case HostInstructions::Baseline:
            return golden_eigen::multiply_baseline(p);
    }
}

}  // namespace

GoldenPadded::GoldenPadded(const OpConfig& given, std::span<const Tensor* const> given_in)
    : op(given), in(given_in.begin(), given_in.end()) {
    const auto inner = std::max(op.in_tile[0].w, op.in_tile[1].h);
    for (std::size_t k = 0; k < in.size(); ++k) {
        TileDim& dim = op.in_tile[k];
        const TileDim from = dim;
        if (k != 2 || !op.attr.identity) dim = {k == 1 ? inner : op.tile.h, k == 0 ? inner : op.tile.w};
        if (dim == from) continue;
        const auto& x = *in[k];
        auto& y = memory_.emplace_back(x.z, x.rows / from.h * dim.h, x.cols / from.w * dim.w);
        for (std::int64_t z = 0; z < y.z; ++z)
            for (std::int64_t r = 0; r < y.rows; ++r)
                for (std::int64_t c = 0; c < y.cols; ++c)
                    if (r % dim.h < from.h && c % dim.w < from.w)
                        y.slice(z).at(r, c) =
                            x.slice(z).at(r / dim.h * from.h + r % dim.h, c / dim.w * from.w + c % dim.w);
        in[k] = &y;
    }
}

void golden_multiply(ConstMatrixView a, ConstMatrixView b, MatrixView sums) {
    // Short products in float, summed in double: long chains of float additions would lose digits, and deep networks
    // (layer norms of nearly equal values) amplify that.
    constexpr std::int64_t piece = 64;
    // The sums of a panel stay in the cache. Eigen's blocks have 12, 24 or 48 columns: whole ones keep their order of
    // additions, so that the panels do not change a bit.
    constexpr std::int64_t panel = 240;
    std::vector<double> total;
    std::vector<float> part;
    for (std::int64_t first = 0; first < sums.cols; first += panel) {
        const std::int64_t columns = std::min(panel, sums.cols - first);
        const auto size = static_cast<std::size_t>(sums.rows * columns);
        total.assign(size, 0.0);
        for (std::int64_t k = 0; k < a.cols; k += piece) {
            part.assign(size, 0.0F);
            multiply({a.data + k, a.stride, b.row(k) + first, b.stride, part.data(), columns, a.rows, columns,
                      std::min(piece, a.cols - k)});
            with_vector_instructions([to = total.data(), from = part.data(), size] {
                for (std::size_t i = 0; i < size; ++i) to[i] += from[i];
            });
        }
        with_vector_instructions([&sums, from = total.data(), first, columns] {
            for (std::int64_t r = 0; r < sums.rows; ++r) {
                float* const to = sums.row(r) + first;
                for (std::int64_t c = 0; c < columns; ++c) to[c] = static_cast<float>(to[c] + from[r * columns + c]);
            }
        });
    }
}

void golden_epilogue(const OpConfig& op, std::span<const Tensor* const> in, std::size_t next, Tensor& sums) {
    if (op.attr.bias) {
        add_bias(op, *in[next], op.in_tile[next], sums);
        ++next;
    }
    if (op.attr.requant || op.attr.dequant) requantize(op, *in[next], sums);
    if (op.attr.sfpu_gelu) gelu(sums);
}

}  // namespace ttsim::impl
