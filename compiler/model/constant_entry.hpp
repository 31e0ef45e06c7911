// The entry of a constant queue. It is stored, or made on demand from bytes stored elsewhere, so that opening a file of
// weights does not unpack them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "kernels/tensor.hpp"

namespace ttsim::impl::ir {

class ConstantEntry {
public:
    ConstantEntry() : ConstantEntry(Tensor()) {}
    ConstantEntry(Tensor held)  // NOLINT: an entry is one that is held
        : cols_(held.cols), held_(std::make_shared<Tensor>(std::move(held))) {}
    /// `make` must be thread-safe, return equal tensors of `cols` columns, and not fail.
    ConstantEntry(std::int64_t cols, std::function<Tensor()> make) : cols_(cols), make_(std::move(make)) {}

    /// Zeros, which need no memory.
    static ConstantEntry zeros(std::int64_t z, std::int64_t rows, std::int64_t cols) {
        ConstantEntry entry(cols, [z, rows, cols] { return Tensor(z, rows, cols); });
        entry.zeros_ = true;
        return entry;
    }

    std::int64_t cols() const { return cols_; }  ///< elements
    bool is_zeros() const { return zeros_; }     ///< zeros() made it
    /// The stored tensor, or a new one.
    std::shared_ptr<const Tensor> tensor() const { return held_ ? held_ : std::make_shared<const Tensor>(make_()); }
    /// Moves the tensor out, without a copy if it is not shared.
    Tensor take() && {
        if (!held_) return make_();
        return held_.use_count() == 1 ? std::move(*held_) : *held_;
    }

private:
    std::int64_t cols_ = 0;
    bool zeros_ = false;
    std::shared_ptr<Tensor> held_;
    std::function<Tensor()> make_;
};

}  // namespace ttsim::impl::ir
