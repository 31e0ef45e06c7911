// Serves a device's queues to other processes: a thread that accepts connections, and a thread for each connection.
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "api/embedded/bridge/calls.hpp"
#include "api/embedded/bridge/guard.hpp"
#include "api/embedded/bridge/meeting.hpp"
#include "api/embedded/bridge/wire.hpp"

namespace ttsim::impl::bridge {

namespace {

constexpr std::size_t most_connections = 256;
/// Delay before accepting again after a failure for lack of descriptors or memory.
constexpr int retry_milliseconds = 50;

}  // namespace

struct DeviceServer::Impl {
    struct Connection {
        explicit Connection(Descriptor&& s) : socket(std::move(s)) {}
        Descriptor socket;
        std::thread thread;
    };
    using Connections = std::list<Connection>;

    std::shared_ptr<Device> device;
    ServedDevice served;
    std::optional<ListeningSocket> door;
    Descriptor wake;   ///< eventfd: a connection has ended, or the server stops
    Descriptor spare;  ///< reserve descriptor, closed when no other is left, to send an error to the caller
    std::thread thread;
    std::mutex guard;                ///< guards the next members
    std::condition_variable ending;  ///< a connection has ended
    Connections connections, ended;  ///< ended: connections whose threads must be joined
    bool over = false;

    void listen(const std::string& folder);
    void accept();
    bool accept_one();
    void refuse_for_want_of_descriptors();
    void admit(Descriptor socket);
    void serve(Connections::iterator connection);
    void answer_calls(const Descriptor& socket);
    void join_ended();
    void poke() const;
    void end();
};

void DeviceServer::Impl::listen(const std::string& folder) {
    wake = Descriptor([] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); });
    if (!wake) throw std::system_error(errno, std::generic_category(), "no file descriptor is left");
    spare = Descriptor([] { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); });
    door.emplace(folder, served.id);
    thread = std::thread([this] { accept(); });
}

void DeviceServer::Impl::poke() const {
    const std::uint64_t one = 1;
    (void)!::write(wake.get(), &one, sizeof one);
}

// --- 1. the thread that accepts connections ------------------------------------------------------------------------

void DeviceServer::Impl::accept() {
    bool resting = false;
    for (;;) {
        std::array<pollfd, 2> two{{{wake.get(), POLLIN, 0}, {door->socket().get(), POLLIN, 0}}};
        if (::poll(two.data(), resting ? 1 : 2, resting ? retry_milliseconds : -1) < 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(retry_milliseconds));
        std::uint64_t count = 0;
        (void)!::read(wake.get(), &count, sizeof count);
        join_ended();
        {
            const std::lock_guard lock(guard);
            if (over) return;
        }
        resting = false;
        if (two[1].revents != 0) try {
                resting = !accept_one();
            } catch (const std::exception&) {  // no memory
                resting = true;
            }
    }
}

/// Accepts one connection; returns whether the next one can be accepted at once.
bool DeviceServer::Impl::accept_one() {
    Descriptor socket = door->accept();
    if (socket) {
        admit(std::move(socket));
        return true;
    }
    const int error = errno;
    if (error == EMFILE || error == ENFILE) refuse_for_want_of_descriptors();
    return error == EAGAIN || error == EINTR || error == ECONNABORTED;
}

void DeviceServer::Impl::refuse_for_want_of_descriptors() {
    if (!spare) return;
    spare.close();
    if (const Descriptor socket = door->accept(); socket)
        send_at_once(socket,
                     error_answer("the process that has the device has no file descriptor left ('ulimit -n')", false));
    spare = Descriptor([] { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); });
}

void DeviceServer::Impl::admit(Descriptor socket) {
    if (!of_this_user(socket)) return;
    const std::lock_guard lock(guard);
    if (connections.size() >= most_connections) {
        send_at_once(socket, error_answer(std::to_string(most_connections) +
                                              " connections to the device are open already; no more are taken until "
                                              "some of their processes call finish_child_process() or end",
                                          false));
        return;
    }
    const auto one = connections.emplace(connections.end(), std::move(socket));
    try {
        one->thread = std::thread([this, one] { serve(one); });
    } catch (const std::exception& error) {  // no memory or no thread
        send_at_once(one->socket, error_answer(std::string("the process of the device cannot start a thread for "
                                                           "this one (") +
                                                   error.what() + ")",
                                               false));
        connections.erase(one);
    }
}

void DeviceServer::Impl::join_ended() {
    Connections gone;
    {
        const std::lock_guard lock(guard);
        gone.splice(gone.end(), ended);
    }
    for (Connection& connection : gone) connection.thread.join();
}

// --- 2. the thread of a connection ---------------------------------------------------------------------------------

void DeviceServer::Impl::answer_calls(const Descriptor& socket) {
    try {
        send(socket, {served.netlist_path, served.id, served.golden});
        for (;;) {
            const json message = receive(socket);
            send(socket, answer_to(*device, {message, [&] { return has_gone(socket); }}));
        }
    } catch (const InvalidMessage& error) {
        send_at_once(socket, error_answer(error.what(), false));
    } catch (const std::system_error&) {
        // the other process is gone or has stopped, or this server stops
    }
}

void DeviceServer::Impl::serve(Connections::iterator connection) {
    try {
        answer_calls(connection->socket);
    } catch (const std::exception&) {  // no memory, not even for an answer
    }
    const std::lock_guard lock(guard);
    connection->socket.close();
    ended.splice(ended.end(), connections, connection);
    ending.notify_all();
    poke();
}

// --- 3. the end ----------------------------------------------------------------------------------------------------

void DeviceServer::Impl::end() {
    device->close();  // ends waiting calls
    {
        const std::lock_guard lock(guard);
        over = true;
        for (const Connection& connection : connections) ::shutdown(connection.socket.get(), SHUT_RDWR);
    }
    poke();
    if (thread.joinable()) thread.join();
    {
        std::unique_lock lock(guard);
        ending.wait(lock, [&] { return connections.empty(); });
    }
    join_ended();
}

DeviceServer::DeviceServer(std::shared_ptr<Device> device, ServedDevice served, const std::string& folder)
    : impl_(std::make_unique<Impl>()) {
    guarded([&] {
        impl_->device = std::move(device);
        impl_->served = std::move(served);
        impl_->listen(folder);
    });
}

DeviceServer::~DeviceServer() { impl_->end(); }

}  // namespace ttsim::impl::bridge
