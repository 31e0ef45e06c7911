#include "tools/tt-smi/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "analysis/smi/display.hpp"
#include "base/error.hpp"
#include "tools/common/stop_signals.hpp"
#include "tools/tt-smi/log_files.hpp"

namespace ttsim::impl::cli {

namespace {

ScreenPiece piece_of(const smi::Piece& piece, ScreenTheme theme) {
    const bool dark = theme == ScreenTheme::Dark;
    switch (piece.ink) {
        case smi::Ink::Title:
            return {piece.text, dark ? ScreenColour::Plain : ScreenColour::Magenta, true, true, false};
        case smi::Ink::Label:
            return {piece.text, dark ? ScreenColour::Green : ScreenColour::Cyan, true, false, false};
        case smi::Ink::Limit:
            return {piece.text, ScreenColour::Yellow, true, false, false};
        case smi::Ink::Faint:
            return {piece.text, ScreenColour::Plain, false, false, true};
        case smi::Ink::Plain:
            break;
    }
    return {piece.text, ScreenColour::Plain, false, false, false};
}

std::vector<ScreenLine> pieces_of(const std::vector<smi::Line>& lines, ScreenTheme theme) {
    std::vector<ScreenLine> out;
    for (const smi::Line& line : lines) {
        ScreenLine& pieces = out.emplace_back();
        for (const smi::Piece& piece : line) pieces.push_back(piece_of(piece, theme));
    }
    return out;
}

/// State of the display: settings made with keys, and the data read.
struct Session {
    smi::Source& source;
    const LiveOptions& options;
    double speed = options.speed;
    bool paused = false;
    smi::Look look{};
    smi::Sample sample{};
    smi::Averages averages{};
    smi::Dump dump{};
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

    void read();
    void end_dump();
    void seek(double share);  ///< moves a replay by a share of its length
    void play(int key);       ///< keys of a replay
    bool press(int key);      ///< returns false to quit
};

void Session::read() {
    if (source.replays()) {
        const double at = source.length() > 0 ? sample.seconds / source.length() : 0;
        look.replay = fmt::format(
            "{}, {:.0f} %", sample.last ? "at the end" : (paused ? "paused" : fmt::format("x{:.3g}", speed)), 100 * at);
        if (sample.last || (paused && sample.cycle > 0)) return;
    }
    sample = source.next(speed * options.interval);
    averages.add(sample);
    if (!look.dumping) return;
    const std::chrono::duration<double> host = std::chrono::steady_clock::now() - start;
    dump.add(source.replays() ? sample.seconds : host.count(), sample);
}

void Session::end_dump() {
    look.dumping = false;
    look.message = "wrote " + write_dump(dump, "");
    dump = {};
}

void Session::seek(double share) {
    source.seek(sample.seconds + share * source.length());
    const bool held = std::exchange(paused, false);
    sample.last = false;
    read();
    paused = held;
}

void Session::play(int key) {
    constexpr double step = 0.05, factor = 2;
    if (key == ' ') paused = !paused;
    if (key == '<') speed /= factor;
    if (key == '>') speed *= factor;
    if (key == code(Key::Left)) seek(-step);
    if (key == code(Key::Right)) seek(step);
    if (key == code(Key::Home)) seek(-1);
}

bool Session::press(int key) {
    look.message.clear();
    try {
        if (key == 'q') return false;
        if (key >= '1' && key <= '3') look.tab = key - '0';
        if (key == 't') look.side_bar = !look.side_bar;
        if (key == 'w') look.limits = !look.limits;
        if (key == 'v') look.averages = !look.averages;
        if (key == 'h') look.help = !look.help;
        if (source.replays()) play(key);
        if (key == 's') look.message = "wrote " + write_snapshot(sample, "");
        if (key == 'd') {
            if (look.dumping) {
                end_dump();
            } else {
                look.dumping = true;
            }
        }
    } catch (const Error& error) {  // such as a folder that cannot be written
        look.message = error.what();
    }
    return true;
}

}  // namespace

void watch(smi::Source& source, const LiveOptions& options) {
    Session session{source, options};
    session.read();  // errors of the source are reported before the terminal is switched to the display
    const StopSignals signals;
    TerminalScreen screen(options.theme, "-s or -d write files without one");
    using Clock = std::chrono::steady_clock;
    const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.interval));
    Clock::time_point due = Clock::now() + interval;
    while (StopSignals::caught()->load() == 0) {
        session.look.clock = time_now();
        const int columns = static_cast<int>(screen.size().columns), rows = static_cast<int>(screen.size().lines);
        screen.show(
            pieces_of(smi::display(session.sample, session.averages, session.look, columns, rows), options.theme));
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(due - Clock::now()).count();
        if (const auto key = screen.key(static_cast<int>(std::clamp<long>(left, 0, 1000))); key && !session.press(*key))
            break;
        if (Clock::now() < due) continue;
        due = Clock::now() + interval;
        session.read();
    }
    if (session.look.dumping && session.dump.rows() > 0) session.end_dump();
}

}  // namespace ttsim::impl::cli
