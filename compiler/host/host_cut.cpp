#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "compiler/host/host_program.hpp"

namespace ttsim::impl::ir {

namespace {

class Cutter {
public:
    Cutter(Graph& whole, bool exact, bool keep_names)
        : whole_(whole),
          exact_(exact),
          keep_names_(keep_names),
          on_host_(whole.nodes.size()),
          on_device_(whole.nodes.size()),
          part_(whole.nodes.size(), 0),
          iterations_(whole.nodes.size(), 0) {}

    HostProgram run() {
        find_parts();
        for (ValueId id = 0; id < whole_.nodes.size(); ++id)
            if ((is_host(id) && !is_handed_over(id)) || (whole_.nodes[id].is_input() && !is_state(id))) host(id);
        for (ValueId id = 0; id < whole_.nodes.size(); ++id)
            if (!is_host(id) && !whole_.nodes[id].is_constant() && !whole_.nodes[id].is_input()) device(id);
        for (const Output& output : whole_.outputs) add_output(output);
        for (ValueId id = 0; id < device_.nodes.size(); ++id)
            if (const Node& node = device_.nodes[id]; node.is_input() && !node.has("state"))
                program_.to_device.push_back(
                    {node.origin, given_by_.at(id), node.integer("part", 1), node.integer("iterations", 0)});
        if (device_.outputs.empty()) give_one_number();
        whole_ = std::move(device_);
        whole_.erase_unused();
        return std::move(program_);
    }

private:
    bool is_host(ValueId id) const { return whole_.nodes[id].has("host"); }
    bool is_op(ValueId id) const {
        return !is_host(id) && !whole_.nodes[id].is_input() && !whole_.nodes[id].is_constant();
    }

    /// A state of a loop, before the cut and behind it.
    bool is_state(ValueId id) const { return whole_.nodes[id].op == "loop_state" || whole_.nodes[id].has("state"); }
    /// What a turn of a loop is handed over.
    bool is_handed_over(ValueId id) const { return is_state(id) || whole_.nodes[id].op == "loop_feed"; }

