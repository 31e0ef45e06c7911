#include "compiler/model/residue.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/ir/training.hpp"
#include "kernels/formats/numerics.hpp"

namespace ttsim::impl::ir {

const std::string* residue_of(const TrainedParameter& parameter) {
    const auto found = parameter.states.find(std::string(residue_state));
    return found == parameter.states.end() ? nullptr : &found->second;
}

std::map<std::string, std::string> parameters_by_residue(std::span<const TrainedParameter> trained) {
    std::map<std::string, std::string> all;
    for (const TrainedParameter& parameter : trained)
        if (const std::string* residue = residue_of(parameter)) all.emplace(*residue, parameter.ram);
    return all;
}

const std::string* overwritten_before_read(const Netlist& netlist, std::span<const TrainedParameter> trained) {
    // the ram that a state with what rounding took from it belongs to
    const auto compensated = [](const TrainedParameter& parameter, std::string_view rest, std::string_view of) {
        if (!parameter.states.contains(std::string(rest))) return std::string();
        return of.empty() ? parameter.ram : parameter.states.at(std::string(of));
    };
    std::map<std::string, const TrainedParameter*> rams;
    for (const TrainedParameter& parameter : trained)
        for (const auto& [rest, of] : {std::pair(residue_state, std::string_view()), {remainder_state, square_state}})
            if (const std::string ram = compensated(parameter, rest, of); !ram.empty()) rams.emplace(ram, &parameter);
    std::set<std::string> written;  // in earlier graphs
    for (const ttsim::impl::Graph& graph : netlist.graphs) {
        for (const Op& op : graph.ops)
            for (const std::string& input : op.inputs)
                if (written.contains(input)) return &rams.at(input)->name;
        for (const auto& [name, parameter] : rams)
            if (std::ranges::find(graph.ops, netlist.find_queue(name)->input, &Op::name) != graph.ops.end())
                written.insert(name);
    }
    return nullptr;
}

/// The format of sums in the op of the optimizer that reads the parameter: the one that writes it, or beside that.
static DataFormat accumulated_by_optimizer(const Netlist& netlist, const Queue& ram) {
    const auto reads = [&](const Op& op) { return std::ranges::find(op.inputs, ram.name) != op.inputs.end(); };
    for (const ttsim::impl::Graph& graph : netlist.graphs) {
        const auto writer = std::ranges::find(graph.ops, ram.input, &Op::name);
        if (writer == graph.ops.end()) continue;
        const auto reader = reads(*writer) ? writer : std::ranges::find_if(graph.ops, reads);
        if (reader != graph.ops.end()) return reader->cfg.acc_df;
    }
    return DataFormat::Float32;
}

void read_by_optimizer(const Netlist& netlist, const TrainedParameter& parameter, Tensor& stored) {
    const Queue& ram = *netlist.find_queue(parameter.ram);
    if (!residue_of(parameter) || ram.df != DataFormat::Float32) return;
    unpack_to_src(DataFormat::Float32, accumulated_by_optimizer(netlist, ram),
                  {stored.data.data(), stored.z * stored.rows, stored.cols, stored.cols});
}

void subtract_stored(std::span<float> exact, std::span<const float> stored) {
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const float rest = exact[i] - stored[i];
        exact[i] = std::isfinite(rest) ? rest : 0.0F;
    }
}

}  // namespace ttsim::impl::ir
