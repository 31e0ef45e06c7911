// Source of exports: a trace, and its netlist on the machine of the run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sim/setup/setup.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::report {

class ExportSource {
public:
    /// Throws Error(Input) when the file is not a trace, or has no netlist, such as a trace of a device image.
    explicit ExportSource(const std::string& file);

    trace::Reader& trace() { return trace_; }
    const std::string& path() const { return trace_.path(); }
    const sim::Setup& setup() const { return *setup_; }
    const Netlist& netlist() const { return setup_->netlist; }
    const ChipInstance& chip(std::int64_t id) const;
    /// An op by graph and name. Throws Error(Input) when the netlist of the trace has none.
    const Op& op(const std::string& graph, const std::string& name) const;
    /// Index of a graph in the netlist.
    std::int64_t graph_index(const std::string& graph) const;

private:
    trace::Reader trace_;
    std::unique_ptr<sim::Setup> setup_;
    std::map<std::pair<std::string, std::string>, const Op*> ops_;
};

/// Throws Error(Input) with a remedy when this trace is of level 1 and level 2 is needed.
void require_level_2(const trace::Reader& trace, const std::string& what);

}  // namespace ttsim::impl::report
