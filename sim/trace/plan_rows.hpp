// Trace rows of a plan: its ops, their placement, and the pipes between them.
#pragma once

#include <cstdint>
#include <map>

#include "netlist/plan/plan.hpp"
#include "trace/writer.hpp"

namespace ttsim::impl::sim {

/// Row ids of one plan. Cores of an op and flows of a plan have consecutive ids.
struct PlanRows {
    std::int64_t id = 0;
    std::vector<std::int64_t> first_core;  ///< per op
    std::int64_t first_flow = 0;
    struct Flow {
        bool memory = false;                      ///< a pipe from a queue
        std::vector<std::uint64_t> bytes_before;  ///< bytes of an input before chunk n; the last element is the total
        std::uint64_t bytes(std::uint64_t chunks) const;
    };
    std::vector<Flow> flows;
};

/// Assigns row ids over all plans of a run.
class PlanWriter {
public:
    explicit PlanWriter(const Netlist& netlist);
    void add_queues(trace::Writer& writer) const;
    PlanRows add(trace::Writer& writer, const Plan& plan);

private:
    void add_ops(trace::Writer& writer, const Plan& plan, PlanRows& rows);
    void add_pipes(trace::Writer& writer, const Plan& plan, std::size_t o, PlanRows& rows);
    void add_writers(trace::Writer& writer, const Plan& plan, PlanRows& rows);

    const Netlist& netlist_;
    std::map<const Queue*, std::int64_t> queue_row_;
    std::map<const PlanOp*, std::int64_t> op_row_;
    std::int64_t plans_ = 0, ops_ = 0, cores_ = 0, flows_ = 0;
};

}  // namespace ttsim::impl::sim
