// Errors caused by resource limits of the host: no more memory or file descriptors.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace ttsim::impl {

/// Throws std::system_error if `error` (an errno) is such a limit; returns otherwise.
inline void check_resource_limit(int error, const std::string& what) {
    if (error == EMFILE || error == ENFILE || error == ENOMEM)
        throw std::system_error(error, std::generic_category(), what);
}

}  // namespace ttsim::impl
