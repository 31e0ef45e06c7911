#include "tools/ttperf/application.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "tools/common/stop_signals.hpp"
#include "tools/common/terminal.hpp"
#include "tools/ttperf/analyzer.hpp"

namespace ttsim::impl::cli {

bool has_terminal() {
    const char* const term = std::getenv("TERM");
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && term && *term &&
           std::string_view(term) != "dumb";
}

constexpr int wait_milliseconds = 200;

static ScreenColour colour_of(report::Tone tone) {
    switch (tone) {
        case report::Tone::Bad:
            return ScreenColour::Red;
        case report::Tone::Good:
            return ScreenColour::Green;
        case report::Tone::Doubt:
            return ScreenColour::Yellow;
        case report::Tone::Plain:
            break;
    }
    return ScreenColour::Plain;
}

static std::vector<ScreenLine> pieces_of(const std::vector<Line>& lines) {
    std::vector<ScreenLine> out;
    for (const Line& line : lines) {
        ScreenLine& pieces = out.emplace_back();
        for (const Span& span : line)
            pieces.push_back({span.text, colour_of(span.tone), span.bold, span.inverse, false});
    }
    return out;
}

/// Reloads the data; if the file cannot be read, the old data stay.
static void reload_view(AnalyzerState& state, std::unique_ptr<report::PerfView>& view,
                        const std::function<std::unique_ptr<report::PerfView>()>& read) {
    state.reload = false;
    try {
        view = read();
        state = clamped(std::move(state), *view);
        state.message = "file reloaded";
    } catch (const Error& error) {
        state.message = "cannot be reloaded: " + error.message();
    }
}

int run_analyzer(const std::function<std::unique_ptr<report::PerfView>()>& read,
                 const std::function<std::vector<std::string>()>& advise) {
    std::unique_ptr<report::PerfView> view = read();
    const StopSignals signals;
    AnalyzerState state;
    const ScreenTheme theme = coloured(STDOUT_FILENO) ? ScreenTheme::Default : ScreenTheme::NoColour;
    TerminalScreen terminal(theme, "--text prints tables");
    while (!state.quit && *StopSignals::caught() == 0) {
        if (state.page == Page::Advice && view->advice.empty()) view->advice = advise();
        terminal.show(pieces_of(render(state, *view, terminal.size())));
        const std::optional<int> key = terminal.key(wait_milliseconds);
        if (!key && terminal.disconnected()) break;
        if (!key) continue;
        state = handle_key(std::move(state), *key, *view, terminal.size());
        if (state.reload) reload_view(state, view, read);
    }
    return *StopSignals::caught() == 0 ? 0 : exit_code(Fault::Interrupted);
}

}  // namespace ttsim::impl::cli
