// What the host computes around the device's run, as a graph of model ops.
//
//   inputs of the model -> ops -> values for the device | the device's results -> ops -> outputs of the model
//
// Where the host computes something of the device's results that the device goes on with, the device runs in parts,
// from 1 on: a program each, the host's ops between them. A part may loop (passes/reroll_loops.cpp): then it takes the
// slices of tensors one by one, gives results slice by slice, and keeps its state from turn to turn.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace ttsim::impl::ir {

struct HostProgram {
    /// Nodes: the model's inputs, constants, host ops, and the device's results as inputs with the attribute
    /// {device = PART}. Outputs: the model's. Names of inputs are their origins.
    Graph graph;
    /// The device's input of that origin gets this value before that part.
    struct Crossing {
        std::string name;
        ValueId value = 0;
        std::int64_t part = 1;
        std::int64_t iterations =
            0;  ///< of a part that loops: the value's first axis, a slice for each turn; 0: all of it
    };
    std::vector<Crossing> to_device;
    /// Throws Error(Internal) when there is no such input.
    const Crossing& crossing(const std::string& name) const;
    /// Of the result that crosses under this name.
    std::int64_t part_of(const std::string& result) const;
    std::int64_t parts() const;
};

/// Takes the nodes marked {host = 1} (passes/mark_host.cpp) out of the graph. What the device then needs of them
/// becomes its input, what they need of the device its output. The device's parts have no edges between them: what a
/// later one needs of an earlier one goes by way of the host. Inputs of parts behind the first say so: {part = PART},
/// those of parts that loop {iterations = COUNT}, and states {state = NAME} of the output that the next iteration finds
/// there. `exact`: the device holds integers exactly, so an output that is an input or a constant may pass through it.
/// Where nothing is left for the device it copies one number. `keep_names`: what the host moves of an input alone that
/// nothing else reads is called as that input.
HostProgram cut_host(Graph& graph, bool exact, bool keep_names = false);

/// One program from two cuts: `inner` was cut out of what `outer` left for the device.
HostProgram join(HostProgram outer, HostProgram inner);

/// Ends the names of outputs that are results of ops inside the model (passes/keep_intermediates.cpp).
inline constexpr std::string_view intermediate_suffix = "_intermediate_output";
inline bool is_intermediate(const std::string& output) { return output.ends_with(intermediate_suffix); }

/// Whether anything reads each node: a step, the device, or an output.
std::vector<bool> read_nodes(const HostProgram& program);

/// Name under which a value crosses between host and device.
std::string boundary_name(const Node& node);
/// Names of the model's inputs, in its order.
std::vector<std::string> input_names(const Graph& graph);
/// Inputs that say nothing of their origin come from the model's of their own name.
void name_inputs(Graph& graph);

using Values = std::map<std::string, Literal>;
/// The values of the inputs of each part of the device, and the model's outputs once all have run. Throws Error(Input)
/// for numbers no table has.
class HostRun {
public:
    /// `inputs`: by name of the model's input, each of the input's type; those that are read.
    HostRun(const HostProgram& program, const Values& inputs);
    /// Of a part, once the results of those before it are given.
    Values device_inputs(std::int64_t part) const;
    /// `results`: by crossing name, of one part.
    void give(std::int64_t part, const Values& results);
    /// By name, once the results of all parts are given.
    Values outputs() const;
    double seconds() const { return seconds_; }  ///< real time of the host's work so far

private:
    void compute();
    const HostProgram& program_;
    std::vector<LiteralPtr> values_;
    double seconds_ = 0;
};

}  // namespace ttsim::impl::ir
