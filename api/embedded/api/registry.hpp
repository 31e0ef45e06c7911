// The backends of the process, found by descriptors; and how calls say what went wrong.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <tt_backend_api_types.hpp>

#include "api/embedded/bridge/bridge.hpp"

namespace tt_backend_api {

/// What functions of tt::backend know of a backend.
struct Record {
    Record() = default;
    ~Record();
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;

    std::shared_ptr<tt::bridge::QueueAccess> queues;
    std::shared_ptr<tt::bridge::Device> device;        ///< the same, in the process that made it; else null
    std::unique_ptr<tt::bridge::DeviceServer> server;  ///< once it is open
    tt::DEVICE type = tt::DEVICE::Invalid;
    std::string netlist_path, output_dir;
    std::uint64_t id = 0;
    int process = 0;  ///< that made this record
    bool golden() const { return type == tt::DEVICE::Golden; }
    bool made_here() const;  ///< not by the process that this one was forked from
    /// Throws in a process that was forked after the device was made: its threads are not there.
    tt::bridge::Device& own_device() const;
};

/// Gives it its id. It is found as long as somebody holds it.
void add(const std::shared_ptr<Record>& record);
/// Throws where there is none, there are several, or another process has it and this one did not ask for it.
std::shared_ptr<Record> find(const tt::tt_dram_io_desc& q);

/// Keeps the message for last_error(), writes it to standard error, and gives `code` back.
tt::DEVICE_STATUS_CODE failed(tt::DEVICE_STATUS_CODE code, const std::string& message);

/// The call's outcome. `timed`, looked at after it: not being ready is a TimeoutError.
template <class Call>
tt::DEVICE_STATUS_CODE status_of(const bool& timed, Call&& call) {
    using tt::DEVICE_STATUS_CODE;
    try {
        call();
        return DEVICE_STATUS_CODE::Success;
    } catch (const tt::bridge::NotReady& error) {
        return failed(timed ? DEVICE_STATUS_CODE::TimeoutError : DEVICE_STATUS_CODE::RuntimeError, error.what());
    } catch (const std::exception& error) {
        return failed(DEVICE_STATUS_CODE::RuntimeError, error.what());
    }
}

}  // namespace tt_backend_api
