#include "analysis/exports/source.hpp"

#include "analysis/page/page_source.hpp"

namespace ttsim::impl::report {

static std::unique_ptr<sim::Setup> setup_of(const std::string& file) {
    const PageSource source = trace_source(file);
    if (!source.options.value)
        fail_input({file, 0, 0}, "contains no netlist; trace a netlist or the folder of a compiled model");
    return sim::set_up(source.options);
}

ExportSource::ExportSource(const std::string& file) : trace_(file), setup_(setup_of(file)) {
    for (const Graph& graph : netlist().graphs)
        for (const Op& op : graph.ops) ops_[{graph.name, op.name()}] = &op;
}

const ChipInstance& ExportSource::chip(std::int64_t id) const {
    const ChipInstance* found = setup_->machine.find(id);
    if (!found) fail_input({path(), 0, 0}, "names chip {}, which its machine does not have", id);
    return *found;
}

const Op& ExportSource::op(const std::string& graph, const std::string& name) const {
    const auto found = ops_.find({graph, name});
    if (found == ops_.end())
        fail_input({path(), 0, 0}, "names the op '{}' of graph '{}', which its netlist does not have", name, graph);
    return *found->second;
}

std::int64_t ExportSource::graph_index(const std::string& graph) const {
    const auto& graphs = netlist().graphs;
    for (std::size_t n = 0; n < graphs.size(); ++n)
        if (graphs[n].name == graph) return static_cast<std::int64_t>(n);
    fail_input({path(), 0, 0}, "names the graph '{}', which its netlist does not have", graph);
}

void require_level_2(const trace::Reader& trace, const std::string& what) {
    if (trace.run().level >= 2) return;
    fail_input({trace.path(), 0, 0},
               "is a trace of level {}, which has no single transfers; {} needs level 2: add --trace-level 2 "
               "to '{} --trace FILE'",
               trace.run().level, what, trace.run().command);
}

}  // namespace ttsim::impl::report
