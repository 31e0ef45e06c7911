// SystemC keeps one simulation per process in global variables. Every machine has a context of its own and makes it the
// current one while it builds, moves or ends; machines of one process take turns.
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

    /// While it lives, no other machine of the process moves, and SystemC sees this context.
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
