#include "api/library/options.hpp"

#include "generated/run_copies.hpp"
#include "isa/arch.hpp"
#include "sim/setup/setup.hpp"

namespace ttsim {

impl::Numerics internal(Numerics numerics) {
    return numerics == Numerics::Real      ? impl::Numerics::Real
           : numerics == Numerics::Float32 ? impl::Numerics::Float32
                                           : impl::Numerics::Exact;
}

impl::sim::Mode internal(Engine engine) {
    switch (engine) {
        case Engine::Full:
            return impl::sim::Mode::Full;
        case Engine::Timing:
            return impl::sim::Mode::Timing;
        case Engine::Functional:
        case Engine::Golden:
            break;
    }
    return impl::sim::Mode::Functional;
}

impl::runtime::SessionOptions session_options(const SessionOptions& options) {
    impl::runtime::SessionOptions out;
    copy(options, static_cast<impl::sim::MachineValues&>(out));
    copy(options, static_cast<impl::sim::TraceValues&>(out.trace));
    check_values(out);
    check_values(out.trace);
    out.golden = options.engine == Engine::Golden;
    out.trace.command = "a program that uses libttsim";
    out.trace.version = TTSIM_VERSION;
    out.other_threads = options.other_threads;
    out.stop = options.stop;
    return out;
}

impl::Machine choose_machine(const impl::Netlist& netlist, const SessionOptions& options) {
    impl::sim::RunValues ranges;
    ranges.harvested_rows = options.harvested_rows;
    check_values(ranges);
    std::vector<std::string> chips{options.chip.empty() ? impl::device_chip(options.device) : options.chip};
    if (chips.front().empty()) chips = netlist.archs;
    std::optional<impl::Error> refusal;
    for (const std::string& chip : chips) {
        try {
            impl::Machine machine = impl::make_machine(
                chip, {options.device, options.cluster, options.harvested_rows, impl::sim::chips_named(netlist)});
            impl::Netlist checked = netlist;
            impl::sim::check_on(checked, machine);
            return machine;
        } catch (const impl::Error& error) {
            if (!refusal) refusal = error;
        }
    }
    if (refusal) throw *refusal;
    impl::fail_input({netlist.file, 0, 0}, "the netlist names no chip; SessionOptions must");
}

}  // namespace ttsim
