#include "compiler/host/host_program.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "compiler/host/host_value.hpp"

namespace ttsim::impl::ir {

std::string boundary_name(const Node& node) {
    return node.is_input() && !node.origin.empty() ? node.origin : node.name;
}

std::vector<std::string> input_names(const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes)
        if (node.is_input() && !node.has(attr::device)) names.push_back(boundary_name(node));
    return names;
}

void name_inputs(Graph& graph) {
    for (Node& node : graph.nodes)
        if (node.is_input() && node.origin.empty()) node.origin = node.name;
}

const HostProgram::BoundaryValue& HostProgram::boundary_value(const std::string& name) const {
    const auto found = std::find_if(to_device.begin(), to_device.end(),
                                    [&](const BoundaryValue& value) { return value.name == name; });
    TT_CHECK(found != to_device.end(), "the device has no input '{}'", name);
    return *found;
}

std::int64_t HostProgram::part_of(const std::string& result) const {
    for (const Node& node : graph.nodes)
        if (node.has(attr::device) && boundary_name(node) == result) return node.get(attr::device);
    TT_CHECK(false, "the device has no result '{}'", result);
}

std::int64_t HostProgram::parts() const {
    std::int64_t last = 1;
    for (const BoundaryValue& value : to_device) last = std::max(last, value.part);
    for (const Node& node : graph.nodes) last = std::max(last, node.get(attr::device));
    return last;
}

std::vector<bool> read_nodes(const HostProgram& program) {
    const auto uses = program.graph.use_counts();
    std::vector<bool> read(uses.begin(), uses.end());
    for (const HostProgram::BoundaryValue& crossing : program.to_device) read[crossing.value] = true;
    return read;
}

HostRun::HostRun(const HostProgram& program, const Values& inputs)
    : program_(program), values_(program.graph.nodes.size()) {
    const std::vector<bool> read = read_nodes(program);
    for (ValueId id = 0; id < values_.size(); ++id) {
        const Node& node = program.graph.nodes[id];
        if (node.is_constant()) values_[id] = node.literal;
        if (!node.is_input() || node.has(attr::device) || !read[id]) continue;
        const auto given = inputs.find(boundary_name(node));
        TT_CHECK(given != inputs.end(), "input '{}' has no value", boundary_name(node));
        values_[id] = std::make_shared<Literal>(given->second);
    }
    compute();
}

/// Computes all nodes whose operands are available.
void HostRun::compute() {
    const auto began = std::chrono::steady_clock::now();
    for (ValueId id = 0; id < values_.size(); ++id) {
        const Node& node = program_.graph.nodes[id];
        if (values_[id] || node.is_input()) continue;
        std::vector<const Literal*> in;
        for (const Edge& edge : node.inputs)
            if (values_[edge.value]) in.push_back(values_[edge.value].get());
        if (in.size() != node.inputs.size()) continue;
        if (node.is_result()) {
            values_[id] = more_values_.at(node.inputs[0].value).at(static_cast<std::size_t>(node.get(attr::index) - 1));
            continue;
        }
        std::vector<Literal> results = host_values(node, in);
        for (std::size_t k = 1; k < results.size(); ++k)
            more_values_[id].push_back(std::make_shared<Literal>(std::move(results[k])));
        values_[id] = std::make_shared<Literal>(std::move(results.front()));
    }
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

Values HostRun::device_inputs(std::int64_t part) const {
    Values values;
    for (const HostProgram::BoundaryValue& value : program_.to_device) {
        if (value.part != part) continue;
        TT_CHECK(values_[value.value], "'{}' of part {} of the device waits for results", value.name, part);
        values.emplace(value.name, *values_[value.value]);
    }
    return values;
}

void HostRun::set_results(std::int64_t part, const Values& results) {
    for (ValueId id = 0; id < values_.size(); ++id) {
        const Node& node = program_.graph.nodes[id];
        if (node.get(attr::device) != part) continue;
        const auto given = results.find(boundary_name(node));
        TT_CHECK(given != results.end(), "the device has no result '{}'", boundary_name(node));
        values_[id] = std::make_shared<Literal>(given->second);
    }
    compute();
}

Values HostRun::known_outputs() const {
    Values outputs;
    for (const Output& output : program_.graph.outputs)
        if (values_[output.value]) outputs.emplace(output.name, *values_[output.value]);
    return outputs;
}

Values HostRun::outputs() const {
    Values outputs;
    for (const Output& output : program_.graph.outputs) outputs.emplace(output.name, *values_[output.value]);
    return outputs;
}

}  // namespace ttsim::impl::ir
