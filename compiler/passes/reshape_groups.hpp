// Relates the axes of a reshape's operand and result, and commutes reshapes with transposes.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

/// Axes [a0, a1) of the operand and [b0, b1) of the result of a reshape that have the same elements.
struct AxisGroup {
    std::size_t a0, a1, b0, b1;
};
std::vector<AxisGroup> groups_of(const Dims& a, const Dims& b);

/// A reshape followed by a transpose.
struct Swapped {
    Dims dims;                       ///< of the reshape
    std::vector<std::int64_t> perm;  ///< of the transpose after it
};
/// Rewrites a reshape of a transpose as a transpose of a reshape. `dims`: before the transpose; `perm`: its order;
/// `to`: dims after the reshape. None if the reshape merges axes that are not adjacent before the transpose.
std::optional<Swapped> reshape_first(const Dims& dims, const std::vector<std::int64_t>& perm, const Dims& to);

/// Rewrites a transpose of a reshape as a reshape of a transpose and returns the order of the latter; the reshape is to
/// the final dims. `dims`: before the reshape; `to`: after it; `perm`: order of the transpose.
std::optional<std::vector<std::int64_t>> transpose_first(const Dims& dims, const Dims& to,
                                                         const std::vector<std::int64_t>& perm);

/// Reshape, transpose and reshape as reorderings within axes, followed by a transpose.
struct Shuffled {
    Dims dims;  ///< dims in which the axes are reordered
    /// By axis: source position for each position; empty if the order stays.
    std::vector<std::vector<std::int64_t>> within;
    std::vector<std::int64_t> perm;  ///< order of the axes after that; a reshape may add or drop axes of size 1
};
/// `from` is reshaped to `parts`, transposed by `perm` and reshaped to `to`. None if parts of several axes are merged,
/// or no order within an axis changes.
std::optional<Shuffled> shuffle_of(const Dims& from, const Dims& parts, const std::vector<std::int64_t>& perm,
                                   const Dims& to);

}  // namespace ttsim::impl::ir
