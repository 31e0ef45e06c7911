// The analyzer without its terminal: its state, the effect of keys, and the lines of its screen.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace_report/perf_sheets.hpp"
#include "tools/common/terminal_screen.hpp"

namespace ttsim::impl::cli {

enum class Page : std::uint8_t { Summary, Epoch, Op, Resources, Cores, Estimates, Advice };
inline constexpr std::size_t page_count = 7;

/// The prompt of the last line.
enum class Prompt : std::uint8_t { None, Epoch, Filter };

/// Cursor, scroll position and sort order of a table.
struct Place {
    std::size_t cursor = 0, top = 0;    ///< rows
    std::size_t column = 0;             ///< columns scrolled past, after the first, which always shows
    std::optional<std::size_t> sorted;  ///< column to sort by; nullopt: order as computed
    bool reversed = false;
};

struct AnalyzerState {
    Page page = Page::Summary;
    std::size_t stage = 0, op = 0;  ///< op: index among the stage's ops, longest first
    std::array<Place, page_count> places{};
    Place pipes;                ///< table of pipes on the op's page
    bool in_pipes = true;       ///< on the op's page, keys move in the table of pipes, else of cores
    std::size_t measure = 0;    ///< shown on the map of cores: 0 busy, then each cause
    std::string filter, typed;  ///< typed: text in the prompt
    Prompt prompt = Prompt::None;
    bool full_names = false, help = false;
    bool quit = false, reload = false;  ///< requests to the caller
    std::string message;                ///< shown until the next key
};

/// Returns the state after a key; `key`: a Unicode character or code(Key).
AnalyzerState handle_key(AnalyzerState state, int key, const report::PerfView& view, ScreenSize screen);
/// Returns the state with positions limited to what `view` has, such as after it was read again.
AnalyzerState clamped(AnalyzerState state, const report::PerfView& view);

struct Span {
    std::string text;
    report::Tone tone = report::Tone::Plain;
    bool bold = false, inverse = false;
};
using Line = std::vector<Span>;

/// Renders the screen: as many lines as it has, none longer than it is wide.
std::vector<Line> render(const AnalyzerState& state, const report::PerfView& view, ScreenSize screen);

// --- shared by rendering and keys ---

/// The table of the page: sorted, filtered, names shortened. On the op's page, the table of its cores.
report::Sheet page_table(const AnalyzerState& state, const report::PerfView& view);
/// The table of pipes on the op's page.
report::Sheet pipe_table(const AnalyzerState& state, const report::PerfView& view);
/// The op of the op's page; nullptr if the stage has none.
const trace::OpRow* current_op(const AnalyzerState& state, const report::PerfView& view);
/// The cores of the stage by chip and row.
std::vector<report::MapCore> map_cores_by_row(const AnalyzerState& state, const report::PerfView& view);
/// Lines available to the rows of the page's table.
std::size_t row_lines(const AnalyzerState& state, const report::PerfView& view, ScreenSize screen);
/// Lines of the table of pipes on the op's page.
std::size_t pipe_lines(const AnalyzerState& state, const report::PerfView& view, ScreenSize screen);
/// The first row to show so that the cursor is visible.
std::size_t top_row(const Place& place, std::size_t rows, std::size_t lines);

inline constexpr std::size_t head_lines = 4, foot_lines = 1;

}  // namespace ttsim::impl::cli
