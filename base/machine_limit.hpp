// Errors that are nobody's fault: the machine gives no more memory or file descriptors.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace ttsim::impl {

/// Throws std::system_error where `error` (an errno) is one of these; returns at any other.
inline void check_machine_limit(int error, const std::string& what) {
    if (error == EMFILE || error == ENFILE || error == ENOMEM)
        throw std::system_error(error, std::generic_category(), what);
}

}  // namespace ttsim::impl
