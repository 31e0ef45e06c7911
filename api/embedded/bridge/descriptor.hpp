// Descriptors that end with the process that opened them, and reads and writes on sockets whose every wait has an end.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

namespace ttsim::impl::bridge {

/// Neither a forked process nor one that is executed keeps it.
class Descriptor {
public:
    Descriptor() = default;
    /// `open` gives a descriptor that is closed on exec, or -1: then this is empty and errno is set. No process is
    /// forked meanwhile, so `open` must not block.
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
    int number_ = -1, process_ = 0;  ///< process: that opened it
};

/// How long a transfer may stand still, and when it must be over; none: as long as it takes.
struct TimeLimit {
    using Clock = std::chrono::steady_clock;
    std::optional<std::chrono::milliseconds> standing;
    std::optional<Clock::time_point> over;
};

/// Whole buffers. Throw std::system_error: the other end is gone (connection_reset), or time is over (timed_out).
void read_all(const Descriptor& socket, void* to, std::size_t bytes, const TimeLimit& limit);
void write_all(const Descriptor& socket, const void* from, std::size_t bytes, const TimeLimit& limit);
/// The other end has closed its socket, or its process is over.
bool has_gone(const Descriptor& socket);
/// The other end is a process of this user.
bool of_this_user(const Descriptor& socket);

}  // namespace ttsim::impl::bridge
