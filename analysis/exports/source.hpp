// What exports are made of: a trace, and its netlist on the machine that it ran on.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sim/setup.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::report {

class ExportSource {
public:
    /// Throws Error(Input): no trace, or one that does not hold its netlist, such as that of a device image.
    explicit ExportSource(const std::string& file);

    trace::Reader& trace() { return trace_; }
    const std::string& path() const { return trace_.path(); }
    const sim::Setup& setup() const { return *setup_; }
    const Netlist& netlist() const { return setup_->netlist; }
    const ChipInstance& chip(std::int64_t id) const;
    /// An op by graph and name. Throws Error(Input) when the netlist of the trace has none.
    const Op& op(const std::string& graph, const std::string& name) const;
    /// Place of a graph in the netlist.
    std::int64_t graph_index(const std::string& graph) const;

private:
    trace::Reader trace_;
    std::unique_ptr<sim::Setup> setup_;
    std::map<std::pair<std::string, std::string>, const Op*> ops_;
};

/// Throws Error(Input), with what to do, when a trace of level 2 is wanted and this one is of level 1.
void want_level_2(const trace::Reader& trace, const std::string& what);

}  // namespace ttsim::impl::report
