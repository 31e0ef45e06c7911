// Which graphs of a netlist are the forward pass, the backward pass and the optimizer of a model that is trained.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/training_figures.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl {

struct TrainingStep {
    std::map<std::string, EpochType> types;  ///< by graph; empty: the netlist does not train
    /// Bytes in DRAM or host memory of the queues that forward graphs write and backward graphs read.
    std::int64_t saved_bytes = 0;

    bool any() const { return !types.empty(); }
};

/// Finds the types by what the graphs do. Gradients are summed in rams by ops with gradient_op.
///   optimizer: reads such a ram
///   backward:  has an op with gradient_op, or reads results of a backward graph, or runs in a program of its own with
///              one that does
///   forward:   all others
/// A word "fwd", "bwd" or "opt" in a graph's name decides for a graph that the first two rules do not find. A netlist
/// with graphs of one type only does not train.
TrainingStep training_step(const Netlist& netlist);

}  // namespace ttsim::impl
