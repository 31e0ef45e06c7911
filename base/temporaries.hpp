// Temporary files and folders that are removed when a signal ends the process.
#pragma once

#include <string>

namespace ttsim::impl {

/// Registers a path for its lifetime. The destructor does not remove the file.
class Temporary {
public:
    explicit Temporary(const std::string& path);
    ~Temporary();
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

private:
    int slot_;
};

/// Removes all registered paths. For exits without stack unwinding.
void remove_temporaries() noexcept;
/// Installs handlers that remove registered paths before SIGINT, SIGTERM or SIGHUP end the process. Signals with
/// another handler are left alone.
void remove_temporaries_on_signals();

}  // namespace ttsim::impl
