#include <catch2/catch.hpp>

#include "analysis/trace_report/sheet.hpp"
#include "tests/tools/perf_view.hpp"
#include "tools/ttperf/analyzer.hpp"
#include "tools/ttperf/fitting.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::cli;
using namespace ttsim::impl::test;

namespace {

std::string text_of(const Line& line) {
    std::string text;
    for (const Span& span : line) text += span.text;
    return text;
}

std::string screen_text(const AnalyzerState& state, const report::PerfView& view, ScreenSize screen) {
    std::string text;
    for (const Line& line : render(state, view, screen)) text += text_of(line) + "\n";
    return text;
}

/// A small run with keys pressed one after the other.
struct Session {
    report::PerfView view{small_perf_data(), false};
    ScreenSize screen{};
    AnalyzerState state;
    Session& keys(const std::string& letters) {
        for (const char letter : letters) state = handle_key(std::move(state), letter, view, screen);
        return *this;
    }
    Session& key(Key named) {
        state = handle_key(std::move(state), code(named), view, screen);
        return *this;
    }
    std::string text() const { return screen_text(state, view, screen); }
    bool has(const std::string& words) const { return text().find(words) != std::string::npos; }
};

report::Tone tone_of(const report::Sheet& sheet, std::size_t row, const std::string& title) {
    for (std::size_t n = 0; n < sheet.columns.size(); ++n)
        if (sheet.columns[n].title == title) return sheet.rows.at(row).cells.at(n).tone;
    FAIL("no column " << title);
    return report::Tone::Plain;
}

std::string cell_of(const report::Sheet& sheet, std::size_t row, const std::string& title) {
    for (std::size_t n = 0; n < sheet.columns.size(); ++n)
        if (sheet.columns[n].title == title) return sheet.rows.at(row).cells.at(n).text;
    return "no column " + title;
}

}  // namespace

TEST_CASE("the analyzer's summary has a row for each epoch") {
    const report::PerfView view(small_perf_data(), false);
    const report::Sheet sheet = report::summary_sheet(view);
    REQUIRE(sheet.rows.size() == 2);
    CHECK(cell_of(sheet, 0, "slowest op") == "first");
    CHECK(cell_of(sheet, 0, "cycles") == "200");
    CHECK(cell_of(sheet, 0, "speed") == "5000000");
    // (2 * 0.5 * 200 + 2 * 1 * 100) / 200 / 10
    CHECK(cell_of(sheet, 0, "util") == "20.0");
    CHECK(tone_of(sheet, 0, "util") == report::Tone::Bad);
    CHECK(cell_of(sheet, 1, "mm cores") == "2");
    CHECK(cell_of(sheet, 0, "act dram bw GB/s") == "5.00");  // 4000 bytes in 800 cycles
    CHECK(cell_of(sheet, 0, "balancer util") == "no column balancer util");
    CHECK(sheet.head[1].second == "1666666/s");  // 1e9 / (200 + 400)
}

TEST_CASE("an epoch's columns and their colours") {
    const report::PerfView view(small_perf_data(), false);
    const report::Sheet sheet = report::epoch_sheet(view, 0);
    CHECK(cell_of(sheet, 0, "name") == "first");
    CHECK(cell_of(sheet, 0, "mb") == "2,3");
    CHECK(cell_of(sheet, 0, "m/u_kt") == "4/2");
    CHECK(tone_of(sheet, 0, "m/u_kt") == report::Tone::Bad);
    CHECK(tone_of(sheet, 0, "util") == report::Tone::Good);
    CHECK(cell_of(sheet, 0, "in0_req") == "10.00");  // 1000 bytes in 100 cycles
    CHECK(cell_of(sheet, 0, "in0_bw") == "5.00");    // 4000 in 800
    CHECK(tone_of(sheet, 0, "in0_bw") == report::Tone::Bad);
    CHECK(cell_of(sheet, 0, "bw problem") == "dram in0");
    CHECK(cell_of(sheet, 1, "bw problem").empty());
    CHECK(tone_of(sheet, 1, "est_lim") == report::Tone::Bad);  // 200 against 100
    CHECK(cell_of(sheet, 1, "mb").empty());
}

