// Registry of the backends of the process, searched by descriptor; error reporting of calls.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <tt_backend_api_types.hpp>

#include "api/embedded/bridge/bridge.hpp"

namespace tt_backend_api {

/// A registered backend, as functions of tt::backend use it.
struct Record {
    Record() = default;
    ~Record();
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;

    std::shared_ptr<tt::bridge::QueueAccess> queues;
    std::shared_ptr<tt::bridge::Device> device;  ///< same object as `queues` in the process that created it; else null
    std::unique_ptr<tt::bridge::DeviceServer> server;  ///< null until the device is open
    tt::DEVICE type = tt::DEVICE::Invalid;
    std::string netlist_path, output_dir;
    std::uint64_t id = 0;
    int process = 0;  ///< id of the process that created this record
    bool golden() const { return type == tt::DEVICE::Golden; }
    bool made_here() const;  ///< false in a forked child of the creating process
    /// Throws in a process that was forked after the device was created, since its threads do not exist there.
    tt::bridge::Device& own_device() const;
};

/// Registers a record and assigns its id. It can be found as long as it exists.
void add(const std::shared_ptr<Record>& record);
/// Throws when there is none, there are several, or it belongs to another process to which this one is not connected.
std::shared_ptr<Record> find(const tt::tt_dram_io_desc& q);

/// Stores the message for last_error(), writes it to standard error, and returns `code`.
tt::DEVICE_STATUS_CODE failed(tt::DEVICE_STATUS_CODE code, const std::string& message);

/// Calls `call` and converts exceptions to a status. `timed`, read after the call: NotReady becomes a TimeoutError.
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
