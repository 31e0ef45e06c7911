// Reordering of the input of a strided convolution by the host (prestride): each position of the stride x stride
// squares becomes separate rows, so that the device reads contiguous lines.
#pragma once

#include <utility>
#include <vector>

#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::bridge {

/// Converts [z, y, x] values to an entry of the queue. `offsets`: (x, y) positions that the kernel reads, in the order
/// of their rows. Throws impl::Error(Input) when the entry is too small, or values are not floats.
impl::Tensor prestrided(const impl::Queue& queue, const impl::Tensor& values, impl::DataFormat host, int stride,
                        const std::vector<std::pair<int, int>>& offsets);

}  // namespace ttsim::impl::bridge
