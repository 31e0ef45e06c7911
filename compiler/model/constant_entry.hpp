// The entry of a queue that no run changes: held, or made of bytes that stand elsewhere each time it is asked for, so
// that opening a file of weights does not unpack them.
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
    /// `make` gives the same tensor of `cols` columns on every call, from any thread, and does not fail.
    ConstantEntry(std::int64_t cols, std::function<Tensor()> make) : cols_(cols), make_(std::move(make)) {}

    std::int64_t cols() const { return cols_; }  ///< elements
    /// The one held, or a new one.
    std::shared_ptr<const Tensor> tensor() const { return held_ ? held_ : std::make_shared<const Tensor>(make_()); }
    /// The same for good, without a copy where nobody else holds it.
    Tensor take() && {
        if (!held_) return make_();
        return held_.use_count() == 1 ? std::move(*held_) : *held_;
    }

private:
    std::int64_t cols_ = 0;
    std::shared_ptr<Tensor> held_;
    std::function<Tensor()> make_;
};

}  // namespace ttsim::impl::ir
