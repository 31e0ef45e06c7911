// File descriptors that are not inherited by other processes, and socket transfers with time limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

namespace ttsim::impl::bridge {

/// A file descriptor that is closed in forked and executed processes.
class Descriptor {
public:
    Descriptor() = default;
    /// `open` returns a close-on-exec descriptor, or -1; then this is empty and errno is set. Forks wait for `open`, so
    /// it must not block.
    explicit Descriptor(const std::function<int()>& open);
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    void close() noexcept;

private:
    int number_ = -1, process_ = 0;  ///< process: id of the process that opened it
};

/// Limits of a transfer: longest time without progress, and deadline; no value: no limit.
struct TimeLimit {
    using Clock = std::chrono::steady_clock;
    std::optional<std::chrono::milliseconds> idle;
    std::optional<Clock::time_point> deadline;
};

/// Transfer whole buffers. Throw std::system_error: connection_reset when the other end is gone, timed_out at a limit.
void read_all(const Descriptor& socket, void* to, std::size_t bytes, const TimeLimit& limit);
void write_all(const Descriptor& socket, const void* from, std::size_t bytes, const TimeLimit& limit);
/// Whether the other end has closed its socket or its process has ended.
bool has_gone(const Descriptor& socket);
/// Whether the other end is a process of this user.
bool of_this_user(const Descriptor& socket);

}  // namespace ttsim::impl::bridge
