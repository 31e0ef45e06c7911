// What the host does to an input whose convolution moves in strides: the places of each stride x stride square become
// rows of their own, so that the device reads lines without gaps.
#pragma once

#include <utility>
#include <vector>

#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::bridge {

/// Of [z, y, x] an entry of the queue. `offsets`: x, y of the places that the kernel looks at, in the order of their
/// rows. Throws impl::Error(Input) where the entry is too small, or numbers are no floats.
impl::Tensor prestrided(const impl::Queue& queue, const impl::Tensor& values, impl::DataFormat host, int stride,
                        const std::vector<std::pair<int, int>>& offsets);

}  // namespace ttsim::impl::bridge
