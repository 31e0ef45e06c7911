// What the transforms of an image's record make of tensors between the user and a queue.
#pragma once

#include <string>
#include <vector>

#include "netlist/netlist.hpp"
#include "runtime/image/device_record.hpp"

namespace ttsim::impl::image {

/// A tensor as the user has it, and as it fills an entry of a queue (filled up to whole tiles with zeros).
struct HostShapes {
    /// In `from`: no element of the tensor, but 0 or, of an integer, all bits set.
    static constexpr std::int64_t zero = -1, ones = -2;
    Shape outside, inside;
    /// Of an input, for each element of `inside` that of `outside` which comes there; of an output the other way.
    /// Empty: they follow each other in the same order.
    std::vector<std::int64_t> from;
};

/// `recorded`: the shape that the record gives, or nullptr. Throw Error(Unsupported) for transforms that are not done,
/// Error(Input) for shapes that do not fit together; `place`: the image.
HostShapes input_shapes(const Queue& queue, const TensorTransform& transform, const Shape* recorded,
                        const std::string& place);
/// `stack`: how the slices are restacked, or nullptr.
HostShapes output_shapes(const Queue& queue, const TensorTransform& transform, const HostStack* stack,
                         const Shape* recorded, const std::string& place);

}  // namespace ttsim::impl::image
