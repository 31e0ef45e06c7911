// Conversion of the caller's tensors to entries of a queue, and back.
#pragma once

#include <vector>

#include "api/embedded/bridge/bridge.hpp"
#include "kernels/tensor.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::bridge {

/// All entries in float32. Throws impl::Error(Input) when type or shape do not match the queue.
std::vector<impl::Tensor> entries_of(const impl::Queue& queue, const HostTensor& tensor);

/// Shape [n, t / (h v), rows v, columns h] of stacked entries, and conversion of one entry to elements of `host` at
/// `to`. Throws impl::Error(Input) for factors that do not divide t.
Sizes stacked_shape(const impl::Queue& queue, std::size_t entries, const Stacking& stacking);
void put_stacked(const impl::Queue& queue, const impl::Tensor& entry, const Stacking& stacking, impl::DataFormat host,
                 unsigned char* to);

}  // namespace ttsim::impl::bridge
