// Implementation of Device, shared by its source files.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/embedded/bridge/guard.hpp"
#include "compiler/model/compiled_model.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"
#include "runtime/image/tilized.hpp"
#include "runtime/session.hpp"

namespace ttsim::impl::bridge {

struct Device::Impl {
    DeviceOptions options;
    impl::Netlist read;      ///< as in the file
    impl::Netlist resolved;  ///< resolved form of `read`
    impl::Machine machine;
    std::vector<impl::ir::QueueConstant> constants;
    impl::image::Tilizer tilizer = impl::image::tilizer_of_environment();
    std::vector<std::string> programs;
    std::unique_ptr<impl::runtime::Session> session;  ///< null before open() and after close()
    std::atomic<bool> open = false;
    mutable std::mutex mutex;                                ///< guards the next members
    std::map<std::string, std::int64_t> popped;              ///< popped entries by queue
    std::map<std::string, std::vector<std::string>> mapped;  ///< memory that maps the buffers of host queues

    void load_netlist(impl::Netlist netlist);
    const impl::Queue& find(const std::string& name) const;
    impl::runtime::Session& live() const;
    /// Calls `attempt` with its timeout until it succeeds or `wait` has expired. Golden devices do not wait.
    void retry(Wait wait, const std::function<void(impl::runtime::Timeout)>& attempt) const;

    bool untilized(const impl::Queue& queue) const;  ///< written by an op that untilizes
    std::int64_t input_count(const impl::Queue& queue) const;
};

}  // namespace ttsim::impl::bridge
