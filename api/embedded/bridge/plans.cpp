#include "api/embedded/bridge/plans.hpp"

#include <set>

#include "netlist/program/parameters.hpp"

namespace tt_bridge {

void each_epoch(const tt::Netlist& resolved, const tt::Machine& machine,
                const std::function<void(std::int64_t, const tt::Plan&)>& visit) {
    std::set<std::string> seen;
    std::int64_t epoch = 0;
    for (const tt::Program& program : resolved.programs) {
        tt::ProgramCall call{&program, {}};
        for (const tt::ChosenParameter& parameter : choose_parameters(resolved, program, {}))
            call.params[parameter.name] = parameter.value;
        tt::EpochStream stream(resolved, {call}, std::nullopt);
        for (tt::EpochCommand command; stream.next(command);) {
            const auto* launch = std::get_if<tt::EpochLaunch>(&command);
            if (launch && seen.insert(plan_key(*launch)).second) visit(epoch++, *elaborate(resolved, *launch, machine));
        }
    }
}

}  // namespace tt_bridge
