#include "analysis/advice/what_if.hpp"

#include "analysis/trace_report/perf_file.hpp"
#include "base/error.hpp"
#include "netlist/text/reader.hpp"

namespace ttsim::impl::advice {

namespace {

void add_programs(trace::Reader& trace, sim::RunOptions& options) {
    trace::Statement programs(trace.database(), "SELECT name FROM program ORDER BY id");
    while (programs.step()) options.programs.push_back(programs.text(0));
    trace::Statement parameters(trace.database(), "SELECT name, value FROM parameter");
    while (parameters.step()) options.params[parameters.text(0)] = parameters.integer(1);
}

}  // namespace

WhatIf::WhatIf(trace::Reader& trace, const std::string& cluster) {
    const trace::RunInfo& run = trace.run();
    const std::string text = report::netlist_text(trace);
    if (text.empty()) {
        refusal_ = "the trace contains no netlist";
        return;
    }
    if (run.status != "complete") {
        refusal_ = "the run did not end";
        return;
    }
    try {
        options_.value = std::make_shared<const Netlist>(read_netlist_text(text, run.netlist));
        options_.mode = sim::Mode::Timing;
        options_.check = false;
        options_.arch = run.arch;
        options_.device = run.device == run.arch ? "" : run.device;  // a bare chip has no device name
        options_.cluster = cluster;
        options_.inputs_count = run.inputs_count;
        options_.seed = static_cast<std::uint32_t>(run.seed);
        add_programs(trace, options_);
        cycles_ = without({});
    } catch (const Error& error) {
        refusal_ = error.what();
        return;
    }
    if (cycles_ != static_cast<std::uint64_t>(run.cycles))
        refusal_ = fmt::format(
            "the netlist takes {} cycles here and {} in the trace: it was recorded by another version, or with flags "
            "that a trace does not hold (--cluster, --harvested-rows, --without)",
            cycles_, run.cycles);
}

std::uint64_t WhatIf::without(const sim::IdealizedResources& idealized) {
    if (const auto known = known_.find(idealized); known != known_.end()) return known->second;
    sim::RunOptions options = options_;
    options.idealized = idealized;
    return known_[idealized] = sim::run(options).cycles;
}

}  // namespace ttsim::impl::advice
