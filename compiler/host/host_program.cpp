#include "compiler/host/host_program.hpp"

#include <algorithm>
#include <set>

#include "compiler/ir/op_table.hpp"

namespace tt::ir {

std::string crossing_name(const Node& node) {
    return node.is_input() && !node.origin.empty() ? node.origin : node.name;
}

std::vector<std::string> input_names(const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes)
        if (node.is_input() && !node.has("device")) names.push_back(crossing_name(node));
    return names;
}

void name_inputs(Graph& graph) {
    for (Node& node : graph.nodes)
        if (node.is_input() && node.origin.empty()) node.origin = node.name;
}

ValueId HostProgram::value_of(const std::string& name) const {
    for (const Crossing& crossing : to_device)
        if (crossing.name == name) return crossing.value;
    TT_CHECK(false, "nothing of the host goes to the device as '{}'", name);
}

namespace {

class Cutter {
public:
    Cutter(Graph& whole, bool exact)
        : whole_(whole), exact_(exact), on_host_(whole.nodes.size()), on_device_(whole.nodes.size()) {}

    HostProgram run() {
        for (ValueId id = 0; id < whole_.nodes.size(); ++id)
            if (is_host(id) || whole_.nodes[id].is_input()) host(id);
        for (ValueId id = 0; id < whole_.nodes.size(); ++id)
            if (!is_host(id) && !whole_.nodes[id].is_constant() && !whole_.nodes[id].is_input()) device(id);
        for (const Output& output : whole_.outputs) add_output(output);
        for (ValueId id = 0; id < device_.nodes.size(); ++id)
            if (device_.nodes[id].is_input())
                program_.to_device.push_back({device_.nodes[id].origin, given_by_.at(id)});
        if (device_.outputs.empty()) give_one_number();
        whole_ = std::move(device_);
        whole_.erase_unused();
        return std::move(program_);
    }

private:
    bool is_host(ValueId id) const { return whole_.nodes[id].has("host"); }

    static ValueId push(Graph& graph, Node node) {
        graph.nodes.push_back(std::move(node));
        return graph.nodes.size() - 1;
    }
    static Node input_like(const Node& node, const std::string& name) {
        Node made;
        made.name = node.name;
        made.op = "input";
        made.type = node.type;
        made.origin = name;
        made.loc = node.loc;
        return made;
    }

    /// The value on the host; the device's results come in as inputs.
    ValueId host(ValueId id) {
        if (on_host_[id]) return *on_host_[id];
        const Node& node = whole_.nodes[id];
        if (!is_host(id) && !node.is_input() && !node.is_constant()) {
            on_host_[id] = result(id, node.name);
            return *on_host_[id];
        }
        Node made = node;
        for (Edge& edge : made.inputs) edge.value = host(edge.value);
        made.attrs.erase("host");
        if (is_host(id)) made.name = crossing(made.name);
        on_host_[id] = push(program_.graph, std::move(made));
        return *on_host_[id];
    }

    /// All of the model is work for the host. A netlist has an op: the device copies a number that nobody reads.
    void give_one_number() {
        Node number = {.name = "nothing_left",
                       .op = "constant",
                       .inputs = {},
                       .attrs = {},
                       .type = {},
                       .literal = std::make_shared<Literal>(Literal::scalar(DType::F32, 0)),
                       .origin = {},
                       .kind = {},
                       .loc = {}};
        number.type = {DType::F32, number.literal->dims(), {}};
        const ValueId id = push(device_, number);
        const std::string name = crossing("nothing_left");
        Node made = input_like(number, name);
        made.name = unused_name(name);
        made.attrs["device"] = std::int64_t{1};
        push(program_.graph, std::move(made));
        device_.outputs.push_back({name, id, {}});
    }

    /// A name that is no input's name in the model either.
    std::string crossing(std::string name) const {
        const auto taken = [&](const Node& node) { return node.is_input() && node.origin == name; };
        while (std::any_of(whole_.nodes.begin(), whole_.nodes.end(), taken)) name += "_";
        return unused_name(std::move(name));
    }

    /// A value that the device gives back.
    ValueId result(ValueId id, std::string name) {
        while (!results_.insert(name).second) name += "_";
        Node made = input_like(whole_.nodes[id], name);
        made.name = unused_name(name);
        made.attrs["device"] = std::int64_t{1};
        device_.outputs.push_back({name, device(id), {}});
        return push(program_.graph, std::move(made));
    }
    std::string unused_name(std::string name) const {
        const auto taken = [&](const Node& node) { return node.name == name; };
        while (std::any_of(program_.graph.nodes.begin(), program_.graph.nodes.end(), taken)) name += "_";
        return name;
    }

    void add_output(const Output& output) {
        const Node& node = whole_.nodes[output.value];
        const bool plain = !is_host(output.value) && (!(node.is_input() || node.is_constant()) || passes(node));
        if (!plain) {
            program_.graph.outputs.push_back({output.name, host(output.value), {}});
            return;
        }
        const auto [found, first] = outputs_.try_emplace(output.value, 0);
        if (first && on_host_[output.value] && !node.is_input() && !node.is_constant())
            found->second = *on_host_[output.value];
        else if (first)
            found->second = result(output.value, output.name);
        program_.graph.outputs.push_back({output.name, found->second, {}});
    }
    /// An input or constant that is an output goes through the device where that does not change it much.
    bool passes(const Node& node) const { return exact_ || is_float(node.type.dtype); }

