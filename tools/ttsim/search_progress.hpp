// A line on the terminal for whoever waits for a search on the simulated chip.
#pragma once

#include <cstdint>
#include <functional>

namespace ttsim::impl::cli {

class SearchProgress {
public:
    SearchProgress();
    ~SearchProgress() { clear(); }
    SearchProgress(const SearchProgress&) = delete;
    SearchProgress& operator=(const SearchProgress&) = delete;

    /// What CompileOptions::on_simulation takes; empty where nobody would see it. Must not outlive this object.
    std::function<void(std::int64_t run, double best_cycles)> callback();
    void clear();

private:
    bool terminal_, shown_ = false;
};

}  // namespace ttsim::impl::cli
