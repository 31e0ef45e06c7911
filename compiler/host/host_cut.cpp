// Cuts a model into host program and device graph.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "compiler/host/host_program.hpp"

namespace ttsim::impl::ir {

namespace {

class Cutter {
public:
    Cutter(Graph& model, bool exact, bool keep_names)
        : model_(model),
          exact_(exact),
          keep_names_(keep_names),
          on_host_(model.nodes.size()),
          on_device_(model.nodes.size()),
          part_(model.nodes.size(), 0),
          iterations_(model.nodes.size(), 0) {}

    HostProgram run() {
        find_parts();
        for (ValueId id = 0; id < model_.nodes.size(); ++id)
            if ((is_host(id) && !is_loop_input(id)) || (model_.nodes[id].is_input() && !is_state(id) && !is_stored(id)))
                host(id);
        for (ValueId id = 0; id < model_.nodes.size(); ++id)
            if (!is_host(id) && !model_.nodes[id].is_constant() && !model_.nodes[id].is_input()) device(id);
        for (const Output& output : model_.outputs) add_output(output);
        for (ValueId id = 0; id < device_.nodes.size(); ++id)
            if (const Node& node = device_.nodes[id]; node.is_input() && !node.has(attr::state) && !node.is_parameter())
                program_.to_device.push_back(
                    {node.origin, source_of_.at(id), node.get(attr::part), node.get(attr::iterations)});
        if (device_.outputs.empty()) add_dummy_op();
        model_ = std::move(device_);
        model_.erase_unused();
        return std::move(program_);
    }

private:
    bool is_host(ValueId id) const { return model_.nodes[id].has(attr::host); }
    bool is_op(ValueId id) const {
        return !is_host(id) && !model_.nodes[id].is_input() && !model_.nodes[id].is_constant();
    }

    /// Whether the value is in the device's memory before it runs.
    bool is_stored(ValueId id) const { return model_.nodes[id].is_constant() || model_.nodes[id].is_parameter(); }

    /// A state of a loop, before or after the cut.
    bool is_state(ValueId id) const {
        return model_.nodes[id].op == op::loop_state || model_.nodes[id].has(attr::state);
    }
    /// An input of a loop's iteration: a state or a slice.
    bool is_loop_input(ValueId id) const { return is_state(id) || model_.nodes[id].op == op::loop_feed; }

    /// Finds the nodes of loops with their iterations. All nodes of a loop wait for all inputs of its iterations.
    void find_loops() {
        std::vector<std::string> loop(model_.nodes.size());
        for (ValueId id = 0; id < model_.nodes.size(); ++id) {
            const Node& node = model_.nodes[id];
            if (is_loop_input(id) || node.is_input()) {
                iterations_[id] = node.get(attr::iterations);
                loop[id] = node.get(attr::loop);
            } else if (is_op(id)) {
                for (const Edge& edge : node.inputs) {
                    iterations_[id] = std::max(iterations_[id], iterations_[edge.value]);
                    if (!loop[edge.value].empty()) loop[id] = loop[edge.value];
                }
            }
            loops_ = loops_ || iterations_[id] > 0;
        }
        if (!loops_) return;
        loop_ = std::move(loop);
    }

    /// Assigns ops to the earliest part that host values allow. Ops of host values only are moved to the part of their
    /// readers.
    void find_parts() {
        find_loops();
        constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
        std::vector<std::int64_t> wanted(model_.nodes.size(),
                                         none);             // the least part that reads it; 0: read outside of parts
        std::vector<bool> free(model_.nodes.size(), true);  // no operand is a device op
        std::map<std::string, std::int64_t> before;
        do {
            before = waits_;
            find_earliest(free);
        } while (waits_ != before);  // the first ops of a loop wait for inputs of its last ops
        for (const Output& output : model_.outputs) wanted[output.value] = 0;
        for (ValueId id = model_.nodes.size(); id-- > 0;) {
            if (is_op(id) && free[id] && wanted[id] != none) part_[id] = std::max(part_[id], wanted[id]);
            for (const Edge& edge : model_.nodes[id].inputs)
                wanted[edge.value] = is_op(id) ? std::min(wanted[edge.value], part_[id]) : 0;
        }
        if (loops_) separate_loops();
    }
    void find_earliest(std::vector<bool>& free) {
        for (ValueId id = 0; id < model_.nodes.size(); ++id) {
            const Node& node = model_.nodes[id];
            if (node.is_input()) part_[id] = node.get(attr::part) - 1;
            for (const Edge& edge : node.inputs) {
                const bool given = is_op(id) && !is_op(edge.value) && !model_.nodes[edge.value].is_constant();
                part_[id] = std::max(part_[id], part_[edge.value] + (given ? 1 : 0));
                free[id] = free[id] && !is_op(edge.value);
            }
            if (loops_ && !loop_[id].empty()) {
                std::int64_t& last = waits_[loop_[id]];
                if (is_op(id)) part_[id] = std::max(part_[id], last + 1);
                last = std::max(last, part_[id] - (is_op(id) ? 1 : 0));
                free[id] = false;
            }
            if (is_op(id)) part_[id] = std::max<std::int64_t>(part_[id], 1);
        }
    }
    /// Splits parts so that all ops of a part have the same number of iterations.
    void separate_loops() {
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> number;
        for (ValueId id = 0; id < model_.nodes.size(); ++id)
            if (is_op(id)) number[{part_[id], iterations_[id]}] = 0;
        std::int64_t last = 0;
        for (auto& [key, own] : number) own = ++last;
        for (ValueId id = 0; id < model_.nodes.size(); ++id)
            if (is_op(id)) part_[id] = number.at({part_[id], iterations_[id]});
    }

