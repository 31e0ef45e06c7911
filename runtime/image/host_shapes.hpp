// Tensor transforms of an image's record, between user tensors and queue entries.
#pragma once

#include <string>
#include <vector>

#include "netlist/netlist.hpp"
#include "runtime/image/device_record.hpp"

namespace ttsim::impl::image {

/// The shape of a tensor for the user (outside) and in a queue entry (inside, padded to tiles with zeros).
struct HostShapes {
    /// Values in `from` without source element: 0 or, for integers, all bits set.
    static constexpr std::int64_t zero = -1, ones = -2;
    Shape outside, inside;
    /// Gather map: for inputs, the element of `outside` for each element of `inside`; for outputs the reverse. Empty:
    /// the order is the same.
    std::vector<std::int64_t> from;
};

/// `recorded`: the shape in the record, or nullptr. Throw Error(Unsupported) for unsupported transforms, Error(Input)
/// for inconsistent shapes; `place`: the image.
HostShapes input_shapes(const Queue& queue, const TensorTransform& transform, const Shape* recorded,
                        const std::string& place);
/// `stack`: how the slices are restacked, or nullptr.
HostShapes output_shapes(const Queue& queue, const TensorTransform& transform, const HostStack* stack,
                         const Shape* recorded, const std::string& place);

}  // namespace ttsim::impl::image
