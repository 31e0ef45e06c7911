// The tables of the analyzer's pages, as values.
#include <algorithm>
#include <tuple>

#include "tools/ttperf/analyzer.hpp"

namespace ttsim::impl::cli {

using report::PerfView;
using report::Sheet;

static Sheet page_sheet(const AnalyzerState& state, const PerfView& view) {
    if (state.page == Page::Summary) return report::summary_sheet(view);
    if (state.stage >= view.rows.size()) return {};
    switch (state.page) {
        case Page::Epoch:
            return report::epoch_sheet(view, state.stage);
        case Page::Resources:
            return report::resources_sheet(view, state.stage);
        case Page::Estimates:
            return report::estimates_sheet(view, state.stage);
        case Page::Op:
            if (const trace::OpRow* const op = current_op(state, view)) return report::cores_sheet(view, *op);
            return {};
        case Page::Cores:
        case Page::Advice:
        case Page::Summary:
            break;
    }
    return {};
}

Sheet page_table(const AnalyzerState& state, const PerfView& view) {
    Sheet sheet = page_sheet(state, view);
    const Place& place = state.places[static_cast<std::size_t>(state.page)];
    if (place.sorted) report::sort_rows(sheet, *place.sorted, place.reversed);
    if (!state.filter.empty() && state.page != Page::Op) report::filter_rows(sheet, state.filter);
    if (!state.full_names) report::cut_names(sheet);
    return sheet;
}

const trace::OpRow* current_op(const AnalyzerState& state, const PerfView& view) {
    if (state.stage >= view.rows.size() || state.op >= view.rows[state.stage]->ops.size()) return nullptr;
    return &view.rows[state.stage]->ops[state.op];
}

Sheet pipe_table(const AnalyzerState& state, const PerfView& view) {
    const trace::OpRow* const op = current_op(state, view);
    if (!op) return {};
    Sheet sheet = report::pipes_sheet(*op);
    if (!state.full_names) report::cut_names(sheet);
    return sheet;
}

std::vector<report::MapCore> map_cores_by_row(const AnalyzerState& state, const PerfView& view) {
    if (state.stage >= view.rows.size()) return {};
    std::vector<report::MapCore> cores = report::map_cores(view, state.stage);
    const auto place = [](const report::MapCore& c) { return std::tuple(c.chip, c.epoch, c.y, c.x); };
    std::sort(cores.begin(), cores.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return cores;
}

std::size_t pipe_lines(const AnalyzerState& state, const PerfView& view, ScreenSize screen) {
    const std::size_t rows = pipe_table(state, view).rows.size();
    const std::size_t half = screen.lines > 12 ? (screen.lines - 10) / 2 : 1;
    return std::min(rows, half);
}

std::size_t row_lines(const AnalyzerState& state, const PerfView& view, ScreenSize screen) {
    std::size_t others = head_lines + foot_lines;
    if (state.page == Page::Op) others += pipe_lines(state, view, screen) + 3;  // a blank line, titles, a rule
    return screen.lines > others ? screen.lines - others : 1;
}

std::size_t top_row(const Place& place, std::size_t rows, std::size_t lines) {
    const std::size_t cursor = rows == 0 ? 0 : std::min(place.cursor, rows - 1);
    std::size_t top = place.top;
    if (cursor < top) top = cursor;
    if (cursor >= top + lines) top = cursor - lines + 1;
    return std::min(top, rows > lines ? rows - lines : 0);
}

}  // namespace ttsim::impl::cli
