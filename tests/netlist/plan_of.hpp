// From netlist text to commands, launches and Plans.
#pragma once

#include <memory>
#include <optional>

#include "netlist/checks/validate.hpp"
#include "netlist/plan/plan.hpp"
#include "netlist/text/reader.hpp"
#include "tests/sim/netlist_text.hpp"

namespace ttsim::impl::test {

inline Netlist resolved(const std::string& text) { return resolve(read_netlist_text(text, "n.yaml")); }

/// Every program once, in file order.
inline std::vector<ProgramCall> all_programs(const Netlist& netlist,
                                             const std::map<std::string, std::int64_t>& params = {}) {
    std::vector<ProgramCall> calls;
    for (const Program& program : netlist.programs) calls.push_back({&program, params});
    return calls;
}

inline std::vector<EpochLaunch> launches_of(const Netlist& netlist,
                                            std::optional<std::int64_t> inputs_count = std::nullopt) {
    EpochStream stream(netlist, all_programs(netlist), inputs_count);
    std::vector<EpochLaunch> launches;
    EpochCommand command;
    while (stream.next(command))
        if (const auto* launch = std::get_if<EpochLaunch>(&command)) launches.push_back(*launch);
    return launches;
}

/// The Plan of the first launch. It points into the netlist, which must stay.
inline std::shared_ptr<const Plan> first_plan(const Netlist& netlist, const std::string& arch = "grayskull",
                                              const MachineOptions& options = {}, PlanMechanisms mechanisms = {}) {
    static std::vector<std::unique_ptr<Machine>> machines;  // plans are looked at after this returns
    machines.push_back(std::make_unique<Machine>(make_machine(arch, options)));
    return elaborate(netlist, launches_of(netlist).at(0), *machines.back(), {}, mechanisms);
}

inline const PlanOp& op_of(const Plan& plan, const std::string& name) {
    for (const PlanOp& op : plan.ops)
        if (op.op->name() == name) return op;
    throw std::out_of_range(name);
}

}  // namespace ttsim::impl::test
