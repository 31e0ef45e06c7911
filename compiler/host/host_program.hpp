// The host steps of a compiled model, as a graph of model ops.
//
//   model inputs -> ops -> boundary values to the device | boundary values from the device -> ops -> model outputs
//
// If the device needs values that the host computes from device results, the device runs in parts, numbered from 1,
// with a program each and host ops between them. A part may loop (passes/reroll_loops.cpp): then it reads and writes
// tensors slice by slice, and keeps its state between iterations.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct HostProgram {
    /// Nodes: inputs of the model, constants, host ops, and device results as inputs with the attribute {device =
    /// PART}. Outputs: those of the model. Inputs are named by their origins.
    Graph graph;
    /// The value of a device input, by its origin, before a part runs.
    struct BoundaryValue {
        std::string name;
        ValueId value = 0;
        std::int64_t part = 1;
        std::int64_t iterations =
            0;  ///< of a part that loops: the size of the value's first axis, a slice per iteration; 0: no loop
    };
    std::vector<BoundaryValue> to_device;
    /// The boundary value of a device input. Throws Error(Internal) if there is none.
    const BoundaryValue& boundary_value(const std::string& name) const;
    /// The part that computes the boundary value of this name.
    std::int64_t part_of(const std::string& result) const;
    std::int64_t parts() const;
};

/// Moves the nodes marked {host = 1} (passes/mark_host.cpp) from the graph to a host program. Values between host and
/// device become inputs and outputs of the device graph. Values between device parts pass through the host. Attributes
/// of device inputs: {part = PART} for later parts, {iterations = ITERATIONS} for loops, {state = NAME} for the output
/// that is the state of the next iteration. `exact`: the device holds integers exactly, so outputs that are inputs or
/// constants may pass through it. If the device has no work left, it copies one number. `keep_names`: a rearranged
/// input keeps the name of the input if nothing else reads that.
HostProgram cut_host(Graph& graph, bool exact, bool keep_names = false);

/// Joins the programs of two cuts: `inner` was cut from the device graph that `outer` left.
HostProgram join(HostProgram outer, HostProgram inner);

/// Suffix of outputs that are results of inner ops (passes/keep_intermediates.cpp).
inline constexpr std::string_view intermediate_suffix = "_intermediate_output";
inline bool is_intermediate(const std::string& output) { return output.ends_with(intermediate_suffix); }

/// Per node: whether a host step, the device or an output reads it.
std::vector<bool> read_nodes(const HostProgram& program);

/// Name of a boundary value.
std::string boundary_name(const Node& node);
/// Names of the model's inputs, in order.
std::vector<std::string> input_names(const Graph& graph);
/// Sets the origin of inputs without one to their own name.
void name_inputs(Graph& graph);

using Values = std::map<std::string, Literal>;
/// Runs the host steps: computes the inputs of each device part, and the model's outputs after the last. Throws
/// Error(Input) for indices outside of their table.
class HostRun {
public:
    /// `inputs`: all inputs that are read, by name, with the input's type.
    HostRun(const HostProgram& program, const Values& inputs);
    /// Inputs of a part, after the results of all earlier parts are set.
    Values device_inputs(std::int64_t part) const;
    /// Sets the results of one part, by boundary name.
    void set_results(std::int64_t part, const Values& results);
    /// Model outputs by name, after the results of all parts are set.
    Values outputs() const;
    /// Those that are known already.
    Values known_outputs() const;
    double seconds() const { return seconds_; }  ///< wall time of host steps so far

private:
    void compute();
    const HostProgram& program_;
    std::vector<LiteralPtr> values_;                          ///< by node: its first result
    std::map<ValueId, std::vector<LiteralPtr>> more_values_;  ///< the others
    double seconds_ = 0;
};

}  // namespace ttsim::impl::ir