TEST_CASE("a compiler's estimates bring the balancer's columns") {
    trace::PerfData data = small_perf_data();
    data.estimates = {{"first", {100, 160}}, {data.details[0].ops[1].name, {50, 80}}};
    const report::PerfView view(std::move(data), false);
    const report::Sheet summary = report::summary_sheet(view), epoch = report::epoch_sheet(view, 0);
    CHECK(cell_of(summary, 0, "balancer util") == "18.7");  // 2 * (100 + 50) / 160 / 10, cut
    CHECK(cell_of(epoch, 0, "est_lim") == "160");
    CHECK(tone_of(epoch, 0, "est_lim") == report::Tone::Doubt);  // 20 % off
    CHECK(cell_of(report::estimates_sheet(view, 0), 1, "off %") == "+100.0");
}

TEST_CASE("rows are sorted by numbers downwards, names upwards, and found by words") {
    report::Sheet sheet{
        {}, {{"name", false}, {"n"}}, {{0, {{"b"}, {"9", 9}}}, {1, {{"A c"}, {"10", 10}}}, {2, {{"d"}, {}}}}};
    report::sort_rows(sheet, 1, false);
    CHECK(sheet.rows[0].id == 1);
    CHECK(sheet.rows[2].id == 2);  // empty last
    report::sort_rows(sheet, 1, true);
    CHECK(sheet.rows[0].id == 0);
    CHECK(sheet.rows[2].id == 2);
    report::sort_rows(sheet, 0, false);
    CHECK(sheet.rows[0].cells[0].text == "A c");
    report::filter_rows(sheet, "a C");
    CHECK(sheet.rows.size() == 1);
}

TEST_CASE("keys lead from page to page") {
    Session s;
    CHECK(s.has("slowest op"));
    CHECK(s.keys("n").has("Epoch: 0 (fwd_0)"));
    CHECK(s.keys("n").has("Epoch: 1 (fwd_1)"));
    CHECK(s.keys("n").has("Epoch: 1 (fwd_1)"));   // the last
    CHECK(s.keys("Sp").has("Epoch: 1 (fwd_1)"));  // from the summary the last
    CHECK(s.keys("p").has("Epoch: 0 (fwd_0)"));
    CHECK(s.keys("sj").key(Key::Enter).has("Epoch: 1 (fwd_1)"));
    CHECK(s.keys("d").has("chip 0 dram 0"));
    CHECK(s.keys("x").has("off %"));
    CHECK(s.key(Key::Escape).has("bw_kernel"));
    CHECK(s.key(Key::Escape).has("slowest op"));
    CHECK(s.keys("q").state.quit);
    CHECK(s.keys("r").state.reload);
}

TEST_CASE("E asks for an epoch; a wrong one leads to the summary") {
    Session s;
    CHECK(s.keys("e1").has("Epoch: 1_"));
    CHECK(s.key(Key::Enter).has("Epoch: 1 (fwd_1)"));
    for (const std::string wrong : {"2", "x", "", "99999999999999999999", "-1", "1 "}) {
        s.keys("n").keys("e" + wrong).key(Key::Enter);
        CHECK(s.state.page == Page::Summary);
    }
    CHECK(s.keys("e7q").key(Key::Backspace).key(Key::Backspace).keys("0").key(Key::Enter).has("Epoch: 0 (fwd_0)"));
    CHECK(s.keys("e1").key(Key::Escape).has("Epoch: 0 (fwd_0)"));
}

TEST_CASE("a filter keeps rows with its words until it is taken away") {
    Session s;
    s.keys("n/SEC");
    CHECK(s.has("Filter: SEC_"));
    CHECK_FALSE(s.has("first"));
    CHECK(s.key(Key::Enter).has("1 rows with 'SEC'"));
    s.key(Key::Enter);  // opens what is left, not the first row of all
    CHECK(s.has("Op: second_zzz"));
    CHECK(s.key(Key::Escape).key(Key::Escape).has("first"));
    s.keys("/no such op");
    CHECK(s.key(Key::Enter).has("0 rows"));
    s.key(Key::Enter).key(Key::Down).key(Key::End);  // nothing to open or move to
    CHECK(s.state.page == Page::Epoch);
}