    static ValueId push(Graph& graph, Node node) {
        graph.nodes.push_back(std::move(node));
        return graph.nodes.size() - 1;
    }
    static Node input_like(const Node& node, const std::string& name) {
        Node made;
        made.name = node.name;
        made.op = op::input;
        made.type = node.type;
        made.origin = name;
        made.loc = node.loc;
        return made;
    }

    /// The value on the host; device results become inputs.
    ValueId host(ValueId id) {
        if (on_host_[id]) return *on_host_[id];
        const Node& node = model_.nodes[id];
        if (is_op(id)) {
            on_host_[id] = result(id, node.name, device(id), part_[id]);
            return *on_host_[id];
        }
        if (node.op == op::loop_results) {
            keep_states(node);
            on_host_[id] = host(node.inputs[0].value);
            return *on_host_[id];
        }
        Node made = node;
        for (Edge& edge : made.inputs) edge.value = host(edge.value);
        made.erase(attr::host);
        if (is_host(id)) made.name = unused_boundary_name(made.name);
        on_host_[id] = push(program_.graph, std::move(made));
        return *on_host_[id];
    }

    /// Adds the final values of a loop's states as outputs.
    void keep_states(const Node& results) {
        const std::string loop = results.get(attr::loop);
        for (std::size_t k = 1; k < results.inputs.size(); ++k) {
            const std::string name = state_name(loop, static_cast<std::int64_t>(k) - 1);
            if (results_.insert(name).second) device_.outputs.push_back({name, device(results.inputs[k].value), {}});
        }
    }
    static std::string state_name(const std::string& loop, std::int64_t state) {
        return fmt::format("{}_state_{}", loop, state);
    }

    /// The host computes the whole model. A netlist needs an op, so the device copies an unused number.
    void add_dummy_op() {
        Node number = {.name = "nothing_left",
                       .op = op::constant,
                       .inputs = {},
                       .attrs = {},
                       .type = {},
                       .literal = std::make_shared<Literal>(Literal::scalar(DType::F32, 0)),
                       .origin = {},
                       .kind = {},
                       .loc = {}};
        number.type = {DType::F32, number.literal->dims(), {}};
        const ValueId id = push(device_, number);
        const std::string name = unused_boundary_name("nothing_left");
        Node made = input_like(number, name);
        made.name = unused_name(name);
        made.set(attr::device, 1);
        push(program_.graph, std::move(made));
        device_.outputs.push_back({name, id, {}});
    }

    /// An unused name that is not the name of a model input.
    std::string unused_boundary_name(std::string name) const {
        const auto taken = [&](const Node& node) { return node.is_input() && node.origin == name; };
        while (std::any_of(model_.nodes.begin(), model_.nodes.end(), taken)) name += "_";
        return unused_name(std::move(name));
    }

    /// Adds a device result.
    ValueId result(ValueId id, std::string name, ValueId on_device, std::int64_t part) {
        while (!results_.insert(name).second) name += "_";
        Node made = input_like(model_.nodes[id], name);
        made.name = unused_name(name);
        made.set(attr::device, part);
        if (iterations_[id] > 0) made.type.dims.insert(made.type.dims.begin(), iterations_[id]);
        device_.outputs.push_back({name, on_device, {}});
        return push(program_.graph, std::move(made));
    }
    std::string unused_name(std::string name) const { return unused_name(program_.graph, std::move(name)); }
    static std::string unused_name(const Graph& graph, std::string name) {
        const auto taken = [&](const Node& node) { return node.name == name; };
        while (std::any_of(graph.nodes.begin(), graph.nodes.end(), taken)) name += "_";
        return name;
    }

    void add_output(const Output& output) {
        const Node& node = model_.nodes[output.value];
        if (is_loop_state(output)) {
            device_.outputs.push_back({output.name, device(output.value), {}});
            return;
        }
        const bool plain =
            !is_host(output.value) && (!(node.is_input() || node.is_constant()) || passes_through_device(node));
        if (!plain) {
            program_.graph.outputs.push_back({output.name, host(output.value), {}});
            return;
        }
        const auto [found, first] = outputs_.try_emplace(output.value, 0);
        if (first && on_host_[output.value] && !node.is_input() && !node.is_constant())
            found->second = *on_host_[output.value];
        else if (first)
            found->second = device_output(output);
        program_.graph.outputs.push_back({output.name, found->second, {}});
    }
    /// Whether an input or constant that is an output can pass through the device without much loss.
    bool passes_through_device(const Node& node) const { return !loops_ && (exact_ || is_float(node.type.dtype)); }
    /// Whether the output is a state for the next iteration.
    bool is_loop_state(const Output& output) const {
        return loops_ && std::any_of(model_.nodes.begin(), model_.nodes.end(), [&](const Node& node) {
                   return node.is_input() && node.get(attr::state) == output.name;
               });
    }

