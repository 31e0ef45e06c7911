#include "tools/common/stop_signals.hpp"

namespace tt::cli {

static std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler may write it
static constexpr std::array signals{SIGINT, SIGTERM};

StopSignals::StopSignals() {
    caught_signal = 0;
    struct sigaction note {};
    note.sa_handler = [](int signal) { caught_signal = signal; };
    note.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&note.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &note, &before_[i]);
}

StopSignals::~StopSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
    caught_signal = 0;
}

const std::atomic<int>* StopSignals::caught() { return &caught_signal; }

}  // namespace tt::cli
