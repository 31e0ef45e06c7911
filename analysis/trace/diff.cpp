#include "analysis/trace/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/trace/op_totals.hpp"

namespace ttsim::impl::trace {

namespace {

using NamedCycles = std::map<std::string, double>;

struct EpochSums {
    NamedCycles cycles;
    std::map<std::string, std::int64_t> inputs;
};

EpochSums epoch_cycles(Reader& trace) {
    EpochSums sums;
    for (const EpochUse& epoch : epochs(trace)) {
        sums.cycles[epoch.graphs] += static_cast<double>(epoch.cycles);
        sums.inputs[epoch.graphs] += epoch.inputs;
    }
    return sums;
}

NamedCycles op_cycles(Reader& trace) {
    NamedCycles cycles;
    for (const OpTotal& op : op_totals(trace)) cycles[fmt::format("{} ({})", op.name, op.graph)] = op.bw_kernel_cycles;
    return cycles;
}

NamedCycles resource_cycles(Reader& trace) {
    NamedCycles cycles;
    for (const ResourceUse& use : resources(trace)) cycles[use.name] = static_cast<double>(use.busy_cycles);
    return cycles;
}

std::vector<Difference> matched(const NamedCycles& before, const NamedCycles& after) {
    std::map<std::string, Difference> by_name;
    for (const auto& [name, cycles] : before) by_name[name] = {name, cycles, std::nullopt};
    for (const auto& [name, cycles] : after) {
        Difference& difference = by_name[name];
        difference.name = name;
        difference.after = cycles;
    }
    std::vector<Difference> all;
    for (auto& [_, difference] : by_name) all.push_back(std::move(difference));
    std::stable_sort(all.begin(), all.end(), [](const Difference& a, const Difference& b) {
        return std::abs(a.cycles()) > std::abs(b.cycles());
    });
    return all;
}

std::vector<std::string> comparison_notes(const RunDiff& diff, const EpochSums& before, const EpochSums& after) {
    std::vector<std::string> all;
    const auto differs = [&](const char* what, const auto& a, const auto& b) {
        if (a != b) all.push_back(fmt::format("the {} differs: {} and {}", what, a, b));
    };
    differs("device", diff.before.device, diff.after.device);
    differs("clock", diff.before.clock_mhz, diff.after.clock_mhz);
    differs("mode", diff.before.mode, diff.after.mode);
    for (const auto& [graphs, inputs] : before.inputs)
        if (const auto found = after.inputs.find(graphs); found != after.inputs.end())
            differs(fmt::format("number of inputs of '{}'", graphs).c_str(), inputs, found->second);
    for (const RunInfo* run : {&diff.before, &diff.after})
        if (run->status != "complete")
            all.push_back(fmt::format("the {} run ended early ({}): its cycles are those up to there",
                                      run == &diff.before ? "first" : "second", run->status));
    return all;
}

}  // namespace

std::optional<double> Difference::change() const {
    if (!common() || *before <= 0) return std::nullopt;
    return cycles() / *before;
}

RunDiff diff(Reader& before, Reader& after) {
    const EpochSums old_epochs = epoch_cycles(before), new_epochs = epoch_cycles(after);
    RunDiff all{before.run(), after.run(), {}, {}, {}, {}, {}};
    all.cycles = {"run", static_cast<double>(before.run().cycles), static_cast<double>(after.run().cycles)};
    all.epochs = matched(old_epochs.cycles, new_epochs.cycles);
    all.ops = matched(op_cycles(before), op_cycles(after));
    all.resources = matched(resource_cycles(before), resource_cycles(after));
    all.notes = comparison_notes(all, old_epochs, new_epochs);
    return all;
}

}  // namespace ttsim::impl::trace
