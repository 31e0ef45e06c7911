// Discovery of devices between processes of one user: sockets in a private folder, named after the output folder and
// the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/embedded/bridge/private_folder.hpp"

namespace ttsim::impl::bridge {

/// A listening socket. Its name exists in the folder while it accepts connections.
class ListeningSocket {
public:
    /// Listens for the device `id` of an output folder. Throws std::runtime_error when there is no private folder, and
    /// std::system_error.
    ListeningSocket(const std::string& output_folder, std::uint64_t id);
    ~ListeningSocket();
    ListeningSocket(const ListeningSocket&) = delete;
    ListeningSocket& operator=(const ListeningSocket&) = delete;

    const Descriptor& socket() const { return socket_; }
    /// Accepts a connection without waiting; empty with errno set when none is pending or no descriptor is left.
    Descriptor accept() const;

private:
    PrivateFolder folder_;
    std::string name_;
    Descriptor socket_;
    int process_;
};

/// Path of a socket that may belong to a device.
struct SocketPath {
    std::string folder, name;
};
/// Sockets for an output folder. Removes sockets of ended processes.
std::vector<SocketPath> socket_paths(const std::string& output_folder);
/// Connects to a socket; empty when the device is gone or the process belongs to another user. Throws
/// std::system_error, timed_out when it does not answer.
Descriptor connected(const SocketPath& place, TimeLimit::Clock::time_point deadline);

}  // namespace ttsim::impl::bridge
