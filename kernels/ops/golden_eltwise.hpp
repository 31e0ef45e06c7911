// Golden of element-wise ops, on whole tensors.
#pragma once

#include <span>

#include "base/error.hpp"
#include "kernels/op_config.hpp"

namespace ttsim::impl {

/// Maps element (z, r, c) of the output's tiles to an operand whose tiles may be smaller (0 outside them) or larger.
class GoldenOperand {
public:
    GoldenOperand(const OpConfig& op, std::span<const Tensor* const> in, std::size_t k)
        : tensor_(*in[k]), to_(op.tile), from_(k < op.in_tile.size() ? op.in_tile[k] : op.tile) {
        const TileShape want = op.out.shape();
        TT_CHECK(tensor_.z == want.z && tensor_.rows == want.rt * from_.h && tensor_.cols == want.ct * from_.w,
                 "operand {} of '{}' has {}x{}x{} elements", k, op.name, tensor_.z, tensor_.rows, tensor_.cols);
    }
    bool covers(std::int64_t r, std::int64_t c) const { return r % to_.h < from_.h && c % to_.w < from_.w; }
    float at(std::int64_t z, std::int64_t r, std::int64_t c) const {
        if (from_ == to_) return fetch(z, r, c);
        if (!covers(r, c)) return 0.0F;
        return fetch(z, r / to_.h * from_.h + r % to_.h, c / to_.w * from_.w + c % to_.w);
    }

    /// Row `r` of slice `z` where the operand has the op's tiles, else null.
    const float* row(std::int64_t z, std::int64_t r) const { return from_ == to_ ? tensor_.slice(z).row(r) : nullptr; }

private:
    float fetch(std::int64_t z, std::int64_t r, std::int64_t c) const {
        return tensor_.data[static_cast<std::size_t>((z * tensor_.rows + r) * tensor_.cols + c)];
    }
    const Tensor& tensor_;
    TileDim to_, from_;
};

/// out[z][r][c] = value(z, r, c)
template <class Value>
Tensor golden_elements(const OpConfig& op, Value value) {
    Tensor out(op.out.shape(), op.tile);
    std::size_t i = 0;
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t r = 0; r < out.rows; ++r) {
            for (std::int64_t c = 0; c < out.cols; ++c) out.data[i++] = value(z, r, c);
        }
    }
    return out;
}

/// out = f(x, ...), element by element; operands with tiles of another size are 0 outside them.
template <class F, class... Operands>
Tensor golden_map_of(const OpConfig& op, F f, const Operands&... x) {
    if ((... || (x.row(0, 0) == nullptr)))
        return golden_elements(op, [&](std::int64_t z, std::int64_t r, std::int64_t c) { return f(x.at(z, r, c)...); });
    Tensor out(op.out.shape(), op.tile);
    for (std::int64_t z = 0; z < out.z; ++z)
        for (std::int64_t r = 0; r < out.rows; ++r) {
            const MatrixView to = out.slice(z);
            [&](float* y, auto... from) {
                for (std::int64_t c = 0; c < to.cols; ++c) y[c] = f(from[c]...);
            }(to.row(r), x.row(z, r)...);
        }
    return out;
}

/// Copy of operand 0 that keeps raw bit patterns.
inline Tensor golden_copy(const OpConfig& op, std::span<const Tensor* const> in) {
    return golden_map_of(
        op, [](float x) { return x; }, GoldenOperand(op, in, 0));
}

}  // namespace ttsim::impl
