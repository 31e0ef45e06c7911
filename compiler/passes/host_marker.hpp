// The steps of the mark-host pass (mark_host.cpp), by the reason why an op runs on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

struct TrainingRequest;

class HostMarker {
public:
    HostMarker(Graph& graph, const PassOptions& options);
    void run();

private:
    /// Integer types of more than 8 bits.
    static bool is_wide_integer(const Type& type);
    static bool is_integer_type(const Type& type) { return !is_float(type.dtype) && type.dtype != DType::Bool; }
    /// Whether the host can compute the node: an op with a value, before data formats are chosen.
    static bool computable(const Node& node);
    /// Ops that cost the host about as much as the transfer of their elements.
    static bool cheap(const Node& node);
    const Node& operand(const Edge& edge) const { return graph_.nodes[edge.value]; }

    // --- mark_host.cpp ---
    /// Ops that only the host has a form of.
    void mark_without_device_form();
    /// Integer ops that the device's floats would round, or not wrap around.
    void mark_inexact();
    /// Lookups in constant tables, and integers, that depend only on inputs.
    void mark_before();
    /// Integers that only outputs and host ops read.
    void mark_after();
    /// Ops in a loop stay on the device.
    void unmark_loops();
    /// Ops that a gradient passes through stay on the device, with the tests that they read. Integers end it.
    /// Returns the nodes that pass gradients on.
    std::vector<bool> unmark_gradients(const TrainingRequest& request, Diagnostics& problems);
    /// In training: marks the ops before host steps that the device waits for.
    void mark_before_host(const std::vector<bool>& passes, Diagnostics& problems);
    /// Sets the attribute of marked nodes; without a host fallback they are errors.
    void write_marks(Diagnostics& problems);

    // --- host_indices.cpp ---
    /// A lookup by computed indices in a table with more rows than the format holds integers exactly.
    bool exceeds_exact_indices(const Node& node) const;
    /// A maximum along an axis with more indices than the format holds exactly.
    bool finds_inexact_index(const Node& node) const;
    /// Marks indices that the format does not hold, and the integers that host ops read, which the device would round.
    void mark_inexact_indices();

    // --- host_discontinuous.cpp ---
    /// Discontinuous ops: a small change of an operand may change the result by a whole step.
    bool is_discontinuous(const Node& node) const;
    /// Ops that scale the operand of a discontinuous op: functions of each element, alone or with a splat constant, or
    /// a softmax.
    bool scales(const Node& node) const;
    /// Multiply-adds of a product.
    std::int64_t products(const Node& node) const;
    /// Finds products of fixed-point operands, with the ops that shift and scale their results.
    void find_integer_gemms();
    /// Marks cumulative sums that a sine or cosine depends on, with the ops between.
    void mark_phases();
    /// Marks discontinuous ops that depend only on inputs, with the ops they depend on.
    void mark_discontinuous_before();
    /// Marks discontinuous ops that only outputs depend on, with the ops after them and the scaling ops before them.
    void mark_discontinuous_after();

    // --- host_transfers.cpp ---
    /// Marks cheap ops on host values that only host ops read, which avoids two transfers.
    void join_host_ops();
    /// Marks cheap ops on host values whose results are smaller than operands with no other readers: less data is
    /// transferred.
    void reduce_on_host();

    Graph& graph_;
    const PassOptions& options_;
    bool fallback_;
    bool device_compares_;         ///< comparisons stay on the device
    std::int64_t exact_integers_;  ///< the data format holds the integers 0 to this exactly
    bool exact_;
    std::vector<bool> host_, integer_gemm_, without_device_form_;
};

}  // namespace ttsim::impl::ir
