// Golden of fused ops: the goldens of the sub-ops in listed order, per core, since broadcasts inside a fused op repeat
// tiles of each core.
#include "kernels/ops/fused_op.hpp"
#include "kernels/ops/golden_result.hpp"

namespace ttsim::impl {
namespace {

Tensor crop(const Tensor& from, std::int64_t r0, std::int64_t c0, std::int64_t rows, std::int64_t cols) {
    Tensor part(from.z, rows, cols);
    for (std::int64_t z = 0; z < from.z; ++z)
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < cols; ++c) part.slice(z).at(r, c) = from.slice(z).at(r0 + r, c0 + c);
    return part;
}

/// Part `place` of `parts` along one dimension; everything if a product shares it among cores.
struct Range {
    std::int64_t first, size;
};
Range range(std::int64_t size, bool shared, std::int64_t parts, std::int64_t place) {
    return shared ? Range{0, size} : Range{place * (size / parts), size / parts};
}

Tensor apply(const Tensor& x, FusedTm tm, TileDim dim) {
    using Tm = FusedTm::Kind;
    const auto rows = tm.kind == Tm::BroadcastR ? x.rows * tm.factor : x.rows;
    const auto cols = tm.kind == Tm::BroadcastC ? x.cols * tm.factor : x.cols;
    Tensor y(x.z, rows, cols);
    for (std::int64_t z = 0; z < x.z; ++z)
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < cols; ++c) {
                const auto from_r = tm.kind == Tm::TileBroadcastR ? r / dim.h * dim.h : r % x.rows;
                const auto from_c = tm.kind == Tm::TileBroadcastC ? c / dim.w * dim.w : c % x.cols;
                y.slice(z).at(r, c) = x.slice(z).at(from_r, from_c);
            }
    return y;
}

/// A c broadcast before a product: inner tile d of block k is column d of ublock k, cyclically.
Tensor repeat_inner(const Tensor& x, const FusedSubOp& by, const FusedSubOp& product, TileDim dim) {
    const auto inner = product.attributes.u_kt;
    Tensor y(x.z, x.rows, product.attributes.m_k * inner * dim.w);
    for (std::int64_t z = 0; z < y.z; ++z)
        for (std::int64_t r = 0; r < y.rows; ++r)
            for (std::int64_t c = 0; c < y.cols; ++c) {
                const auto k = c / dim.w / inner, d = c / dim.w % inner;
                const auto column = k % by.mblock_n * by.ublock_ct + d % by.ublock_ct;
                y.slice(z).at(r, c) = x.slice(z).at(r, column * dim.w + c % dim.w);
            }
    return y;
}

class CoreGolden {
public:
    CoreGolden(const OpConfig& op, std::span<const Tensor* const> in, std::int64_t i, std::int64_t j)
        : op_(op),
          in_(in),
          i_(i),
          j_(j),
          intermediates_(static_cast<std::size_t>(op.fused->intermediates)),
          writers_(intermediates_.size()) {}

    Tensor run() {
        Tensor output;
        for (const auto& schedule : op_.fused->schedules) {
            const FusedSubOp* before = nullptr;
            for (const auto& sub : schedule) {
                auto result = evaluate(sub, before);
                before = &sub;
                if (sub.output.kind == FusedOperand::Kind::Intermed) {
                    intermediates_[static_cast<std::size_t>(sub.output.index)] = std::move(result);
                    writers_[static_cast<std::size_t>(sub.output.index)] = &sub;
                } else if (sub.output.kind == FusedOperand::Kind::Dest) {
                    dest_ = std::move(result);
                } else {
                    output = std::move(result);
                }
            }
        }
        return output;
    }

private:
    Tensor operand(const FusedSubOp& sub, std::size_t k) const {
        const auto& name = sub.inputs[k];
        if (name.kind == FusedOperand::Kind::Dest) return dest_;
        const auto index = static_cast<std::size_t>(name.index);
        if (name.kind == FusedOperand::Kind::Intermed) return intermediates_[index];
        const bool product = sub.type == "matmul";
        const auto rows = range(in_[index]->rows, product && k == 1, op_.out.grid_r, i_);
        const auto cols = range(in_[index]->cols, product && k == 0, op_.out.grid_c, j_);
        return crop(*in_[index], rows.first, cols.first, rows.size, cols.size);
    }

    Tensor evaluate(const FusedSubOp& sub, const FusedSubOp* before) const {
        auto config = sub_config(op_, sub, before);
        std::vector<Tensor> operands;
        for (std::size_t k = 0; k < sub.inputs.size(); ++k) {
            auto x = operand(sub, k);
            if (is_inner_broadcast(sub, k))
                x = repeat_inner(x, *writers_[static_cast<std::size_t>(sub.inputs[k].index)], sub, config.in_tile[k]);
            else if (k < sub.input_tms.size())
                for (const auto& tm : sub.input_tms[k]) x = apply(x, tm, config.in_tile[k]);
            config.in.push_back({x.z, x.rows / config.in_tile[k].h, x.cols / config.in_tile[k].w});
            operands.push_back(std::move(x));
        }
        config.random = {op_.random.input, i_ * config.out.core_rt() * op_.tile.h,
                         j_ * config.out.core_ct() * op_.tile.w, op_.out.shape().rt * op_.tile.h};
        std::vector<const Tensor*> pointers;
        for (const auto& x : operands) pointers.push_back(&x);
        auto result = find_op(sub.type)->golden(config, pointers);
        finish_golden(config, nullptr, result);
        return result;
    }

    const OpConfig& op_;
    std::span<const Tensor* const> in_;
    std::int64_t i_, j_;
    std::vector<Tensor> intermediates_;
    std::vector<const FusedSubOp*> writers_;
    Tensor dest_;
};

}  // namespace

Tensor golden_fused(const OpConfig& op, std::span<const Tensor* const> in) {
    Tensor out(op.out.shape(), op.tile);
    for (std::int64_t i = 0; i < op.out.grid_r; ++i)
        for (std::int64_t j = 0; j < op.out.grid_c; ++j) {
            const auto part = CoreGolden(op, in, i, j).run();
            for (std::int64_t z = 0; z < out.z; ++z)
                for (std::int64_t r = 0; r < part.rows; ++r)
                    for (std::int64_t c = 0; c < part.cols; ++c)
                        out.slice(z).at(i * part.rows + r, j * part.cols + c) = part.slice(z).at(r, c);
        }
    return out;
}

}  // namespace ttsim::impl
