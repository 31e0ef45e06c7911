#include "sim/machine/systemc_context.hpp"

// libsystemc refers to sc_main, which is not used here. A program may define its own.
extern "C" __attribute__((weak)) int sc_main(int, char*[]) { return 0; }

namespace ttsim::impl::sim {

static std::recursive_mutex& context_mutex() {
    static std::recursive_mutex mutex;
    return mutex;
}

SystemcContext::Iteration::Iteration(sc_core::sc_simcontext* context)
    : lock_(context_mutex()), current_(sc_core::sc_curr_simcontext), standard_(sc_core::sc_default_global_context) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context;
}

SystemcContext::Iteration::~Iteration() {
    sc_core::sc_curr_simcontext = current_;
    sc_core::sc_default_global_context = standard_;
}

SystemcContext::SystemcContext() {
    const std::lock_guard lock(context_mutex());
    context_ = new sc_core::sc_simcontext;
}

SystemcContext::~SystemcContext() {
    const Iteration iteration(context_);
    delete context_;
}

}  // namespace ttsim::impl::sim
