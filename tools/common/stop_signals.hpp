// SIGINT and SIGTERM as stop requests, so that a run ends in order and keeps its trace.
#pragma once

#include <atomic>

namespace ttsim::impl::cli {

/// During its lifetime the first of these signals is recorded; the second has its previous effect, usually ending the
/// process. Only one instance may exist at a time.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    /// The signal received; 0: none.
    static const std::atomic<int>* caught();
};

}  // namespace ttsim::impl::cli