    /// What belongs to a loop, with its turns; all of it waits for whatever its turns are handed over.
    void find_loops() {
        std::vector<std::string> loop(whole_.nodes.size());
        for (ValueId id = 0; id < whole_.nodes.size(); ++id) {
            const Node& node = whole_.nodes[id];
            if (is_handed_over(id) || node.is_input()) {
                iterations_[id] = node.integer("iterations", 0);
                loop[id] = node.word("loop", "");
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

    /// As early as what the host gives allows; an op of such values alone that only later parts read is in theirs.
    void find_parts() {
        find_loops();
        constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
        std::vector<std::int64_t> wanted(whole_.nodes.size(), none);  // the least part that reads it; 0: others do
        std::vector<bool> free(whole_.nodes.size(), true);            // no operand is the device's
        std::map<std::string, std::int64_t> before;
        do {
            before = waits_;
            find_earliest(free);
        } while (waits_ != before);  // a loop's first ops wait for what its last are handed over
        for (const Output& output : whole_.outputs) wanted[output.value] = 0;
        for (ValueId id = whole_.nodes.size(); id-- > 0;) {
            if (is_op(id) && free[id] && wanted[id] != none) part_[id] = std::max(part_[id], wanted[id]);
            for (const Edge& edge : whole_.nodes[id].inputs)
                wanted[edge.value] = is_op(id) ? std::min(wanted[edge.value], part_[id]) : 0;
        }
        if (loops_) separate_loops();
    }
    void find_earliest(std::vector<bool>& free) {
        for (ValueId id = 0; id < whole_.nodes.size(); ++id) {
            const Node& node = whole_.nodes[id];
            if (node.is_input()) part_[id] = node.integer("part", 1) - 1;
            for (const Edge& edge : node.inputs) {
                const bool given = is_op(id) && !is_op(edge.value) && !whole_.nodes[edge.value].is_constant();
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
    /// A part has one number of turns: parts of other numbers stand behind each other.
    void separate_loops() {
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> number;
        for (ValueId id = 0; id < whole_.nodes.size(); ++id)
            if (is_op(id)) number[{part_[id], iterations_[id]}] = 0;
        std::int64_t last = 0;
        for (auto& [key, own] : number) own = ++last;
        for (ValueId id = 0; id < whole_.nodes.size(); ++id)
            if (is_op(id)) part_[id] = number.at({part_[id], iterations_[id]});
    }

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
        if (is_op(id)) {
            on_host_[id] = result(id, node.name, device(id), part_[id]);
            return *on_host_[id];
        }
        if (node.op == "loop_results") {
            keep_states(node);
            on_host_[id] = host(node.inputs[0].value);
            return *on_host_[id];
        }
        Node made = node;
        for (Edge& edge : made.inputs) edge.value = host(edge.value);
        made.attrs.erase("host");
        if (is_host(id)) made.name = crossing(made.name);
        on_host_[id] = push(program_.graph, std::move(made));
        return *on_host_[id];
    }

    /// What a loop's states are left with goes to where they are found.
    void keep_states(const Node& results) {
        const std::string loop = results.word("loop", "");
        for (std::size_t k = 1; k < results.inputs.size(); ++k) {
            const std::string name = state_name(loop, static_cast<std::int64_t>(k) - 1);
            if (results_.insert(name).second) device_.outputs.push_back({name, device(results.inputs[k].value), {}});
        }
    }
    static std::string state_name(const std::string& loop, std::int64_t state) {
        return fmt::format("{}_state_{}", loop, state);
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
    ValueId result(ValueId id, std::string name, ValueId on_device, std::int64_t part) {
        while (!results_.insert(name).second) name += "_";
        Node made = input_like(whole_.nodes[id], name);
        made.name = unused_name(name);
        made.attrs["device"] = part;
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
        const Node& node = whole_.nodes[output.value];
        if (is_kept(output)) {
            device_.outputs.push_back({output.name, device(output.value), {}});
            return;
        }
        const bool plain = !is_host(output.value) && (!(node.is_input() || node.is_constant()) || passes(node));
        if (!plain) {
            program_.graph.outputs.push_back({output.name, host(output.value), {}});
            return;
        }
        const auto [found, first] = outputs_.try_emplace(output.value, 0);
        if (first && on_host_[output.value] && !node.is_input() && !node.is_constant())
            found->second = *on_host_[output.value];
        else if (first)
            found->second = whole_output(output);
        program_.graph.outputs.push_back({output.name, found->second, {}});
    }
    /// An input or constant that is an output goes through the device where that does not change it much.
    bool passes(const Node& node) const { return !loops_ && (exact_ || is_float(node.type.dtype)); }
    /// By a state, for the next turn.
    bool is_kept(const Output& output) const {
        return loops_ && std::any_of(whole_.nodes.begin(), whole_.nodes.end(), [&](const Node& node) {
                   return node.is_input() && node.word("state", "") == output.name;
               });
    }

    ValueId whole_output(const Output& output) {
        const ValueId id = output.value;
        const Node& node = whole_.nodes[id];
        if (is_op(id)) return result(id, output.name, device(id), part_[id]);
        const std::int64_t part = node.is_input() ? part_[id] + 1 : 1;
        return result(id, output.name, operand(id, part), part);
    }

    ValueId device(ValueId id) {
        if (on_device_[id]) return *on_device_[id];
        Node made = whole_.nodes[id];
        for (Edge& edge : made.inputs) edge.value = operand(edge.value, part_[id]);
        made.name = unused_on_device(std::move(made.name));
        on_device_[id] = push(device_, std::move(made));
        return *on_device_[id];
    }

    /// The value on the device for an op of that part.
    ValueId operand(ValueId id, std::int64_t part) {
        if (whole_.nodes[id].is_constant()) {
            if (!on_device_[id]) {
                Node made = whole_.nodes[id];
                made.name = unused_on_device(std::move(made.name));
                on_device_[id] = push(device_, std::move(made));
            }
            return *on_device_[id];
        }
        if (is_op(id) && part_[id] == part) return device(id);
        const auto [found, first] = given_.try_emplace({id, part}, 0);
        if (first && is_state(id)) {
            const Node& state = whole_.nodes[id];
            const std::string kept = state.is_input() ? state.word("state", "")
                                                      : state_name(state.word("loop", ""), state.integer("state", 0));
            Node made = input_like(state, kept);
            made.name = unused_on_device(std::move(made.name));
            made.attrs = {{"state", kept}, {"iterations", iterations_[id]}, {"loop", state.word("loop", "")}};
            if (part > 1) made.attrs["part"] = part;
            found->second = push(device_, std::move(made));
        } else if (first) {
            const bool fed = whole_.nodes[id].op == "loop_feed";
            const ValueId given = host(fed ? whole_.nodes[id].inputs[0].value : id);
            const Node& from = program_.graph.nodes[given];
            const std::optional<std::string> moved = keep_names_ ? moved_input(id) : std::nullopt;
            std::string name = moved.value_or(boundary_name(from));
            while (!given_names_.insert(name).second) name = crossing(name + "_");
            Node made = input_like(whole_.nodes[id], name);
            made.name = unused_on_device(moved ? name : std::move(made.name));
            if (part > 1) made.attrs["part"] = part;
            if (iterations_[id] > 0) {
                made.attrs["iterations"] = iterations_[id];
                made.attrs["loop"] = whole_.nodes[id].word("loop", "");
            }
            given_by_[device_.nodes.size()] = given;
            found->second = push(device_, std::move(made));
        }
        return found->second;
    }
    /// The input that the host moves about to make the value, where the device has no use for it as it is.
    std::optional<std::string> moved_input(ValueId id) const {
        const auto moves = [](const Node& node) {
            return node.op == "reshape" || node.op == "transpose" || node.op == "cast";
        };
        while (is_host(id) && moves(whole_.nodes[id])) id = whole_.nodes[id].inputs[0].value;
        if (!whole_.nodes[id].is_input() || is_state(id)) return std::nullopt;
        for (ValueId reader = 0; reader < whole_.nodes.size(); ++reader)
            for (const Edge& edge : whole_.nodes[reader].inputs)
                if (edge.value == id && is_op(reader)) return std::nullopt;
        return boundary_name(whole_.nodes[id]);
    }
    /// A value that crosses has its name on the device more than once.
    std::string unused_on_device(std::string name) {
        while (!device_names_.insert(name).second) name += "_";
        return name;
    }

    Graph& whole_;
    bool exact_, keep_names_;
    HostProgram program_;
    Graph device_ = whole_.next();
    std::vector<std::optional<ValueId>> on_host_, on_device_;
    std::vector<std::int64_t> part_;             ///< of the device's ops; of others: the last that they wait for
    std::vector<std::int64_t> iterations_;       ///< of the loop that a node is in; 0: of none
    bool loops_ = false;                         ///< there are loops
    std::vector<std::string> loop_;              ///< where there are: the one that a node is in; "": none
    std::map<std::string, std::int64_t> waits_;  ///< the last part that a loop's turns wait for
    std::map<std::pair<ValueId, std::int64_t>, ValueId>
        given_;                            ///< value and part that reads it -> input of the device
    std::map<ValueId, ValueId> given_by_;  ///< input of the device -> value of the host
    std::map<ValueId, ValueId> outputs_;   ///< results that are outputs of the model
    std::set<std::string> results_, given_names_, device_names_;
};

}  // namespace

HostProgram cut_host(Graph& graph, bool exact, bool keep_names) { return Cutter(graph, exact, keep_names).run(); }

}  // namespace ttsim::impl::ir
