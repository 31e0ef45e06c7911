// A new SystemC simulation for one test: modules cannot be added to one that has run.
#pragma once

#include <systemc>

namespace ttsim::impl::test {

inline void fresh_systemc() {
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
    sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
}

}  // namespace ttsim::impl::test
