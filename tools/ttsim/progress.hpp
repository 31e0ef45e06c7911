// A progress line: stage, share done, time elapsed and time left.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "sim/run.hpp"

namespace ttsim::impl::cli {

/// "simulating  12 of 64 inputs   18 %  0:03 elapsed, 0:14 left, then computing golden"
class Progress {
public:
    /// On a terminal the line is overwritten in place and erased at the end. Elsewhere a line is printed every 2 s,
    /// only if `wanted`.
    explicit Progress(bool wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// For RunOptions::progress; empty if nothing is to be shown. Must not outlive this object.
    std::function<void(const sim::RunProgress&)> callback();
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    void show(const sim::RunProgress& at);

    bool terminal_, wanted_;
    bool shown_ = false;
    std::string stage_;
    Clock::time_point begun_, stage_begun_, next_;
};

/// The text of the line. The time left is extrapolated from the stage's pace, once 0.5 % are done.
std::string progress_line(const sim::RunProgress& at, std::chrono::milliseconds elapsed,
                          std::chrono::milliseconds in_stage);

}  // namespace ttsim::impl::cli
