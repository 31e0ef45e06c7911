#include "compiler/model/residue.hpp"

#include <algorithm>
#include <cmath>

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
    for (const TrainedParameter& parameter : trained) {
        if (!residue_of(parameter)) continue;
        const Queue& ram = *netlist.find_queue(parameter.ram);
        bool written = false;  // in an earlier graph; the optimizer's graphs are the last ones
        for (const ttsim::impl::Graph& graph : netlist.graphs) {
            for (const Op& op : graph.ops)
                if (written && std::ranges::find(op.inputs, ram.name) != op.inputs.end()) return &parameter.name;
            written = written || std::ranges::find(graph.ops, ram.input, &Op::name) != graph.ops.end();
        }
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
