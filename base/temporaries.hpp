// Files and folders that must not outlive the process: taken away again when a signal ends it.
#pragma once

#include <string>

namespace ttsim::impl {

/// Takes part while it lives; the destructor removes nothing.
class Temporary {
public:
    explicit Temporary(const std::string& path);
    ~Temporary();
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

private:
    int slot_;
};

/// Removes what is registered. For what ends the process without going back through its calls.
void remove_temporaries() noexcept;
/// From now on SIGINT, SIGTERM and SIGHUP, where they end the process, remove what is registered first.
void remove_temporaries_on_signals();

}  // namespace ttsim::impl
