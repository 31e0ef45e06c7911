#include "tools/ttsim/search_progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "analysis/report/table.hpp"

namespace ttsim::impl::cli {

SearchProgress::SearchProgress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

std::function<void(std::int64_t, double)> SearchProgress::callback() {
    if (!terminal_) return {};
    return [this](std::int64_t run, double best) {
        shown_ = true;
        fmt::print(stderr, "\rtrying schedules: run {}", run);
        if (best > 0) fmt::print(stderr, ", best so far {} cycles", report::grouped(static_cast<std::int64_t>(best)));
        fmt::print(stderr, "\033[K");
        std::fflush(stderr);
    };
}

void SearchProgress::clear() {
    if (!shown_) return;
    shown_ = false;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
}

}  // namespace ttsim::impl::cli
