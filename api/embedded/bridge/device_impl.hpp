// What a Device holds, for the files that implement it.
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
    impl::Netlist read;      ///< as the file has it
    impl::Netlist resolved;  ///< of it
    impl::Machine machine;
    std::vector<impl::ir::QueueConstant> constants;
    impl::image::Tilizer tilizer = impl::image::tilizer_of_environment();
    std::vector<std::string> programs;
    std::unique_ptr<impl::runtime::Session> session;  ///< between open() and the end
    std::atomic<bool> open = false;
    mutable std::mutex mutex;                                ///< of what follows
    std::map<std::string, std::int64_t> popped;              ///< entries, by queue
    std::map<std::string, std::vector<std::string>> mapped;  ///< memory that shows buffers of host queues

    void take(impl::Netlist netlist);
    const impl::Queue& find(const std::string& name) const;
    impl::runtime::Session& live() const;
    /// Calls `attempt` with its timeout until it does not end with a hang, or `wait` is over. Golden devices have
    /// none.
    void retry(Wait wait, const std::function<void(impl::runtime::Timeout)>& attempt) const;

    bool untilized(const impl::Queue& queue) const;  ///< filled by an op that untilizes
    std::int64_t input_count(const impl::Queue& queue) const;
};

}  // namespace ttsim::impl::bridge
