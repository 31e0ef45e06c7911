// SystemC keeps one simulation per process in global variables. Every machine has its own context and makes it current
// during construction, simulation and destruction. Machines of one process exclude each other.
#pragma once

#include <mutex>
#include <systemc>

namespace ttsim::impl::sim {

class SystemcContext {
public:
    SystemcContext();
    ~SystemcContext();
    SystemcContext(const SystemcContext&) = delete;
    SystemcContext& operator=(const SystemcContext&) = delete;

    /// While it exists, this context is current in SystemC, and other machines of the process are blocked.
    class Iteration {
    public:
        explicit Iteration(sc_core::sc_simcontext* context);
        ~Iteration();
        Iteration(const Iteration&) = delete;
        Iteration& operator=(const Iteration&) = delete;

    private:
        std::lock_guard<std::recursive_mutex> lock_;
        sc_core::sc_simcontext *current_, *standard_;
    };
    Iteration iteration() const { return Iteration(context_); }

private:
    sc_core::sc_simcontext* context_;
};

}  // namespace ttsim::impl::sim
