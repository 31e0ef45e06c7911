// Processes beside the one that has the device, and what they push.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "tests/api/embedded/identity.hpp"

namespace embedded_test {

/// Runs `work` in a forked process, without what a test framework does at the end. Its exit code: 0 when all was right,
/// 1 when not, 2 when something was thrown.
inline pid_t forked(const std::function<bool()>& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    int code = 2;
    try {
        code = work() ? 0 : 1;
    } catch (const std::exception& error) {
        ::dprintf(STDERR_FILENO, "%s\n", error.what());
    }
    ::_exit(code);
}

inline int ended(pid_t child) {
    int status = -1;
    if (::waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline float first_of(const std::vector<std::uint16_t>& bfloat16) {
    const auto bits = static_cast<std::uint32_t>(bfloat16.at(0)) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline bool push(const tt_dram_io_desc& x, const Identity& o, int number, int seconds) {
    const std::vector<float> values = entry(o, number);
    return backend::push_input(x, tensor_of(values, DataFormat::Float32, o, o.input_count), false, seconds) == Success;
}

}  // namespace embedded_test
