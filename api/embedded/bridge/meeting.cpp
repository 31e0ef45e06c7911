#include "api/embedded/bridge/meeting.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/sha256.hpp"

namespace ttsim::impl::bridge {

namespace {

constexpr int socket_kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

/// Name prefix; equal for all paths to the same output folder, which need not exist.
std::string prefix_of(const std::string& output_folder) {
    std::error_code ignored;
    const std::filesystem::path full = std::filesystem::weakly_canonical(output_folder, ignored);
    const std::string path = (ignored ? std::filesystem::path(output_folder) : full).lexically_normal().string();
    return impl::sha256(path).substr(0, 32) + "-";
}

/// Address relative to the folder's descriptor, since socket addresses have at most 107 bytes and paths may be longer.
sockaddr_un address_of(const Descriptor& folder, const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name;
    if (path.size() >= sizeof address.sun_path)
        throw std::system_error(ENAMETOOLONG, std::generic_category(), "the name of a socket");
    std::memcpy(address.sun_path, path.c_str(), path.size());
    return address;
}

/// Returns 0 or errno. Does not wait: EAGAIN when too many connections are pending.
int connect_to(const Descriptor& socket, const Descriptor& folder, const std::string& name) {
    const sockaddr_un address = address_of(folder, name);
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

Descriptor new_socket() {
    Descriptor socket([] { return ::socket(AF_UNIX, socket_kind, 0); });
    if (!socket) throw std::system_error(errno, std::generic_category(), "a socket cannot be made");
    return socket;
}

/// Whether its process (id in Record::id) has ended, as far as this process can see.
bool looks_over(const std::string& name) {
    std::uint64_t id = 0;
    const char *first = name.data() + (name.rfind('-') + 1), *last = name.data() + name.size();
    if (std::from_chars(first, last, id).ptr != last || first == last) return false;
    const auto process = static_cast<pid_t>(id >> 32);
    return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Removes sockets of processes that ended without destructor. A process of another container may look ended, but
/// accepts connections.
void remove_dead(const Descriptor& folder) {
    for (const std::string& name : names_in(folder))
        if (looks_over(name) && connect_to(new_socket(), folder, name) == ECONNREFUSED)
            ::unlinkat(folder.get(), name.c_str(), 0);
}

}  // namespace

ListeningSocket::ListeningSocket(const std::string& output_folder, std::uint64_t id)
    : folder_(private_folder()),
      name_(prefix_of(output_folder) + std::to_string(id)),
      socket_(new_socket()),
      process_(::getpid()) {
    remove_dead(folder_.descriptor);
    const std::string before = "." + name_;  // the final name appears only when the socket accepts connections
    ::unlinkat(folder_.descriptor.get(), before.c_str(), 0);
    const sockaddr_un address = address_of(folder_.descriptor, before);
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket_.get(), SOMAXCONN) != 0 ||
        ::renameat(folder_.descriptor.get(), before.c_str(), folder_.descriptor.get(), name_.c_str()) != 0) {
        const int error = errno;
        ::unlinkat(folder_.descriptor.get(), before.c_str(), 0);
        throw std::system_error(error, std::generic_category(), folder_.path + ": a socket cannot be made there");
    }
}

ListeningSocket::~ListeningSocket() {
    if (process_ == ::getpid()) ::unlinkat(folder_.descriptor.get(), name_.c_str(), 0);
}

Descriptor ListeningSocket::accept() const {
    return Descriptor([&] { return ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); });
}

std::vector<SocketPath> socket_paths(const std::string& output_folder) {
    const std::string prefix = prefix_of(output_folder);
    std::vector<SocketPath> all;
    for (const PrivateFolder& folder : private_folders()) {
        remove_dead(folder.descriptor);
        for (const std::string& name : names_in(folder.descriptor))
            if (name.starts_with(prefix)) all.push_back({folder.path, name});
    }
    return all;
}

Descriptor connected(const SocketPath& place, TimeLimit::Clock::time_point over) {
    const Descriptor folder(
        [&] { return ::open(place.folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); });
    if (!folder) throw std::system_error(errno, std::generic_category(), place.folder);
    Descriptor socket = new_socket();
    for (;;) {
        const int error = connect_to(socket, folder, place.name);
        if (error == 0) break;
        if (error == ECONNREFUSED || error == ENOENT) return {};
        if (error != EAGAIN && error != EINTR) throw std::system_error(error, std::generic_category(), "connect");
        if (TimeLimit::Clock::now() >= over)
            throw std::system_error(ETIMEDOUT, std::generic_category(), "too many others wait for it");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return of_this_user(socket) ? std::move(socket) : Descriptor();
}

}  // namespace ttsim::impl::bridge
