// Tensors of the caller as entries of a queue, and entries as tensors for the caller.
#pragma once

#include <vector>

#include "api/embedded/bridge/bridge.hpp"
#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"

namespace tt_bridge {

/// Every entry, in float32. Throws tt::Error(Input) where type or shape are not the queue's.
std::vector<tt::Tensor> entries_of(const tt::Queue& queue, const HostTensor& tensor);

/// Entries as [n, t / (h v), rows v, columns h] numbers of `host`, appended to `to`. Throws tt::Error(Input) for
/// factors that do not divide t.
Sizes stacked_shape(const tt::Queue& queue, std::size_t entries, const Stacking& stacking);
void put_stacked(const tt::Queue& queue, const tt::Tensor& entry, const Stacking& stacking, tt::DataFormat host,
                 unsigned char* to);

}  // namespace tt_bridge
