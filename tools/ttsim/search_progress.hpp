// A progress line on the terminal during a schedule search on the simulated chip.
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

    /// For CompileOptions::on_simulation; empty without a terminal. Must not outlive this object.
    std::function<void(std::int64_t run, double best_cycles)> callback();
    void clear();

private:
    bool terminal_, shown_ = false;
};

}  // namespace ttsim::impl::cli
