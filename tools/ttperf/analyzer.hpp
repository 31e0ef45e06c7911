// The analyzer without its terminal: what a key does, and what stands on the screen.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace_report/perf_sheets.hpp"
#include "tools/common/terminal_screen.hpp"

namespace ttsim::impl::cli {

enum class Page : std::uint8_t { Summary, Epoch, Op, Resources, Cores, Estimates };
inline constexpr std::size_t page_count = 6;

/// What the last line asks for.
enum class Prompt : std::uint8_t { None, Epoch, Filter };

/// Where a table is scrolled to, and how it is sorted.
struct Place {
    std::size_t cursor = 0, top = 0;    ///< rows
    std::size_t column = 0;             ///< left out behind the first
    std::optional<std::size_t> sorted;  ///< by that column; else as computed
    bool reversed = false;
};

struct AnalyzerState {
    Page page = Page::Summary;
    std::size_t stage = 0, op = 0;  ///< op: place among the stage's, longest first
    std::array<Place, page_count> places{};
    Place pipes;                ///< of the op's page
    bool in_pipes = true;       ///< the op's page: keys move among its pipes, else among its cores
    std::size_t measure = 0;    ///< of the map of cores: 0 busy, then each cause
    std::string filter, typed;  ///< typed: in the prompt
    Prompt prompt = Prompt::None;
    bool full_names = false, help = false;
    bool quit = false, reload = false;  ///< what the terminal is to do
    std::string message;                ///< until the next key
};

/// The state after a key; `key`: a Unicode character or code(Key).
AnalyzerState pressed(AnalyzerState state, int key, const report::PerfView& view, ScreenSize screen);
/// The same place in data that were read anew.
AnalyzerState settled(AnalyzerState state, const report::PerfView& view);

struct Span {
    std::string text;
    report::Tone tone = report::Tone::Plain;
    bool bold = false, inverse = false;
};
using Line = std::vector<Span>;

/// As many lines as the screen has, none longer.
std::vector<Line> drawn(const AnalyzerState& state, const report::PerfView& view, ScreenSize screen);

// --- shared by the two ---

/// The table of the page: sorted, filtered, its names cut. Of the op's page that of its cores.
report::Sheet shown_sheet(const AnalyzerState& state, const report::PerfView& view);
/// The op's page: its pipes.
report::Sheet shown_pipes(const AnalyzerState& state, const report::PerfView& view);
/// The op of the op's page; nullptr where the stage has none.
const trace::OpRow* shown_op(const AnalyzerState& state, const report::PerfView& view);
/// The cores of the stage from chip to chip, row by row.
std::vector<report::MapCore> shown_cores(const AnalyzerState& state, const report::PerfView& view);
/// Lines that a page leaves to the rows of its table.
std::size_t row_lines(const AnalyzerState& state, const report::PerfView& view, ScreenSize screen);
/// Lines that the pipes take on the op's page.
std::size_t pipe_lines(const AnalyzerState& state, const report::PerfView& view, ScreenSize screen);
/// The first row to show so that the cursor is seen.
std::size_t top_row(const Place& place, std::size_t rows, std::size_t lines);

inline constexpr std::size_t head_lines = 4, foot_lines = 1;

}  // namespace ttsim::impl::cli
