// Tensors of the caller as entries of a queue, and entries as tensors for the caller.
#pragma once

#include <vector>

#include "api/embedded/bridge/bridge.hpp"
#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::bridge {

/// Every entry, in float32. Throws impl::Error(Input) where type or shape are not the queue's.
std::vector<impl::Tensor> entries_of(const impl::Queue& queue, const HostTensor& tensor);

/// Entries as [n, t / (h v), rows v, columns h] numbers of `host`, appended to `to`. Throws impl::Error(Input) for
/// factors that do not divide t.
Sizes stacked_shape(const impl::Queue& queue, std::size_t entries, const Stacking& stacking);
void put_stacked(const impl::Queue& queue, const impl::Tensor& entry, const Stacking& stacking, impl::DataFormat host,
                 unsigned char* to);

}  // namespace ttsim::impl::bridge
