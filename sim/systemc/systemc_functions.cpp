#include "sim/systemc/systemc_functions.hpp"

#include <atomic>
#include <exception>
#include <system_error>

#include "base/part.hpp"

extern "C" [[gnu::weak]] const ttsim::impl::sim::SystemcFunctions ttsim_systemc;

namespace ttsim::impl::sim {

static std::atomic<bool> load_begun = false;  // to load it

const SystemcFunctions& systemc() {
    load_begun = true;
    static const void* const table = part_table(&ttsim_systemc, "systemc");
    return *static_cast<const SystemcFunctions*>(table);
}

SystemcLoading::SystemcLoading() {
    if (&ttsim_systemc != nullptr || load_begun.exchange(true)) return;
    const auto load_here = [] {
        try {
            systemc();
        } catch (const std::exception&) {  // the machine tries again, and reports the error
        }
    };
    try {
        thread_ = std::jthread(load_here);
    } catch (const std::system_error&) {  // the process may have no more threads
    }
}

}  // namespace ttsim::impl::sim
