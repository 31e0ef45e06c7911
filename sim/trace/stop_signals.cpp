#include "sim/trace/stop_signals.hpp"

namespace tt::sim {

static volatile std::sig_atomic_t caught_signal = 0;
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

int StopSignals::caught() { return caught_signal; }

}  // namespace tt::sim
