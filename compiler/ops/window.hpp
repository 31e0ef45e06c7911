// Windows of convolutions and pools along spatial axes.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

struct Window {
    std::int64_t in = 0, out = 0;
    std::int64_t kernel = 1, stride = 1, dilation = 1, pad_before = 0, pad_after = 0;
    bool transposed = false;

    /// The input position that kernel position k reads for output o; -1: outside, or for transposed windows between
    /// inputs.
    std::int64_t source(std::int64_t o, std::int64_t k) const;
};

/// One window per spatial axis, from the attributes strides, dilations, pads (before..., after...), auto_pad,
/// ceil_mode, output_padding and output_shape (conv_transpose). Throws Error(Input) at node.loc.
std::vector<Window> windows(const Node& node, const Dims& spatial, const Dims& kernel);

/// The row-major input position, over all spatial axes, that kernel position `tap` reads for output `o`; -1 outside.
std::int64_t source_position(const std::vector<Window>& spatial, std::int64_t o, std::int64_t tap);
/// The same for all outputs.
std::vector<std::int64_t> source_positions(const std::vector<Window>& spatial, std::int64_t tap);
/// The same for kernel positions from `first` on and before `end` (none: all): i32 [taps, outputs]. Throws
/// Error(Unsupported) above the limit of elements.
Literal source_map(const std::vector<Window>& spatial, std::int64_t first = 0,
                   std::optional<std::int64_t> end = std::nullopt);

/// [N, C, spatial...] with the channels last.
ValueId channels_last(Builder& build, ValueId x);
/// [N, positions, C], positions row-major over the windows' outputs, as [N, C, spatial...].
ValueId channels_first(Builder& build, const std::vector<Window>& spatial, ValueId y);

}  // namespace ttsim::impl::ir