TEST_CASE("rows are sorted by the chosen column, which is marked") {
    Session s;
    s.screen.columns = 250;
    s.keys("n>");
    CHECK(s.has("sorted by name"));
    CHECK(s.keys(">").has("sorted by grid"));
    CHECK(s.keys("o").has("sorted by grid, reversed"));
    CHECK(s.keys("<<").has("2 rows\n"));
    CHECK(s.keys("<").has("sorted by type"));
    s.keys("<<<<");
    CHECK(s.has("sorted by cycles"));
}

TEST_CASE("names of over 50 letters are cut until F") {
    Session s;
    s.screen.columns = 250;
    CHECK(s.keys("n").has("second_" + std::string(40, 'z') + "... |"));
    CHECK(s.keys("f").has("second_" + std::string(53, 'z')));
}

TEST_CASE("the first column stays, others scroll and are left out where they do not fit") {
    Session s;
    s.keys("n");
    CHECK(s.has("first"));
    CHECK(s.has("bw problem"));
    s.key(Key::Right);
    CHECK(s.has("first"));
    CHECK(s.has("| mb"));
    CHECK_FALSE(s.has("bw problem"));
    s.keys("n");
    CHECK_FALSE(s.has("bw problem"));  // the offset stays from epoch to epoch
    for (int n = 0; n < 50; ++n) s.key(Key::Right);
    CHECK(s.has("type"));
    for (int n = 0; n < 50; ++n) s.key(Key::Left);
    CHECK(s.has("bw problem"));
}

TEST_CASE("an op's page follows its pipes") {
    Session s;
    s.keys("n").key(Key::Enter);
    CHECK(s.has("Op: first"));
    CHECK(s.has("in0    | x"));
    CHECK(s.has("2-1"));
    CHECK(s.key(Key::Enter).has("'x' is not an op of this epoch"));
    CHECK(s.key(Key::Down).key(Key::Enter).has("Op: second_"));
    CHECK(s.key(Key::Enter).has("Op: first"));
    s.key(Key::Tab).key(Key::Down);
    CHECK(s.state.places[static_cast<std::size_t>(Page::Op)].cursor == 1);
}

TEST_CASE("the map of cores shows a share for each, and the activity of the one under the cursor") {
    Session s;
    s.keys("nc");
    CHECK(s.has("busy % of their cycles"));
    CHECK(s.has("  1  80  10\n"));
    CHECK(s.has("  2  40"));
    CHECK(s.has("core 1-1  op first"));
    CHECK(s.key(Key::Right).has("core 2-1  op first"));
    CHECK(s.key(Key::Left).key(Key::Down).has("core 1-2  op second_"));
    CHECK(s.key(Key::Up).has("core 1-1"));
    CHECK(s.key(Key::Up).has("core 1-1"));  // there is none above
    s.keys("vvvvv");
    CHECK(s.has("dram % of their cycles"));
    CHECK(s.has("  1  20  90\n"));
    CHECK(s.keys("V").has("noc % of their cycles"));
    CHECK(s.key(Key::Enter).has("Op: first"));
}

TEST_CASE("help lies over the page until any key") {
    Session s;
    CHECK(s.keys("h").has("| S  summary"));
    CHECK_FALSE(s.keys("q").has("| S  summary"));
    CHECK_FALSE(s.state.quit);
}

TEST_CASE("important columns are shown before others where not all fit, in their places") {
    report::Sheet sheet;
    sheet.columns = {{"name", false}, {"aaaaaaaaaa"}, {"bbbbbbbbbb"}, {"cccccccccc"}, {"dd"}};
    report::mark_important(sheet, {"cccccccccc"});
    CHECK(fitting(sheet, 0, 35).columns == std::vector<std::size_t>{0, 1, 3});
    CHECK(fitting(sheet, 0, 35).more);
    CHECK(fitting(sheet, 1, 34).columns == std::vector<std::size_t>{0, 2, 3});
    CHECK(fitting(sheet, 0, 20).columns == std::vector<std::size_t>{0, 3});
    CHECK(fitting(sheet, 0, 99).columns.size() == 5);
    CHECK_FALSE(fitting(sheet, 0, 99).more);
    CHECK(fitting({}, 0, 35).columns.empty());
}