    ValueId device(ValueId id) {
        if (on_device_[id]) return *on_device_[id];
        const Node& node = whole_.nodes[id];
        Node made = node;
        const bool given = node.is_input() || is_host(id);
        if (given)
            made = input_like(node, crossing_name(program_.graph.nodes[host(id)]));
        else
            for (Edge& edge : made.inputs) edge.value = device(edge.value);
        on_device_[id] = push(device_, std::move(made));
        if (given) given_by_[*on_device_[id]] = host(id);
        return *on_device_[id];
    }

    Graph& whole_;
    bool exact_;
    HostProgram program_;
    Graph device_;
    std::vector<std::optional<ValueId>> on_host_, on_device_;
    std::map<ValueId, ValueId> given_by_;  ///< input of the device -> value of the host
    std::map<ValueId, ValueId> outputs_;   ///< results that are outputs of the model
    std::set<std::string> results_;
};

}  // namespace

HostProgram cut_host(Graph& graph, bool exact) { return Cutter(graph, exact).run(); }

namespace {

class Joiner {
public:
    Joiner(HostProgram outer, HostProgram inner) : outer_(std::move(outer)), inner_(std::move(inner)) {}

    HostProgram run() {
        const Graph &out = outer_.graph, &in = inner_.graph;
        std::vector<bool> late(out.nodes.size(), false);  // after the device
        for (ValueId id = 0; id < late.size(); ++id) {
            late[id] = out.nodes[id].has("device");
            for (const Edge& edge : out.nodes[id].inputs) late[id] = late[id] || late[edge.value];
        }
        std::vector<ValueId> from_outer(out.nodes.size()), from_inner(in.nodes.size());
        for (ValueId id = 0; id < late.size(); ++id)
            if (!late[id]) from_outer[id] = push(out.nodes[id], from_outer);
        for (ValueId id = 0; id < in.nodes.size(); ++id) {
            const Node& node = in.nodes[id];
            const bool given = node.is_input() && !node.has("device");
            from_inner[id] = given ? from_outer[outer_.value_of(crossing_name(node))] : push(node, from_inner);
        }
        for (ValueId id = 0; id < late.size(); ++id) {
            if (!late[id]) continue;
            const Node& node = out.nodes[id];
            from_outer[id] = node.has("device") ? from_inner[result(crossing_name(node))] : push(node, from_outer);
        }
        for (const Output& output : out.outputs)
            joined_.graph.outputs.push_back({output.name, from_outer[output.value], output.type});
        for (const auto& [name, value] : inner_.to_device) joined_.to_device.push_back({name, from_inner[value]});
        return std::move(joined_);
    }

private:
    ValueId result(const std::string& name) const {
        for (const Output& output : inner_.graph.outputs)
            if (output.name == name) return output.value;
        TT_CHECK(false, "the device's part has no output '{}'", name);
    }
    ValueId push(Node node, const std::vector<ValueId>& moved) {
        for (Edge& edge : node.inputs) edge.value = moved[edge.value];
        while (!names_.insert(node.name).second) node.name += "_";
        joined_.graph.nodes.push_back(std::move(node));
        return joined_.graph.nodes.size() - 1;
    }

    HostProgram outer_, inner_, joined_;
    std::set<std::string> names_;
};

}  // namespace

HostProgram join(HostProgram outer, HostProgram inner) { return Joiner(std::move(outer), std::move(inner)).run(); }

std::vector<bool> read_nodes(const HostProgram& program) {
    const auto uses = program.graph.use_counts();
    std::vector<bool> read(uses.begin(), uses.end());
    for (const HostProgram::Crossing& crossing : program.to_device) read[crossing.value] = true;
    return read;
}

HostRun::HostRun(const HostProgram& program, const Values& inputs)
    : program_(program), values_(program.graph.nodes.size()) {
    const std::vector<bool> read = read_nodes(program);
    for (ValueId id = 0; id < values_.size(); ++id) {
        const Node& node = program.graph.nodes[id];
        if (node.is_constant()) values_[id] = node.literal;
        if (!node.is_input() || node.has("device") || !read[id]) continue;
        const auto given = inputs.find(crossing_name(node));
        TT_CHECK(given != inputs.end(), "input '{}' has no value", crossing_name(node));
        values_[id] = std::make_shared<Literal>(given->second);
    }
    compute();
}

/// All that has its operands by now.
void HostRun::compute() {
    for (ValueId id = 0; id < values_.size(); ++id) {
        const Node& node = program_.graph.nodes[id];
        if (values_[id] || node.is_input()) continue;
        std::vector<const Literal*> in;
        for (const Edge& edge : node.inputs)
            if (values_[edge.value]) in.push_back(values_[edge.value].get());
        if (in.size() == node.inputs.size()) values_[id] = std::make_shared<Literal>(find_op(node.op)->eval(node, in));
    }
}

Values HostRun::device_inputs() const {
    Values values;
    for (const auto& [name, value] : program_.to_device) values.emplace(name, *values_[value]);
    return values;
}

Values HostRun::finish(const Values& results) {
    for (ValueId id = 0; id < values_.size(); ++id) {
        const Node& node = program_.graph.nodes[id];
        if (!node.has("device")) continue;
        const auto given = results.find(crossing_name(node));
        TT_CHECK(given != results.end(), "the device gave no '{}'", crossing_name(node));
        values_[id] = std::make_shared<Literal>(given->second);
    }
    compute();
    Values outputs;
    for (const Output& output : program_.graph.outputs) outputs.emplace(output.name, *values_[output.value]);
    return outputs;
}

}  // namespace tt::ir
