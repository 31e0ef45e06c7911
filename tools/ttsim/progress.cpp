#include "tools/ttsim/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tt::cli {

using namespace std::chrono_literals;

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1), next_(Clock::now() + 1s) {}

Progress::~Progress() { clear(); }

std::function<void(double, const std::string&)> Progress::callback() {
    if (!terminal_) return {};
    return [this](double share, const std::string& what) { show(share, what); };
}

void Progress::show(double share, const std::string& what) {
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + 100ms;
    shown_ = true;
    const int percent = static_cast<int>(100 * std::clamp(share, 0.0, 1.0));
    fmt::print(stderr, "\r{:3} %  {:.70}\033[K", percent, what);  // ESC [ K: erase to the end of the line
    std::fflush(stderr);
}

void Progress::clear() {
    if (!shown_) return;
    shown_ = false;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
}

}  // namespace tt::cli
