// The boundary to SystemC. Only its part (base/part.hpp) includes SystemC and links libsystemc, which takes 4 ms to
// load: commands that do not simulate do without it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace ttsim::impl::sim {

/// A SystemC simulation with one process. SystemC keeps one simulation in global variables. Each of these has its own
/// context, which is current while it is made, runs, or is destroyed; meanwhile others of the process wait.
class SystemcSimulation {
public:
    virtual ~SystemcSimulation() = default;
    /// Runs the process once, `cycles` later in SystemC's time.
    virtual void run_after(std::uint64_t cycles) = 0;
};

struct SystemcFunctions {
    /// `process` must not throw.
    std::unique_ptr<SystemcSimulation> (*make)(std::function<void()> process);
};

/// Loads the part at the first call.
const SystemcFunctions& systemc();

/// Loads the part on a thread of its own, while a netlist is read and laid out. Only the first of a process does.
class SystemcLoading {
public:
    SystemcLoading();

private:
    std::jthread thread_;
};

}  // namespace ttsim::impl::sim
