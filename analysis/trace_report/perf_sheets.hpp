// The analyzer's tables as sheets, which the application shows and --save_epoch_screens writes.
#pragma once

#include <memory>

#include "analysis/trace/perf_resources.hpp"
#include "analysis/trace/perf_rows.hpp"
#include "analysis/trace_report/sheet.hpp"

namespace ttsim::impl::report {

/// Data of all screens.
struct PerfView {
    trace::PerfData data;
    bool spatial = false;
    std::vector<trace::Stage> stages;
    /// Row of each stage; repeated stages share a row. Rows point into `data`.
    std::vector<std::shared_ptr<const trace::StageRow>> rows;
    /// Lines of the page of advice; filled when it is first shown.
    std::vector<std::string> advice;

    PerfView(trace::PerfData given, bool spatial_epochs);
    PerfView(const PerfView&) = delete;
    PerfView& operator=(const PerfView&) = delete;
};

/// A row per stage; ids are stage numbers.
Sheet summary_sheet(const PerfView& view);
/// The ops of a stage, longest bw_kernel first; ids are their indices.
Sheet epoch_sheet(const PerfView& view, std::size_t stage);
/// Estimates of the ops of a stage compared with the simulation; ids as in epoch_sheet.
Sheet estimates_sheet(const PerfView& view, std::size_t stage);
/// Resources during the launches of a stage.
Sheet resources_sheet(const PerfView& view, std::size_t stage);
/// Cores of an op; ids are core ids.
Sheet cores_sheet(const PerfView& view, const trace::OpRow& op);
/// Operands and outputs of an op: bytes, needed and achieved rates, and waits of the pipes.
Sheet pipes_sheet(const trace::OpRow& op);

/// Cores of the chips of a stage, for a map of the grid.
struct MapCore {
    std::int64_t chip = 0, x = 0, y = 0, epoch = 0;
    const trace::OpRow* op = nullptr;
    const trace::CoreCycles* core = nullptr;
};
std::vector<MapCore> map_cores(const PerfView& view, std::size_t stage);

}  // namespace ttsim::impl::report
