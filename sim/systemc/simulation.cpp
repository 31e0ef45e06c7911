// The part that uses libsystemc.
#include <mutex>
#include <systemc>
#include <utility>

#include "sim/systemc/systemc_functions.hpp"

// libsystemc refers to sc_main, which is not used here. A program may define its own.
extern "C" __attribute__((weak)) int sc_main(int, char*[]) { return 0; }

namespace ttsim::impl::sim {

namespace {

std::recursive_mutex& context_mutex() {
    static std::recursive_mutex mutex;
    return mutex;
}

/// While it exists, a context is current in SystemC, and other simulations of the process wait.
class Current {
public:
    explicit Current(sc_core::sc_simcontext* context)
        : lock_(context_mutex()), current_(sc_core::sc_curr_simcontext), standard_(sc_core::sc_default_global_context) {
        sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context;
    }
    ~Current() {
        sc_core::sc_curr_simcontext = current_;
        sc_core::sc_default_global_context = standard_;
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

private:
    std::lock_guard<std::recursive_mutex> lock_;
    sc_core::sc_simcontext *current_, *standard_;
};

class ClockModule : public sc_core::sc_module {
public:
    ClockModule(const sc_core::sc_module_name& name, std::function<void()> process)
        : sc_module(name), process_(std::move(process)) {
        SC_HAS_PROCESS(ClockModule);
        SC_METHOD(step);
        sensitive << due_;
        dont_initialize();
    }
    void run_after(std::uint64_t cycles) {
        // One cycle is one nanosecond of SystemC time for every chip clock, since the machine counts in cycles only.
        due_.notify(sc_core::sc_time(static_cast<double>(cycles), sc_core::SC_NS));
        sc_core::sc_start();
    }

private:
    void step() { process_(); }

    sc_core::sc_event due_;
    std::function<void()> process_;
};

class Simulation : public SystemcSimulation {
public:
    explicit Simulation(std::function<void()> process) {
        const std::lock_guard lock(context_mutex());
        context_ = std::make_unique<sc_core::sc_simcontext>();
        const Current current(context_.get());
        clock_ = std::make_unique<ClockModule>("clock", std::move(process));
    }
    ~Simulation() override {
        const Current current(context_.get());
        clock_.reset();
        context_.reset();
    }
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
    void run_after(std::uint64_t cycles) override {
        const Current current(context_.get());
        clock_->run_after(cycles);
    }

private:
    std::unique_ptr<sc_core::sc_simcontext> context_;
    std::unique_ptr<ClockModule> clock_;
};

std::unique_ptr<SystemcSimulation> make(std::function<void()> process) {
    return std::make_unique<Simulation>(std::move(process));
}

}  // namespace

}  // namespace ttsim::impl::sim

extern "C" {
extern const ttsim::impl::sim::SystemcFunctions ttsim_systemc;
const ttsim::impl::sim::SystemcFunctions ttsim_systemc{ttsim::impl::sim::make};
}
