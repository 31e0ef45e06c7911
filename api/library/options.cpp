#include "api/library/options.hpp"

#include "isa/arch.hpp"
#include "sim/setup.hpp"

namespace ttsim {

namespace {

tt::Numerics numerics_of(Numerics n) {
    return n == Numerics::Real      ? tt::Numerics::Real
           : n == Numerics::Float32 ? tt::Numerics::Float32
                                    : tt::Numerics::Exact;
}

tt::sim::Mode mode_of(Engine engine) {
    switch (engine) {
        case Engine::Full:
            return tt::sim::Mode::Full;
        case Engine::Timing:
            return tt::sim::Mode::Timing;
        case Engine::Functional:
        case Engine::Golden:
            break;
    }
    return tt::sim::Mode::Functional;
}

}  // namespace

tt::runtime::SessionOptions session_options(const SessionOptions& options) {
    if (options.trace_level != 1 && options.trace_level != 2)
        tt::fail_input({}, "SessionOptions: trace_level is {}; 1 and 2 are possible", options.trace_level);
    tt::runtime::SessionOptions out;
    out.mode = mode_of(options.engine);
    out.golden = options.engine == Engine::Golden;
    out.numerics = numerics_of(options.numerics);
    out.threads = options.threads;
    out.trace.file = options.trace_file;
    out.trace.level = options.trace_level;
    out.trace.command = "a program that uses libttsim";
    out.trace.version = TTSIM_VERSION;
    out.other_threads = options.other_threads;
    out.stop = options.stop;
    return out;
}

tt::Machine choose_machine(const tt::Netlist& netlist, const SessionOptions& options) {
    std::vector<std::string> chips{options.chip.empty() ? tt::device_chip(options.device) : options.chip};
    if (chips.front().empty()) chips = netlist.archs;
    std::optional<tt::Error> refusal;
    for (const std::string& chip : chips) {
        try {
            tt::Machine machine = tt::make_machine(
                chip, {options.device, options.cluster, options.harvested_rows, tt::sim::chips_named(netlist)});
            tt::sim::check_on(netlist, machine);
            return machine;
        } catch (const tt::Error& error) {
            if (!refusal) refusal = error;
        }
    }
    if (refusal) throw *refusal;
    tt::fail_input({netlist.file, 0, 0}, "the netlist names no chip; SessionOptions must");
}

}  // namespace ttsim
