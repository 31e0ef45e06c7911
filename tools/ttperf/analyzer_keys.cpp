// Effects of keys in the analyzer.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "tools/ttperf/analyzer.hpp"

namespace ttsim::impl::cli {

using report::PerfView;

namespace {

Place& active_place(AnalyzerState& state) {
    return state.page == Page::Op && state.in_pipes ? state.pipes : state.places[static_cast<std::size_t>(state.page)];
}

std::size_t rows_of(const AnalyzerState& state, const PerfView& view) {
    if (state.page == Page::Cores) return map_cores_by_row(state, view).size();
    if (state.page == Page::Advice) return view.advice.size();
    return (state.page == Page::Op && state.in_pipes ? pipe_table(state, view) : page_table(state, view)).rows.size();
}

std::size_t lines_of(const AnalyzerState& state, const PerfView& view, ScreenSize screen) {
    return state.page == Page::Op && state.in_pipes ? pipe_lines(state, view, screen) : row_lines(state, view, screen);
}

void go_to(AnalyzerState& state, Page page) {
    state.page = page;
    active_place(state).cursor = active_place(state).top = 0;
}

void go_to_stage(AnalyzerState& state, std::size_t stage) {
    state.stage = stage;
    state.op = 0;
    state.filter.clear();
    const bool of_epochs = state.page != Page::Summary && state.page != Page::Op && state.page != Page::Advice;
    go_to(state, of_epochs ? state.page : Page::Epoch);
}

/// The id of the row under the cursor, such as the epoch on the summary page.
std::optional<std::size_t> row_id(const AnalyzerState& state, const PerfView& view) {
    const report::Sheet sheet = page_table(state, view);
    const std::size_t cursor = state.places[static_cast<std::size_t>(state.page)].cursor;
    if (cursor >= sheet.rows.size()) return std::nullopt;
    return static_cast<std::size_t>(sheet.rows[cursor].id);
}

void open_page(AnalyzerState& state, const PerfView& view, Page page) {
    if (state.page == Page::Summary) {
        const std::optional<std::size_t> stage = row_id(state, view);
        if (!stage) return;
        state.stage = *stage;
    }
    if (state.page != page) go_to(state, page);
}

void open_op(AnalyzerState& state, std::size_t op) {
    state.op = op;
    state.in_pipes = true;
    state.pipes = {};
    go_to(state, Page::Op);
}

/// Opens the op at the other end of the pipe under the cursor.
void follow_pipe(AnalyzerState& state, const PerfView& view) {
    const trace::OpRow* const op = current_op(state, view);
    if (!op || !state.in_pipes) return;
    std::vector<std::string> others;
    for (const auto* ends : {&op->operands, &op->outputs})
        for (const trace::OpPipe& end : *ends) others.push_back(end.other);
    if (state.pipes.cursor >= others.size()) return;
    const std::vector<trace::OpRow>& ops = view.rows[state.stage]->ops;
    for (std::size_t n = 0; n < ops.size(); ++n)
        if (ops[n].op->name == others[state.pipes.cursor] && ops[n].epoch == op->epoch) return open_op(state, n);
    state.message = "'" + others[state.pipes.cursor] + "' is not an op of this epoch";
}

void open_row(AnalyzerState& state, const PerfView& view) {
    if (state.page == Page::Summary) return open_page(state, view, Page::Epoch);
    if (state.page == Page::Op) return follow_pipe(state, view);
    if (state.page == Page::Cores) {
        const std::vector<report::MapCore> cores = map_cores_by_row(state, view);
        const std::size_t at = active_place(state).cursor;
        if (at < cores.size())
            open_op(state, static_cast<std::size_t>(cores[at].op - view.rows[state.stage]->ops.data()));
        return;
    }
    if (state.page != Page::Epoch && state.page != Page::Estimates) return;
    if (const std::optional<std::size_t> op = row_id(state, view)) open_op(state, *op);
}

void go_back(AnalyzerState& state) {
    if (!state.filter.empty()) return state.filter.clear();
    state.page = state.page == Page::Op || state.page == Page::Cores || state.page == Page::Resources ||
                         state.page == Page::Estimates
                     ? Page::Epoch
                     : Page::Summary;
}

/// Opens the epoch whose number was typed, else the summary.
void accept_epoch(AnalyzerState& state, const PerfView& view) {
    std::size_t number = 0;
    const char* const end = state.typed.data() + state.typed.size();
    const auto [stop, error] = std::from_chars(state.typed.data(), end, number);
    const bool known = error == std::errc() && stop == end && number < view.rows.size();
    if (known) return go_to_stage(state, number);
    go_to(state, Page::Summary);
}

void handle_prompt_key(AnalyzerState& state, int key, const PerfView& view) {
    const Prompt prompt = state.prompt;
    if (key == code(Key::Enter)) {
        state.prompt = Prompt::None;
        if (prompt == Prompt::Epoch) accept_epoch(state, view);
    } else if (key == code(Key::Escape)) {
        state.prompt = Prompt::None;
        if (prompt == Prompt::Filter) state.filter.clear();
    } else if (key == code(Key::Backspace)) {
        if (!state.typed.empty()) state.typed.pop_back();
    } else if (key >= ' ' && key < 127) {
        state.typed += static_cast<char>(key);
    }
    if (prompt == Prompt::Filter && key != code(Key::Enter) && key != code(Key::Escape)) {
        state.filter = state.typed;
        active_place(state).cursor = 0;
    }
}

/// Sorts by the next or previous column; after the last column, the order is as computed.
void sort_by(AnalyzerState& state, const PerfView& view, bool next) {
    if (state.page == Page::Cores || state.page == Page::Advice) return;
    Place& place = state.places[static_cast<std::size_t>(state.page)];
    const std::size_t columns = page_table(state, view).columns.size();
    if (columns == 0) return;
    const std::size_t now = place.sorted ? *place.sorted + 1 : 0;  // 0: as computed
    const std::size_t then = (now + (next ? 1 : columns)) % (columns + 1);
    place.sorted = then == 0 ? std::nullopt : std::optional<std::size_t>(then - 1);
    place.cursor = place.top = 0;
}

/// On the map, moves to the nearest core above or below; in tables, by one row.
void move_up_or_down(AnalyzerState& state, const PerfView& view, bool down) {
    Place& place = active_place(state);
    if (state.page != Page::Cores) {
        place.cursor = down ? place.cursor + 1 : place.cursor - std::min<std::size_t>(place.cursor, 1);
        return;
    }
    const std::vector<report::MapCore> cores = map_cores_by_row(state, view);
    if (place.cursor >= cores.size()) return;
    const report::MapCore from = cores[place.cursor];
    for (std::size_t n = place.cursor; down ? n < cores.size() : n != SIZE_MAX; down ? ++n : --n) {
        const report::MapCore& to = cores[n];
        const bool other_row = to.y != from.y || to.chip != from.chip || to.epoch != from.epoch;
        if (other_row && to.x == from.x) {
            place.cursor = n;
            return;
        }
    }
}

void move_left_or_right(AnalyzerState& state, const PerfView& view, bool right) {
    Place& place = active_place(state);
    if (state.page == Page::Cores) {
        place.cursor = right ? place.cursor + 1 : place.cursor - std::min<std::size_t>(place.cursor, 1);
        return;
    }
    if (state.page == Page::Advice) return;
    const report::Sheet sheet =
        state.page == Page::Op && state.in_pipes ? pipe_table(state, view) : page_table(state, view);
    const std::size_t most = sheet.columns.size() > 2 ? sheet.columns.size() - 2 : 0;
    place.column = right ? std::min(place.column + 1, most) : place.column - std::min<std::size_t>(place.column, 1);
}

/// Handles keys that move within a page; returns whether `key` is one.
bool handle_move_key(AnalyzerState& state, int key, const PerfView& view, ScreenSize screen) {
    Place& place = active_place(state);
    const std::size_t lines = lines_of(state, view, screen);
    if (key == code(Key::Up) || key == 'k')
        move_up_or_down(state, view, false);
    else if (key == code(Key::Down) || key == 'j')
        move_up_or_down(state, view, true);
    else if (key == code(Key::Left) || key == code(Key::Right))
        move_left_or_right(state, view, key == code(Key::Right));
    else if (key == code(Key::PageUp))
        place.cursor -= std::min(place.cursor, lines);
    else if (key == code(Key::PageDown))
        place.cursor += lines;
    else if (key == code(Key::Home))
        place.cursor = 0;
    else if (key == code(Key::End))
        place.cursor = SIZE_MAX;
    else
        return false;
    return true;
}

void step_epoch(AnalyzerState& state, const PerfView& view, bool next) {
    if (view.rows.empty()) return;
    const std::size_t last = view.rows.size() - 1;
    if (state.page == Page::Summary || state.page == Page::Advice) return go_to_stage(state, next ? 0 : last);
    if (next ? state.stage < last : state.stage > 0) go_to_stage(state, next ? state.stage + 1 : state.stage - 1);
}

void open_prompt(AnalyzerState& state, Prompt prompt) {
    state.prompt = prompt;
    state.typed = prompt == Prompt::Filter ? state.filter : "";
}

void handle_command_key(AnalyzerState& state, int key, const PerfView& view) {
    switch (key < 128 && key > 0 ? std::tolower(key) : key) {
        case 'q':
            state.quit = true;
            break;
        case 'r':
            state.reload = true;
            break;
        case 'h':
        case '?':
            state.help = true;
            break;
        case 's':
            go_to(state, Page::Summary);
            break;
        case 'f':
            state.full_names = !state.full_names;
            break;
        case 'e':
            open_prompt(state, Prompt::Epoch);
            break;
        case '/':
            if (state.page != Page::Op && state.page != Page::Cores && state.page != Page::Advice)
                open_prompt(state, Prompt::Filter);
            break;
        case 'n':
            step_epoch(state, view, true);
            break;
        case 'p':
            step_epoch(state, view, false);
            break;
        case 'a':
            go_to(state, Page::Advice);
            break;
        case 'd':
            open_page(state, view, Page::Resources);
            break;
        case 'c':
            open_page(state, view, Page::Cores);
            break;
        case 'x':
            open_page(state, view, Page::Estimates);
            break;
        case 'v':
            state.measure = (state.measure + (key == 'v' ? 1 : trace::cause_count)) % (trace::cause_count + 1);
            break;
        case '<':
        case ',':
            sort_by(state, view, false);
            break;
        case '>':
        case '.':
            sort_by(state, view, true);
            break;
        case 'o':
            state.places[static_cast<std::size_t>(state.page)].reversed ^= true;
            break;
        default:
            break;
    }
    if (key == code(Key::Enter)) open_row(state, view);
    if (key == code(Key::Escape) || key == code(Key::Backspace)) go_back(state);
    if (key == code(Key::Tab)) state.in_pipes = !state.in_pipes;
}

}  // namespace

AnalyzerState clamped(AnalyzerState state, const PerfView& view) {
    if (state.stage >= view.rows.size()) {
        state.stage = 0;
        state.page = Page::Summary;
    }
    if (!current_op(state, view)) state.op = 0;
    Place& place = active_place(state);
    const std::size_t rows = rows_of(state, view);
    place.cursor = rows == 0 ? 0 : std::min(place.cursor, rows - 1);
    return state;
}

AnalyzerState handle_key(AnalyzerState state, int key, const PerfView& view, ScreenSize screen) {
    state.message.clear();
    if (state.help) {
        state.help = false;
        return state;
    }
    if (state.prompt != Prompt::None)
        handle_prompt_key(state, key, view);
    else if (!handle_move_key(state, key, view, screen))
        handle_command_key(state, key, view);
    state = clamped(std::move(state), view);
    Place& place = active_place(state);
    place.top = top_row(place, rows_of(state, view), lines_of(state, view, screen));
    return state;
}

}  // namespace ttsim::impl::cli
