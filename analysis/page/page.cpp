#include "analysis/page/page.hpp"

#include "analysis/page/page_parts.hpp"

namespace ttsim::impl::report {

namespace {

Json pass_list(const PageSource& source) {
    Json passes = Json::array();
    for (const PassText& pass : source.passes) {
        Json graph = Json::parse(pass.json, nullptr, false);
        if (!graph.is_object() || !graph.contains("nodes"))
            fail_input({source.files.front(), 0, 0},
                       "passes/{}.json is not a graph of a pass; compile again with --keep-passes", pass.name);
        Json entry{{"name", pass.name}};
        entry.update(graph);
        passes.push_back(std::move(entry));
    }
    return passes;
}

/// A source as a run; missing parts have no key.
Json run_entry(const PageSource& source) {
    Json run{{"name", source.name}, {"files", source.files}};
    Json notes = source.notes;
    if (source.options.value || source.trace.empty()) {
        const std::unique_ptr<sim::Setup> setup = sim::set_up(source.options);
        run["arch"] = setup->arch;
        run["validated"] = setup->machine.chips.front().params.validated;
        run["netlist"] = source.netlist_text;
        run["machine"] = page_machine(setup->machine);
        run["ops"] = page_ops(setup->netlist);
        run["queues"] = page_queues(setup->netlist);
        run["epochs"] = page_epochs(*setup);
        run["counts"] = page_counts(setup->netlist);
        for (const std::string& note : setup->netlist.notes) notes.push_back(note);
    } else {
        notes.push_back("the trace contains no netlist, so placement and memory are not shown");
    }
    if (!source.passes.empty()) run["passes"] = pass_list(source);
    if (!source.trace.empty()) {
        trace::Reader reader(source.trace);
        run["trace"] = page_trace(reader);
        run["trace"]["advice"] = page_advice(reader, source.measure);
    }
    if (!source.run_report.empty()) run["report"] = Json::parse(source.run_report, nullptr, false);
    if (!source.host_steps.empty()) run["host_steps"] = source.host_steps;
    run["notes"] = std::move(notes);
    return run;
}

}  // namespace

Json page_data(const std::vector<PageSource>& runs) {
    Json list = Json::array();
    for (const PageSource& source : runs) list.push_back(run_entry(source));
    return {
        {"kind", "ttsim page data"}, {"version", page_version}, {"ttsim", TTSIM_VERSION}, {"runs", std::move(list)}};
}

}  // namespace ttsim::impl::report