    ValueId device_output(const Output& output) {
        const ValueId id = output.value;
        const Node& node = model_.nodes[id];
        if (is_op(id)) return result(id, output.name, device(id), part_[id]);
        const std::int64_t part = node.is_input() ? part_[id] + 1 : 1;
        return result(id, output.name, operand(id, part), part);
    }

    ValueId device(ValueId id) {
        if (on_device_[id]) return *on_device_[id];
        Node made = model_.nodes[id];
        for (Edge& edge : made.inputs) edge.value = operand(edge.value, part_[id]);
        made.name = unused_on_device(std::move(made.name));
        on_device_[id] = push(device_, std::move(made));
        return *on_device_[id];
    }

    /// The value on the device for an op of a part.
    ValueId operand(ValueId id, std::int64_t part) {
        if (is_stored(id)) {
            if (!on_device_[id]) {
                Node made = model_.nodes[id];
                made.name = unused_on_device(std::move(made.name));
                on_device_[id] = push(device_, std::move(made));
            }
            return *on_device_[id];
        }
        if (is_op(id) && part_[id] == part) return device(id);
        const auto [found, first] = device_inputs_.try_emplace({id, part}, 0);
        if (first && is_state(id)) {
            const Node& state = model_.nodes[id];
            const std::string kept = state.is_input() ? state.get(attr::state)
                                                      : state_name(state.get(attr::loop), state.get(attr::state_index));
            Node made = input_like(state, kept);
            made.name = unused_on_device(std::move(made.name));
            made.attrs = {attr::state(kept), attr::iterations(iterations_[id]), attr::loop(state.get(attr::loop))};
            if (part > 1) made.set(attr::part, part);
            found->second = push(device_, std::move(made));
        } else if (first) {
            const bool fed = model_.nodes[id].op == op::loop_feed;
            const ValueId given = host(fed ? model_.nodes[id].inputs[0].value : id);
            const Node& from = program_.graph.nodes[given];
            const std::optional<std::string> moved = keep_names_ ? rearranged_input(id) : std::nullopt;
            std::string name = moved.value_or(boundary_name(from));
            while (!input_names_.insert(name).second) name = unused_boundary_name(name + "_");
            Node made = input_like(model_.nodes[id], name);
            made.name = unused_on_device(moved ? name : std::move(made.name));
            if (part > 1) made.set(attr::part, part);
            if (iterations_[id] > 0) {
                made.set(attr::iterations, iterations_[id]);
                made.set(attr::loop, model_.nodes[id].get(attr::loop));
            }
            source_of_[device_.nodes.size()] = given;
            found->second = push(device_, std::move(made));
        }
        return found->second;
    }
    /// The input that the host rearranges to get the value, if no device op reads the input itself.
    std::optional<std::string> rearranged_input(ValueId id) const {
        const auto moves = [](const Node& node) {
            return node.op == op::reshape || node.op == op::transpose || node.op == op::cast;
        };
        while (is_host(id) && moves(model_.nodes[id])) id = model_.nodes[id].inputs[0].value;
        if (!model_.nodes[id].is_input() || is_state(id)) return std::nullopt;
        for (ValueId reader = 0; reader < model_.nodes.size(); ++reader)
            for (const Edge& edge : model_.nodes[reader].inputs)
                if (edge.value == id && is_op(reader)) return std::nullopt;
        return boundary_name(model_.nodes[id]);
    }
    /// A boundary value may occur several times on the device.
    std::string unused_on_device(std::string name) {
        while (!device_names_.insert(name).second) name += "_";
        return name;
    }

    Graph& model_;
    bool exact_, keep_names_;
    HostProgram program_;
    Graph device_ = model_.next();
    std::vector<std::optional<ValueId>> on_host_, on_device_;
    std::vector<std::int64_t> part_;             ///< per device op its part; per other node the last part it waits for
    std::vector<std::int64_t> iterations_;       ///< of the node's loop; 0: no loop
    bool loops_ = false;                         ///< whether there are loops
    std::vector<std::string> loop_;              ///< if there are loops: the node's loop; "": none
    std::map<std::string, std::int64_t> waits_;  ///< the last part that a loop waits for
    std::map<std::pair<ValueId, std::int64_t>, ValueId>
        device_inputs_;                     ///< value and part that reads it -> input of the device
    std::map<ValueId, ValueId> source_of_;  ///< input of the device -> value of the host
    std::map<ValueId, ValueId> outputs_;    ///< results that are outputs of the model
    std::set<std::string> results_, input_names_, device_names_;
};

}  // namespace

HostProgram cut_host(Graph& graph, bool exact, bool keep_names) { return Cutter(graph, exact, keep_names).run(); }

}  // namespace ttsim::impl::ir
