#include "tools/common/stop_signals.hpp"

#include <array>
#include <csignal>

namespace ttsim::impl::cli {

static std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler may write it
static constexpr std::array signals{SIGINT, SIGTERM};
static std::array<struct sigaction, signals.size()> previous{};

/// Restores the previous handler, so that a second signal has its previous effect.
static void note_and_restore(int signal) {
    caught_signal = signal;
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (signals[i] == signal) sigaction(signal, &previous[i], nullptr);
}

StopSignals::StopSignals() {
    caught_signal = 0;
    struct sigaction note {};
    note.sa_handler = note_and_restore;
    note.sa_flags = SA_RESTART;
    sigemptyset(&note.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &note, &previous[i]);
}

StopSignals::~StopSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &previous[i], nullptr);
    caught_signal = 0;
}

const std::atomic<int>* StopSignals::caught() { return &caught_signal; }

}  // namespace ttsim::impl::cli
