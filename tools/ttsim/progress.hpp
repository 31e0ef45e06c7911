// A progress line on a terminal, for runs that take long enough to wonder about.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace tt::cli {

/// Prints "45 %  simulating graph fwd_0" on stderr, over itself; nothing in the first second, and nothing at all
/// when stderr is no terminal.
class Progress {
public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// What RunOptions::progress takes; empty when nothing would be shown. Must not outlive this object.
    std::function<void(double, const std::string&)> callback();
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    void show(double share, const std::string& what);

    bool terminal_;
    bool shown_ = false;
    Clock::time_point next_;
};

}  // namespace tt::cli
