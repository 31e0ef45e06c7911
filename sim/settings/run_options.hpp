// Options of a run, as its caller gives them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generated/run_values.hpp"
#include "kernels/tensor.hpp"
#include "netlist/stimulus/stimulus.hpp"
#include "sim/settings/settings.hpp"

namespace ttsim::impl {
struct Netlist;
struct Machine;
}  // namespace ttsim::impl

namespace ttsim::impl::sim {

/// Entries by queue name, starting with entry 0.
using HostValues = std::map<std::string, std::vector<Tensor>>;

struct RunOptions : MachineSettings, RunValues {
    std::string netlist;  ///< file
    std::shared_ptr<const Netlist>
        value;  ///< the parsed netlist (read_netlist()) instead of the file; null: the file is read
    std::shared_ptr<const Machine> machine;  ///< instead of device, cluster and harvested_rows; null: these are used
    /// Entries of HOST queues from entry 0. They replace those of inputs_dir; without inputs_dir, every HOST queue that
    /// the run reads must be present. Null: none.
    std::shared_ptr<const HostValues> host_values;
    /// Called after the run with every entry of the queues that the host reads. Not called in Timing mode.
    std::function<void(const std::string& queue, std::int64_t entry, Tensor value)> sink;
    bool check_ops = false;  ///< also compare every op by itself
    /// Minimum correlation of all values of an output with golden, unless the netlist has its own comparison-config.
    /// For compiled models: the usual tolerances, which allow 0.9, hold for single tiles.
    std::optional<double> least_pcc;
};

}  // namespace ttsim::impl::sim