TEST_CASE("the last line leaves out keys of a high rank, and notes end at a part that fits") {
    const std::vector<KeyHint> hints{{"E epoch", 1}, {"F names", 2}, {"Q quit", 0}};
    CHECK(fitting_hints(hints, 30) == "E epoch  F names  Q quit");
    CHECK(fitting_hints(hints, 20) == "E epoch  Q quit");
    CHECK(fitting_hints(hints, 6) == "Q quit");
    CHECK(fitting_note("3 rows; more columns", 30) == "3 rows; more columns");
    CHECK(fitting_note("3 rows; more columns", 10) == "3 rows");
    CHECK(fitting_note("3 rows; more columns", 3).empty());
}

TEST_CASE("advice is a page, wrapped to the screen") {
    Session s;
    s.view.advice = {"1. slow op 'first': 40 % of the time; try a larger grid for 'first'",
                     "     is busy 90 % of the time"};
    s.screen = {24, 40};
    CHECK(s.keys("a").has("1. slow op 'first': 40 % of the time;\n  try a larger grid for 'first'\n"));
    CHECK(s.has("     is busy 90 % of the time\n"));
    CHECK(s.keys("n").has("Epoch: 0"));
}

TEST_CASE("a screen has its size, whatever that is") {
    Session s;
    for (const ScreenSize screen : {ScreenSize{24, 80}, ScreenSize{60, 250}, ScreenSize{1, 1}, ScreenSize{2, 7},
                                    ScreenSize{5, 20}, ScreenSize{9, 300}}) {
        s.screen = screen;
        for (const std::string keys : {"s", "e0", "n", "c", "d", "x", "a", "h"}) {
            const std::vector<Line> lines = render(s.keys(keys).state, s.view, screen);
            CHECK(lines.size() == screen.lines);
            for (const Line& line : lines) CHECK(report::letters(text_of(line)) <= screen.columns);
            s.key(Key::Enter).key(Key::Escape);
        }
    }
}

TEST_CASE("the cursor stays on the screen") {
    trace::PerfData data = small_perf_data();
    for (std::int64_t n = 0; n < 100; ++n) data.details[0].ops.push_back(small_op(10 + n, "more", 1, 1));
    const report::PerfView view(std::move(data), false);
    AnalyzerState state = handle_key({}, 'n', view, {});
    for (int n = 0; n < 30; ++n) state = handle_key(std::move(state), 'j', view, {});
    const Place place = state.places[static_cast<std::size_t>(Page::Epoch)];
    CHECK(place.cursor == 30);
    CHECK(place.top == 30 - 19 + 1);
    state = handle_key(std::move(state), code(Key::End), view, {});
    CHECK(state.places[static_cast<std::size_t>(Page::Epoch)].cursor == 101);
    state = handle_key(std::move(state), code(Key::PageUp), view, {});
    CHECK(state.places[static_cast<std::size_t>(Page::Epoch)].cursor == 101 - 19);
}

TEST_CASE("names with control characters stay in their line") {
    trace::PerfData data = small_perf_data();
    data.details[0].ops[0].name = "a\nb\x1b[2J";
    const report::PerfView view(std::move(data), false);
    const std::string text = screen_text(handle_key({}, 'n', view, {}), view, {});
    CHECK(text.find("a?b?[2J") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("a run without epochs has pages too") {
    const report::PerfView view(trace::PerfData{}, false);
    AnalyzerState state;
    for (const int key :
         {int{'n'}, int{'p'}, int{'c'}, int{'d'}, int{'x'}, code(Key::Enter), code(Key::Down), int{'>'}, int{'v'}}) {
        state = handle_key(std::move(state), key, view, {});
        CHECK(render(state, view, {}).size() == 24);
    }
}
