// Joins two host programs of nested cuts.
#include <set>

#include "compiler/host/host_program.hpp"

namespace ttsim::impl::ir {

namespace {

/// Merges the nodes of the outer and the inner program in topological order. Both may have nodes between device parts.
class Joiner {
public:
    Joiner(HostProgram outer, HostProgram inner)
        : outer_(std::move(outer)),
          inner_(std::move(inner)),
          from_outer_(outer_.graph.nodes.size()),
          from_inner_(inner_.graph.nodes.size()) {
        for (const Output& output : inner_.graph.outputs) results_.emplace(output.name, output.value);
    }

    HostProgram run() {
        for (ValueId id = 0; id < from_outer_.size(); ++id)
            if (!outer_.graph.nodes[id].has(attr::device)) outer(id);
        for (ValueId id = 0; id < from_inner_.size(); ++id) inner(id);
        for (const Output& output : outer_.graph.outputs)
            joined_.graph.outputs.push_back({output.name, outer(output.value), output.type});
        for (const auto& [name, value, part, iterations] : inner_.to_device)
            joined_.to_device.push_back({name, inner(value), part, iterations});
        return std::move(joined_);
    }

private:
    ValueId outer(ValueId id) {
        if (from_outer_[id]) return *from_outer_[id];
        const Node& node = outer_.graph.nodes[id];
        if (node.has(attr::device)) {
            const auto found = results_.find(boundary_name(node));
            TT_CHECK(found != results_.end(), "the inner program has no output '{}'", boundary_name(node));
            from_outer_[id] = inner(found->second);
        } else {
            Node made = node;
            for (Edge& edge : made.inputs) edge.value = outer(edge.value);
            from_outer_[id] = push(std::move(made));
        }
        return *from_outer_[id];
    }
    ValueId inner(ValueId id) {
        if (from_inner_[id]) return *from_inner_[id];
        const Node& node = inner_.graph.nodes[id];
        if (node.is_input() && !node.has(attr::device)) {
            from_inner_[id] = outer(outer_.boundary_value(boundary_name(node)).value);
        } else {
            Node made = node;
            for (Edge& edge : made.inputs) edge.value = inner(edge.value);
            from_inner_[id] = push(std::move(made));
        }
        return *from_inner_[id];
    }
    ValueId push(Node node) {
        while (!names_.insert(node.name).second) node.name += "_";
        joined_.graph.nodes.push_back(std::move(node));
        return joined_.graph.nodes.size() - 1;
    }

    HostProgram outer_, inner_, joined_;
    std::vector<std::optional<ValueId>> from_outer_, from_inner_;
    std::map<std::string, ValueId> results_;  ///< of the inner program, by the name of the outer one's result
    std::set<std::string> names_;
};

}  // namespace

HostProgram join(HostProgram outer, HostProgram inner) { return Joiner(std::move(outer), std::move(inner)).run(); }

}  // namespace ttsim::impl::ir
