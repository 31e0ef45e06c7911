#include "api/embedded/bridge/descriptor.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace ttsim::impl::bridge {

// --- 1. descriptors and forks --------------------------------------------------------------------------------------

namespace {

std::mutex opened_guard;
std::vector<int>& opened = *new std::vector<int>;  // never destroyed, since global descriptors may be closed at exit

void register_forks() {
    static std::once_flag once;
    std::call_once(once, [] {
        ::pthread_atfork([] { opened_guard.lock(); }, [] { opened_guard.unlock(); },
                         [] {
                             for (const int descriptor : opened) ::close(descriptor);
                             opened.clear();
                             opened_guard.unlock();
                         });
    });
}

}  // namespace

Descriptor::Descriptor(const std::function<int()>& open) : process_(::getpid()) {
    register_forks();
    const std::lock_guard lock(opened_guard);
    opened.reserve(opened.size() + 1);  // allocates before open(), so that no open descriptor is lost
    number_ = open();
    if (number_ >= 0) opened.push_back(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)), process_(other.process_) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(process_, other.process_);
    return *this;
}

void Descriptor::close() noexcept {
    const int number = std::exchange(number_, -1);
    if (number < 0 || process_ != ::getpid()) return;  // in a forked process it is already closed
    const std::lock_guard lock(opened_guard);
    std::erase(opened, number);
    ::close(number);
}

// --- 2. transfers --------------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void fail(int error, const char* what) { throw std::system_error(error, std::generic_category(), what); }

/// Timeout for poll(), limited to the range of int.
int milliseconds_left(const TimeLimit& limit) {
    using std::chrono::milliseconds;
    std::optional<milliseconds> left = limit.idle;
    if (limit.deadline) {
        const auto rest = std::chrono::ceil<milliseconds>(*limit.deadline - TimeLimit::Clock::now());
        left = std::max(milliseconds(0), left ? std::min(*left, rest) : rest);
    }
    if (!left) return -1;
    return static_cast<int>(std::min<std::int64_t>(left->count(), std::numeric_limits<int>::max()));
}

void wait_until_ready(const Descriptor& socket, short events, const TimeLimit& limit) {
    pollfd one{socket.get(), events, 0};
    int ready = 0;
    do {
        ready = ::poll(&one, 1, milliseconds_left(limit));
    } while (ready < 0 && errno == EINTR);
    if (ready < 0) fail(errno, "poll");
    if (ready == 0) fail(ETIMEDOUT, "the other process stands still");
}

/// Transfers all bytes. `move` transfers bytes from an offset without waiting and returns like recv() and send().
template <class Move>
void transfer(const Descriptor& socket, std::size_t bytes, short events, const TimeLimit& limit, Move move) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t moved = move(done, bytes - done);
        if (moved > 0) {
            done += static_cast<std::size_t>(moved);
        } else if (moved == 0) {
            fail(ECONNRESET, "the connection ended");
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            wait_until_ready(socket, events, limit);
        } else if (errno != EINTR) {
            fail(errno, "the connection failed");
        }
    }
}

}  // namespace

void read_all(const Descriptor& socket, void* to, std::size_t bytes, const TimeLimit& limit) {
    transfer(socket, bytes, POLLIN, limit, [&](std::size_t at, std::size_t most) {
        return ::recv(socket.get(), static_cast<char*>(to) + at, most, MSG_DONTWAIT);
    });
}

void write_all(const Descriptor& socket, const void* from, std::size_t bytes, const TimeLimit& limit) {
    transfer(socket, bytes, POLLOUT, limit, [&](std::size_t at, std::size_t most) {
        return ::send(socket.get(), static_cast<const char*>(from) + at, most, MSG_DONTWAIT | MSG_NOSIGNAL);
    });
}

bool has_gone(const Descriptor& socket) {
    pollfd one{socket.get(), POLLRDHUP, 0};
    return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool of_this_user(const Descriptor& socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace ttsim::impl::bridge
