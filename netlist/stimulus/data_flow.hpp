// The data flow of a netlist: ops of all graphs and sub-ops of fused ops as steps, connected through queues.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/copy_ops.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// An op, or a sub-op of a fused op.
struct DataStep {
    /// The source of an operand: a step, or a host-filled queue; neither if unknown.
    struct Source {
        const DataStep* step = nullptr;
        const Queue* queue = nullptr;
    };
    struct Use {
        const DataStep* step = nullptr;
        std::size_t operand = 0;
    };
    const Op* op = nullptr;
    const FusedSubOp* sub = nullptr;  ///< nullptr: the op itself
    std::vector<Source> inputs;

    const std::string& type() const { return sub ? sub->type : op->cfg.type; }
    const OpAttributes& attr() const { return sub ? sub->attributes : op->cfg.attr; }
    bool is_copy() const { return impl::is_copy(type()); }
};

/// Holds pointers into the netlist, which must outlive it unchanged.
class DataFlow {
public:
    explicit DataFlow(const Netlist& resolved);
    const std::deque<DataStep>& steps() const { return steps_; }
    /// The readers of a queue, or of the result of a step.
    const std::vector<DataStep::Use>& uses(const std::string& queue) const;
    const std::vector<DataStep::Use>& uses(const DataStep& step) const;
    /// The source of an operand, skipping all copies.
    static DataStep::Source origin(const DataStep& step, std::size_t operand);

private:
    void add_fused(const Op& op);
    DataStep::Source source(std::string_view name) const;

    std::deque<DataStep> steps_;
    std::unordered_map<std::string_view, const Queue*> queues_;
    std::unordered_map<std::string_view, const DataStep*> results_;  ///< op -> the step that computes its output
    std::unordered_map<std::string_view, std::vector<DataStep::Use>> readers_;
    std::unordered_map<const DataStep*, std::vector<DataStep::Use>> result_uses_;
};

}  // namespace ttsim::impl
