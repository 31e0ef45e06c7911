// Renders the analyzer's screen.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/report/table.hpp"
#include "tools/ttperf/analyzer.hpp"
#include "tools/ttperf/fitting.hpp"

namespace ttsim::impl::cli {

using report::PerfView;
using report::Sheet;
using report::Tone;

namespace {

std::size_t width_of(const Line& line) {
    std::size_t width = 0;
    for (const Span& span : line) width += report::letters(span.text);
    return width;
}

/// Cut to the screen's width, without control characters, which names may contain.
Line cut(Line line, std::size_t columns) {
    std::size_t left = columns;
    for (Span& span : line) {
        for (char& c : span.text)
            if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
        if (report::letters(span.text) > left) {
            std::size_t at = 0;
            for (std::size_t count = 0; at < span.text.size(); ++at)
                if ((static_cast<unsigned char>(span.text[at]) & 0xc0) != 0x80 && count++ == left) break;
            span.text.resize(at);
        }
        left -= report::letters(span.text);
    }
    return line;
}

/// Two lines of names and bold values that fit, with a note at the end. A message replaces the second line.
void add_head(std::vector<Line>& lines, const std::vector<std::pair<std::string, std::string>>& head,
              const std::string& note, const std::string& message, std::size_t columns) {
    std::array<Line, 2> both;
    std::size_t at = 0;
    for (const auto& [name, value] : head) {
        const std::size_t more = report::letters(name) + 2 + report::letters(value);
        const auto fits = [&] { return both[at].empty() || width_of(both[at]) + 2 + more <= columns; };
        if (!fits() && at == 0) at = 1;
        if (!fits()) continue;
        Line& line = both[at];
        line.push_back({(line.empty() ? "" : "  ") + name + ": "});
        line.push_back({value, Tone::Plain, true});
    }
    const std::size_t used = width_of(both[1]) + (both[1].empty() ? 0 : 2);
    const std::string shown = fitting_note(note, columns > used ? columns - used : 0);
    if (!shown.empty()) both[1].push_back({(both[1].empty() ? "" : "  ") + shown});
    if (!message.empty()) both[1] = {{message, Tone::Plain, true}};
    for (Line& line : both) lines.push_back(std::move(line));
}

/// Shortens a name in its middle, other text at its end.
std::string cell_text(const std::string& text, std::size_t width, bool right, bool name) {
    if (report::letters(text) <= width) return report::padded(text, width, right);
    if (name) return report::padded(report::shortened(text, width), width, right);
    std::string short_text = report::cut_lines(text, width);
    return report::padded(short_text, width, right);
}

Line title_line(const Sheet& sheet, const Fitting& fit, const Place& place) {
    Line line;
    for (std::size_t n = 0; n < fit.columns.size(); ++n) {
        const report::SheetColumn& column = sheet.columns[fit.columns[n]];
        if (n) line.push_back({" | ", Tone::Plain, true});
        const bool sorted = place.sorted && *place.sorted == fit.columns[n];
        line.push_back({cell_text(column.title, fit.widths[n], column.number, false), Tone::Plain, true, sorted});
    }
    return line;
}

Line row_line(const Sheet& sheet, const Fitting& fit, const report::SheetRow& row, bool under_cursor) {
    Line line;
    for (std::size_t n = 0; n < fit.columns.size(); ++n) {
        const report::SheetCell& cell = row.cells[fit.columns[n]];
        if (n) line.push_back({" | "});
        line.push_back({cell_text(cell.text, fit.widths[n], sheet.columns[fit.columns[n]].number, n == 0), cell.tone,
                        under_cursor && n == 0, under_cursor && n == 0});
    }
    return line;
}

/// Titles, a rule, and as many rows as fit.
void add_table(std::vector<Line>& lines, const Sheet& sheet, const Place& place, std::size_t rows, std::size_t columns,
               bool focus) {
    const Fitting fit = fitting(sheet, place.column, columns);
    lines.push_back(title_line(sheet, fit, place));
    const std::size_t width = width_of(lines.back());
    lines.push_back({{std::string(std::min(columns, width), '=')}});
    const std::size_t top = top_row(place, sheet.rows.size(), rows);
    for (std::size_t n = top; n < std::min(sheet.rows.size(), top + rows); ++n)
        lines.push_back(row_line(sheet, fit, sheet.rows[n], focus && n == place.cursor));
}

/// The note about the table in the second line: rows, filter, sort order.
std::string table_note(const AnalyzerState& state, const Sheet& sheet, std::size_t columns) {
    const Place& place = state.places[static_cast<std::size_t>(state.page)];
    std::string note = fmt::format("{} rows", sheet.rows.size());
    if (!state.filter.empty() && state.page != Page::Op) note += fmt::format(" with '{}'", state.filter);
    if (place.sorted && *place.sorted < sheet.columns.size())
        note += fmt::format(", sorted by {}{}", sheet.columns[*place.sorted].title, place.reversed ? ", reversed" : "");
    if (fitting(sheet, place.column, columns).more || place.column > 0) note += "; left and right arrows: more columns";
    return note;
}

// --- the map of cores ------------------------------------------------------------------------------------------------

double measured(const trace::CoreCycles& core, std::size_t measure) {
    return measure == 0 ? core.busy_share() : core.share(static_cast<trace::Cause>(measure - 1));
}

std::string measure_name(std::size_t measure) {
    return measure == 0 ? "busy" : to_string(static_cast<trace::Cause>(measure - 1));
}

/// Work is green at a high share, waiting at a low one.
Tone heat(double share, std::size_t measure) {
    const bool work = measure <= 2;
    if (work) return share > 0.5 ? Tone::Good : share < 0.25 ? Tone::Bad : Tone::Doubt;
    return share > 0.5 ? Tone::Bad : share > 0.25 ? Tone::Doubt : Tone::Good;
}

/// Positions of the cores of a chip that any epoch uses.
std::set<std::pair<std::int64_t, std::int64_t>> used_core_positions(const PerfView& view, std::int64_t chip) {
    std::set<std::pair<std::int64_t, std::int64_t>> places;
    for (const auto& [epoch, detail] : view.data.details) {
        std::set<std::int64_t> here;
        for (const trace::OpUse& op : detail.ops)
            if (op.chip == chip) here.insert(op.id);
        for (const trace::CoreCycles& core : detail.cores)
            if (here.contains(core.op)) places.insert({core.y, core.x});
    }
    return places;
}

/// Adds the grid of one chip in one launch, and sets `cursor_line` to the line of the cursor.
void add_map(std::vector<Line>& lines, std::size_t& cursor_line, const AnalyzerState& state, const PerfView& view,
             const std::vector<report::MapCore>& cores, std::size_t from, std::size_t to) {
    const Place& place = state.places[static_cast<std::size_t>(Page::Cores)];
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> at;
    for (std::size_t n = from; n < to; ++n) at[{cores[n].y, cores[n].x}] = n;
    std::set<std::int64_t> xs, ys;
    const auto known = used_core_positions(view, cores[from].chip);
    for (const auto& [y, x] : known) {
        xs.insert(x);
        ys.insert(y);
    }
    lines.push_back({{fmt::format("chip {}", cores[from].chip), Tone::Plain, true}});
    std::string titles = "   ";
    for (const std::int64_t x : xs) titles += fmt::format("{:>4}", x);
    lines.push_back({{titles, Tone::Plain, true}});
    for (const std::int64_t y : ys) {
        Line line{{fmt::format("{:>3}", y), Tone::Plain, true}};
        for (const std::int64_t x : xs) {
            line.push_back({" "});
            const auto found = at.find({y, x});
            if (found == at.end()) {
                line.push_back({known.contains({y, x}) ? "  ." : "   "});
                continue;
            }
            const double share = measured(*cores[found->second].core, state.measure);
            const bool here = found->second == place.cursor;
            line.push_back({fmt::format("{:>3.0f}", 100 * share), heat(share, state.measure), here, here});
            if (here) cursor_line = lines.size();
        }
        lines.push_back(std::move(line));
    }
}

/// Details of the core under the cursor.
std::vector<Line> core_lines(const report::MapCore& core) {
    const trace::CoreCycles& c = *core.core;
    Line first{{fmt::format("core {}-{}  op ", c.x, c.y)}, {core.op->op->name, Tone::Plain, true}};
    first.push_back({fmt::format("  {}  {} inputs  {} cycles  busy {:.1f} %", core.op->op->type, c.inputs,
                                 c.end - c.start, 100 * c.busy_share())});
    Line second;
    constexpr double least = 0.0005;
    for (std::size_t n = 0; n < trace::cause_count; ++n)
        if (const double share = c.share(static_cast<trace::Cause>(n)); share >= least)
            second.push_back({fmt::format("{}{} {:.1f} %", second.empty() ? "" : "  ",
                                          to_string(static_cast<trace::Cause>(n)), 100 * share)});
    return {first, second};
}

void add_cores(std::vector<Line>& lines, const AnalyzerState& state, const PerfView& view, ScreenSize screen) {
    const std::vector<report::MapCore> cores = map_cores_by_row(state, view);
    add_head(lines,
             {{"Epoch", fmt::format("{} ({})", state.stage, view.stages[state.stage].name)},
              {"Cores", measure_name(state.measure) + " % of their cycles"}},
             "", state.message, screen.columns);
    const std::size_t cursor = state.places[static_cast<std::size_t>(Page::Cores)].cursor;
    if (cursor < cores.size())
        for (Line& line : core_lines(cores[cursor])) lines.push_back(std::move(line));
    else
        lines.push_back({{"no cores"}});
    std::vector<Line> map;
    std::size_t cursor_line = 0;
    for (std::size_t n = 0, from = 0; n < cores.size(); ++n) {
        const bool last =
            n + 1 == cores.size() || cores[n + 1].chip != cores[n].chip || cores[n + 1].epoch != cores[n].epoch;
        if (!last) continue;
        add_map(map, cursor_line, state, view, cores, from, n + 1);
        from = n + 1;
    }
    const std::size_t room = screen.lines > lines.size() + foot_lines ? screen.lines - lines.size() - foot_lines : 1;
    const std::size_t top =
        std::min(map.size() - std::min(map.size(), room),
                 cursor_line >= room ? cursor_line - room + 1 + std::min<std::size_t>(1, room - 1) : 0);
    for (std::size_t n = top; n < std::min(map.size(), top + room); ++n) lines.push_back(std::move(map[n]));
}

// --- the frame -------------------------------------------------------------------------------------------------------

/// What keys do, in the order of the last line.
std::vector<KeyHint> key_hints(Page page) {
    switch (page) {
        case Page::Cores:
            return {{"v measure", 1}, {"arrows core", 4}, {"Enter op", 1}, {"P N prev next", 3}, {"S summary", 2},
                    {"A advice", 2},  {"H help", 0},      {"R reload", 5}, {"Q quit", 0}};
        case Page::Op:
            return {{"Tab pipes or cores", 1},
                    {"Enter follow a pipe", 2},
                    {"Esc epoch", 1},
                    {"< > o sort", 5},
                    {"S summary", 3},
                    {"A advice", 3},
                    {"F names", 6},
                    {"H help", 0},
                    {"R reload", 7},
                    {"Q quit", 0}};
        case Page::Advice:
            return {{"arrows scroll", 1}, {"E epoch", 1},  {"P N prev next", 3}, {"S summary", 1},
                    {"H help", 0},        {"R reload", 4}, {"Q quit", 0}};
        case Page::Summary:
        case Page::Epoch:
        case Page::Resources:
        case Page::Estimates:
            break;
    }
    return {{"E epoch", 1},    {"P N prev next", 4}, {"S summary", 2}, {"A advice", 1},   {"F names", 7},
            {"H help", 0},     {"R reload", 8},      {"Q quit", 0},    {"/ filter", 3},   {"< > o sort", 5},
            {"Enter open", 1}, {"D resources", 6},   {"C cores", 6},   {"X estimates", 6}};
}

Line foot_line(const AnalyzerState& state, std::size_t columns) {
    if (state.prompt == Prompt::Epoch) return {{"Epoch: ", Tone::Plain, true}, {state.typed + "_"}};
    if (state.prompt == Prompt::Filter) return {{"Filter: ", Tone::Plain, true}, {state.typed + "_"}};
    return {{fitting_hints(key_hints(state.page), columns), Tone::Plain, false, true}};
}

const std::vector<std::string> help_text{
    "S  summary              E  epoch by its number",
    "P N  previous, next epoch F  full or short names",
    "Enter  open the row     Esc  back",
    "A  advice: what limits the run, what to try",
    "D  resources of the epoch: channels, links",
    "C  map of its cores     v  its measure",
    "X  estimates and simulated cycles",
    "/  filter rows          Esc  all rows",
    "< >  sort by previous, next column",
    "o  reverse the order",
    "arrows j k PgUp PgDn Home End  move",
    "R  reload the file      Q  quit",
    "cycles are per input, of the op's slowest core",
    "bw_kernel: without waits for other ops",
    "req, bw: bytes per cycle required, achieved",
    "green: above 50 %  red: below 25 %, or too slow",
};

/// Adds the help as a box over the middle of the screen.
void add_help(std::vector<Line>& lines, ScreenSize screen) {
    std::size_t width = 0;
    for (const std::string& text : help_text) width = std::max(width, text.size());
    const std::size_t whole = width + 4, rows = std::min(help_text.size() + 2, screen.lines);
    const std::size_t left = screen.columns > whole ? (screen.columns - whole) / 2 : 0;
    const std::size_t top = (screen.lines - rows) / 2;
    for (std::size_t n = 0; n < rows; ++n) {
        const bool border = n == 0 || n + 1 == rows;
        const std::string inner = border ? "+" + std::string(width + 2, '-') + "+"
                                         : "| " + report::padded(help_text[n - 1], width, false) + " |";
        lines[top + n] = {{std::string(left, ' ')}, {inner, Tone::Plain, true}};
    }
}

void add_advice_page(std::vector<Line>& lines, const AnalyzerState& state, const PerfView& view, ScreenSize screen) {
    add_head(lines, {{"Netlist", view.data.run.netlist}, {"Advice", "what limits the run, costliest first"}}, "",
             state.message, screen.columns);
    std::vector<Line> text;
    for (const std::string& line : view.advice)
        for (const std::string& part : report::wrapped(line, screen.columns, 2))
            text.push_back({{part, Tone::Plain, !line.empty() && line[0] != ' '}});  // the first line of a cause
    const std::size_t room = screen.lines > lines.size() + foot_lines ? screen.lines - lines.size() - foot_lines : 1;
    const std::size_t cursor = state.places[static_cast<std::size_t>(Page::Advice)].cursor;
    const std::size_t top = std::min(cursor, text.size() - std::min(text.size(), room));
    for (std::size_t n = top; n < std::min(text.size(), top + room); ++n) lines.push_back(std::move(text[n]));
}

void add_page(std::vector<Line>& lines, const AnalyzerState& state, const PerfView& view, ScreenSize screen) {
    if (state.page == Page::Advice) return add_advice_page(lines, state, view, screen);
    if (state.page == Page::Cores && state.stage < view.stages.size()) return add_cores(lines, state, view, screen);
    const Sheet sheet = page_table(state, view);
    const Place& place = state.places[static_cast<std::size_t>(state.page)];
    if (state.page == Page::Op) {
        const Sheet pipes = pipe_table(state, view);
        const std::string note = "per input of one core; need and got: bytes per cycle";
        add_head(lines, pipes.head, note, state.message, screen.columns);
        add_table(lines, pipes, state.pipes, pipe_lines(state, view, screen), screen.columns, state.in_pipes);
        lines.push_back({});
    } else {
        add_head(lines, sheet.head, table_note(state, sheet, screen.columns), state.message, screen.columns);
    }
    add_table(lines, sheet, place, row_lines(state, view, screen), screen.columns,
              state.page != Page::Op || !state.in_pipes);
}

}  // namespace

std::vector<Line> render(const AnalyzerState& state, const PerfView& view, ScreenSize screen) {
    std::vector<Line> lines;
    add_page(lines, state, view, screen);
    lines.resize(screen.lines > foot_lines ? screen.lines - foot_lines : 0);
    lines.push_back(foot_line(state, screen.columns));
    lines.resize(screen.lines);
    if (state.help) add_help(lines, screen);
    for (Line& line : lines) line = cut(std::move(line), screen.columns);
    return lines;
}

}  // namespace ttsim::impl::cli
