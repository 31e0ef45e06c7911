// What a Device holds, for the files that implement it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/model/compiled_model.hpp"
#include "api/embedded/bridge/guard.hpp"
#include "netlist/device/device.hpp"
#include "netlist/netlist.hpp"
#include "runtime/image/tilized.hpp"
#include "runtime/session.hpp"

namespace tt_bridge {

struct Device::Impl {
    DeviceOptions options;
    tt::Netlist read;      ///< as the file has it
    tt::Netlist resolved;  ///< of it
    tt::Machine machine;
    std::vector<tt::ir::QueueConstant> constants;
    tt::image::Tilizer tilizer = tt::image::tilizer_of_environment();
    std::vector<std::string> programs;
    std::unique_ptr<tt::runtime::Session> session;  ///< between open() and the end
    std::atomic<bool> open = false;
    mutable std::mutex mutex;                                ///< of what follows
    std::map<std::string, std::int64_t> popped;              ///< entries, by queue
    std::map<std::string, std::vector<std::string>> mapped;  ///< memory that shows buffers of host queues

    void take(tt::Netlist netlist);
    const tt::Queue& find(const std::string& name) const;
    tt::runtime::Session& live() const;
    /// Calls `attempt` with its patience until it does not end with a hang, or `wait` is over. Golden devices have
    /// none.
    void patiently(Wait wait, const std::function<void(tt::runtime::Patience)>& attempt) const;

    bool untilized(const tt::Queue& queue) const;  ///< filled by an op that untilizes
    std::int64_t input_count(const tt::Queue& queue) const;
};

}  // namespace tt_bridge
