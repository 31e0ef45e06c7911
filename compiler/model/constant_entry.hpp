// The entry of a constant queue. It is stored, or made on demand from bytes stored elsewhere, so that opening a file of
// weights does not unpack them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "kernels/tensor.hpp"
#include "netlist/files/npy.hpp"

namespace ttsim::impl::ir {

class ConstantEntry {
public:
    ConstantEntry() : ConstantEntry(Tensor()) {}
    ConstantEntry(Tensor held)  // NOLINT: an entry is one that is held
        : cols_(held.cols), held_(std::make_shared<Tensor>(std::move(held))) {}
    /// `make` must be thread-safe, return equal tensors of `cols` columns, and not fail.
    ConstantEntry(std::int64_t cols, std::function<Tensor()> make) : cols_(cols), make_(std::move(make)) {}

    /// The same, made in pieces of its elements, in order.
    ConstantEntry(std::int64_t z, std::int64_t rows, std::int64_t cols, FloatPieces pieces)
        : ConstantEntry(cols, [z, rows, cols, pieces] {
              Tensor all(z, rows, cols);
              auto at = all.data.begin();
              pieces([&](std::span<const float> piece) { at = std::copy(piece.begin(), piece.end(), at); });
              return all;
          }) {
        pieces_ = {z, rows, cols, std::move(pieces)};
    }

    /// Zeros, which need no memory.
    static ConstantEntry zeros(std::int64_t z, std::int64_t rows, std::int64_t cols) {
        ConstantEntry entry(cols, [z, rows, cols] { return Tensor(z, rows, cols); });
        entry.zeros_ = true;
        return entry;
    }

    std::int64_t cols() const { return cols_; }  ///< elements
    bool is_zeros() const { return zeros_; }     ///< zeros() made it
    /// Calls use(z, rows, cols, pieces): the elements in pieces, without a tensor of them all if it need not be made.
    template <class Use>
    void in_pieces(const Use& use) const {
        if (pieces_.make) return use(pieces_.z, pieces_.rows, pieces_.cols, pieces_.make);
        const std::shared_ptr<const Tensor> all = tensor();
        use(all->z, all->rows, all->cols, FloatPieces([&](const auto& take) { take(std::span(all->data)); }));
    }
    /// The stored tensor, or a new one.
    std::shared_ptr<const Tensor> tensor() const { return held_ ? held_ : std::make_shared<const Tensor>(make_()); }
    /// Moves the tensor out, without a copy if it is not shared.
    Tensor take() && {
        if (!held_) return make_();
        return held_.use_count() == 1 ? std::move(*held_) : *held_;
    }

private:
    struct InPieces {
        std::int64_t z = 0, rows = 0, cols = 0;
        FloatPieces make{};
    };
    std::int64_t cols_ = 0;
    InPieces pieces_{};
    bool zeros_ = false;
    std::shared_ptr<Tensor> held_;
    std::function<Tensor()> make_;
};

}  // namespace ttsim::impl::ir
