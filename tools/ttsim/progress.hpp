// A progress line for whoever waits: how far, since when, how long to go.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "sim/run.hpp"

namespace ttsim::impl::cli {

/// "simulating  12 of 64 inputs   18 %  0:03 elapsed, 0:14 left, then computing golden"
class Progress {
public:
    /// On a terminal the line is written over itself and goes at the end. Elsewhere, and only when `wanted`, a line is
    /// added now and then.
    explicit Progress(bool wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// What RunOptions::progress takes; empty when nothing would be shown. Must not outlive this object.
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

/// The text of the line. `left` is what the stage still takes at its pace so far, once there is a pace to speak of.
std::string progress_line(const sim::RunProgress& at, std::chrono::milliseconds elapsed,
                          std::chrono::milliseconds in_stage);

}  // namespace ttsim::impl::cli
