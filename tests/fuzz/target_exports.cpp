// Exports of traces: one of a run with its netlist in it, damaged as the bytes say (trace_damage.hpp). What an export
// gives is read back.
#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_damage.hpp"
#include "tests/fuzz/trace_exports.hpp"

namespace ttsim::impl::fuzz {

void exports(const std::string& bytes) { (void)export_all(damaged_trace(run_trace(), bytes)); }

}  // namespace ttsim::impl::fuzz
