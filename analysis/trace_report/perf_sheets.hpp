// The tables of an analyzer as sheets: what the application draws and --save_epoch_screens writes.
#pragma once

#include <memory>

#include "analysis/trace/perf_resources.hpp"
#include "analysis/trace/perf_rows.hpp"
#include "analysis/trace_report/sheet.hpp"

namespace ttsim::impl::report {

/// Everything that the screens are made of.
struct PerfView {
    trace::PerfData data;
    bool spatial = false;
    std::vector<trace::Stage> stages;
    /// Of each stage; those that repeat another share its row. They point into data.
    std::vector<std::shared_ptr<const trace::StageRow>> rows;

    PerfView(trace::PerfData given, bool spatial_epochs);
    PerfView(const PerfView&) = delete;
    PerfView& operator=(const PerfView&) = delete;
};

/// A row for each stage; ids are their numbers.
Sheet summary_sheet(const PerfView& view);
/// The ops of a stage; ids count them, longest bw_kernel first.
Sheet epoch_sheet(const PerfView& view, std::size_t stage);
/// What was expected of the ops of a stage against what was simulated; ids as in epoch_sheet.
Sheet estimates_sheet(const PerfView& view, std::size_t stage);
/// Resources while the launches of a stage run.
Sheet resources_sheet(const PerfView& view, std::size_t stage);
/// An op's cores; ids are those of cores.
Sheet cores_sheet(const PerfView& view, const trace::OpRow& op);
/// An op's operands and outputs: what flows, what it needs and got, and what the pipes waited for.
Sheet pipes_sheet(const trace::OpRow& op);

/// Cores of the chips of a stage, for a map of the grid.
struct MapCore {
    std::int64_t chip = 0, x = 0, y = 0, epoch = 0;
    const trace::OpRow* op = nullptr;
    const trace::CoreCycles* core = nullptr;
};
std::vector<MapCore> map_cores(const PerfView& view, std::size_t stage);

}  // namespace ttsim::impl::report
