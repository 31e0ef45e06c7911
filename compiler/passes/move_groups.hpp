// Which axes of a reshape hold the same elements, and reshapes on the other side of transposes.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// Axes of two shapes of one reshape that hold the same elements: [a0, a1) of one and [b0, b1) of the other.
struct AxisGroup {
    std::size_t a0, a1, b0, b1;
};
std::vector<AxisGroup> groups_of(const Dims& a, const Dims& b);

/// A reshape of a transpose as a transpose of a reshape.
struct Swapped {
    Dims dims;                       ///< of the reshape
    std::vector<std::int64_t> perm;  ///< of the transpose behind it
};
/// `dims`: before the transpose, `perm`: its order, `to`: what the reshape makes of it. None when axes that do not lie
/// side by side before the transpose come together.
std::optional<Swapped> reshape_first(const Dims& dims, const std::vector<std::int64_t>& perm, const Dims& to);

/// A transpose of a reshape as a reshape of a transpose: the order of that; the reshape is to what comes out in the
/// end. `dims`: before the reshape to `to`, `perm`: the order that then follows.
std::optional<std::vector<std::int64_t>> transpose_first(const Dims& dims, const Dims& to,
                                                         const std::vector<std::int64_t>& perm);

/// A reshape, a transpose and a reshape that only change the order within axes, and that of the axes.
struct Shuffled {
    Dims dims;  ///< to begin with
    /// By axis: for each position the one it comes from; empty where the order stays.
    std::vector<std::vector<std::int64_t>> within;
    std::vector<std::int64_t> perm;  ///< of the axes, after that; axes of size 1 may come and go behind
};
/// `from` reshaped to `parts`, transposed by `perm`, reshaped to `to`. None when parts of several axes come together,
/// or no order within an axis changes.
std::optional<Shuffled> shuffle_of(const Dims& from, const Dims& parts, const std::vector<std::int64_t>& perm,
                                   const Dims& to);

}  // namespace ttsim::impl::ir
