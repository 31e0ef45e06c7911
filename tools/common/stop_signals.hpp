// SIGINT and SIGTERM as a wish to stop, so that a run ends in order and its trace is kept.
#pragma once

#include <atomic>

namespace ttsim::impl::cli {

/// While it lives, the first of these signals is noted; the second ends the process as usual. One at a time.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    /// Holds the signal that came, 0: none.
    static const std::atomic<int>* caught();
};

}  // namespace ttsim::impl::cli
