#include "tools/ttsim/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "analysis/report/table.hpp"
#include "base/utf8.hpp"
#include "tools/common/terminal.hpp"

namespace ttsim::impl::cli {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

std::string minutes(milliseconds time) {
    const auto seconds = std::chrono::round<std::chrono::seconds>(time).count();
    if (seconds >= 3600) return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

}  // namespace

std::string progress_line(const sim::RunProgress& at, milliseconds elapsed, milliseconds in_stage) {
    std::string text(at.stage);
    const double share = std::clamp(at.share, 0.0, 1.0);
    if (at.of > 0) text += fmt::format("  {} of {} inputs", report::grouped(at.inputs), report::grouped(at.of));
    if (at.of > 0 || share > 0) text += fmt::format("  {:.0f} %", 100 * share);
    text += fmt::format("  {} elapsed", minutes(elapsed));
    constexpr double least_share = 0.005;  // before, the pace is not representative
    if (share >= least_share && in_stage >= 500ms) {
        const double left = static_cast<double>(in_stage.count()) * (1 - share) / share;
        text += fmt::format(", {} left", minutes(milliseconds(static_cast<std::int64_t>(std::min(left, 1e12)))));
        if (!at.next.empty()) text += fmt::format(", then {}", at.next);
    }
    return text;
}

Progress::Progress(bool wanted)
    : terminal_(::isatty(STDERR_FILENO) == 1),
      wanted_(wanted || terminal_),
      begun_(Clock::now()),
      stage_begun_(begun_),
      next_(begun_) {}

Progress::~Progress() { clear(); }

std::function<void(const sim::RunProgress&)> Progress::callback() {
    if (!wanted_) return {};
    return [this](const sim::RunProgress& at) { show(at); };
}

void Progress::show(const sim::RunProgress& at) {
    const Clock::time_point now = Clock::now();
    if (at.stage != stage_) {
        stage_ = at.stage;
        stage_begun_ = now;
        if (!terminal_) next_ = now;
    }
    if (now < next_) return;
    next_ = now + (terminal_ ? 100ms : 2000ms);
    shown_ = true;
    const auto since = [&](Clock::time_point start) { return std::chrono::duration_cast<milliseconds>(now - start); };
    const std::string line = printable(progress_line(at, since(begun_), since(stage_begun_)));
    if (terminal_)  // ESC [ K: erase to the end of the line
        fmt::print(stderr, "\r{}\033[K", line.substr(0, terminal_width(STDERR_FILENO).value_or(80) - 1));
    else
        fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
}

void Progress::clear() {
    if (!shown_ || !terminal_) return;
    shown_ = false;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
}

}  // namespace ttsim::impl::cli
