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

/// Whether an error means that a resource of the machine or of the process ran out.
inline bool is_resource_limit(const std::error_code& code) {
    for (const std::errc limit : {std::errc::not_enough_memory, std::errc::resource_unavailable_try_again,
                                  std::errc::too_many_files_open, std::errc::too_many_files_open_in_system})
        if (code == limit) return true;
    return false;
}

}  // namespace ttsim::impl
