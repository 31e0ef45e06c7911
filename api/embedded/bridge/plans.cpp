#include "api/embedded/bridge/plans.hpp"

#include <set>

#include "netlist/program/parameters.hpp"

namespace ttsim::impl::bridge {

void each_epoch(const impl::Netlist& resolved, const impl::Machine& machine,
                const std::function<void(std::int64_t, const impl::Plan&)>& visit) {
    std::set<std::string> seen;
    std::int64_t epoch = 0;
    for (const impl::Program& program : resolved.programs) {
        impl::ProgramCall call{&program, {}};
        for (const impl::ChosenParameter& parameter : choose_parameters(resolved, program, {}))
            call.params[parameter.name] = parameter.value;
        impl::EpochStream stream(resolved, {call}, std::nullopt);
        for (impl::EpochCommand command; stream.next(command);) {
            const auto* launch = std::get_if<impl::EpochLaunch>(&command);
            if (launch && seen.insert(plan_key(*launch)).second) visit(epoch++, *elaborate(resolved, *launch, machine));
        }
    }
}

}  // namespace ttsim::impl::bridge
