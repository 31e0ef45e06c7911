// Where processes of one user find each other's devices: sockets in a private folder, named after the output folder and
// the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/embedded/bridge/private_folder.hpp"

namespace ttsim::impl::bridge {

/// Takes connections as long as it lives. Its name appears when it does.
class Door {
public:
    /// For the device with a number that belongs to an output folder. Throws std::runtime_error where there is no
    /// private folder, and std::system_error.
    Door(const std::string& output_folder, std::uint64_t id);
    ~Door();
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;

    const Descriptor& socket() const { return socket_; }
    /// Does not wait; empty with errno where no call waits or the process has no descriptor left.
    Descriptor accept() const;

private:
    PrivateFolder folder_;
    std::string name_;
    Descriptor socket_;
    int process_;
};

/// A socket that may be a device's.
struct Place {
    std::string folder, name;
};
/// For an output folder. What processes left behind that are over is removed.
std::vector<Place> places_of(const std::string& output_folder);
/// Empty where the device is gone or another user's process is there. Throws std::system_error, timed_out where it does
/// not answer.
Descriptor connected(const Place& place, TimeLimit::Clock::time_point over);

}  // namespace ttsim::impl::bridge
