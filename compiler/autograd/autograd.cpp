#include "compiler/autograd/autograd.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "compiler/autograd/gradients.hpp"
#include "compiler/ir/training.hpp"

namespace ttsim::impl::ir {

GradientRule find_gradient(OpId op) {
    static const std::map<OpId, GradientRule> rules = [] {
        std::map<OpId, GradientRule> all;
        for (const auto rows : {elementwise_gradients(), tensor_gradients(), composite_gradients()})
            for (const GradientRow& row : rows) all.emplace(row.op, row.rule);
        return all;
    }();
    const auto found = rules.find(op);
    return found == rules.end() ? nullptr : found->second;
}

ValueId unbroadcast(Builder& build, ValueId x, const Dims& dims) {
    const Dims wide = build.dims(x);
    const std::size_t more = wide.size() - dims.size();
    for (std::size_t axis = 0; axis < wide.size(); ++axis)
        if (axis < more || dims[axis - more] != wide[axis]) x = build.reduce_sum(x, static_cast<std::int64_t>(axis));
    return build.reshape(x, dims);
}

namespace {

class Autograd {
public:
    Autograd(Graph& graph, const AutogradRequest& request)
        : graph_(graph), request_(request), build_(graph), forward_nodes_(graph.nodes.size()) {}

    Gradients run() {
        mark_wanted();
        result_.first_backward = forward_nodes_;
        seed();
        for (ValueId id = forward_nodes_; id-- > 0;) {
            const auto gradient = sums_.find(id);
            if (gradient != sums_.end()) pass_on(id, gradient->second);
        }
        for (const std::string& name : request_.wrt)
            if (const auto found = sums_.find(by_name_.at(name)); found != sums_.end())
                result_.of.emplace(name, found->second);
        return std::move(result_);
    }

private:
    /// Marks the values that depend on a wanted tensor.
    void mark_wanted() {
        std::vector<std::string> names;
        for (ValueId id = 0; id < forward_nodes_; ++id) {
            const Node& node = graph_.nodes[id];
            if (!node.is_input() && !node.is_constant()) continue;
            if (!is_float(node.type.dtype)) continue;
            by_name_.emplace(node.name, id);
            names.push_back(node.name);
        }
        wanted_.assign(forward_nodes_, false);
        for (const std::string& name : request_.wrt) {
            const auto found = by_name_.find(name);
            if (found == by_name_.end())
                fail_input({}, "no input or constant of floats is called '{}'{}", name, did_you_mean(name, names));
            wanted_[found->second] = true;
        }
        for (ValueId id = 0; id < forward_nodes_; ++id) {
            if (stops_gradients(graph_.nodes[id])) continue;
            for (const Edge& edge : graph_.nodes[id].inputs) wanted_[id] = wanted_[id] || wanted_[edge.value];
        }
    }

    bool stops_gradients(const Node& node) const {
        if (node.op != op::scale_gradient) return false;
        const Literal* factor = build_.literal(node.inputs[1].value);
        return factor && factor->is_splat() && factor->at(0) == 0;
    }

    void seed() {
        std::set<std::string> losses = request_.losses;
        const std::vector<Output> outputs = graph_.outputs;
        for (const Output& output : outputs) {
            const bool loss = losses.erase(output.name) > 0;
            const Type type = graph_.type(output.value);
            if (!wanted_[output.value] || !is_float(type.dtype)) {
                if (loss) fail_input({}, "the loss '{}' depends on no tensor that is trained", output.name);
                continue;
            }
            if (loss) {
                Literal ones(DType::F32, type.dims);
                std::fill(ones.floats().begin(), ones.floats().end(), 1.0F);
                add(output.value, build_.constant(std::move(ones)));
                continue;
            }
            const ValueId incoming = build_.input(loss_input(output.name), type);
            result_.incoming.emplace(output.name, incoming);
            add(output.value, incoming);
        }
        if (!losses.empty()) {
            std::vector<std::string> names;
            for (const Output& output : outputs) names.push_back(output.name);
            fail_input({}, "no output is called '{}'{}", *losses.begin(), did_you_mean(*losses.begin(), names));
        }
    }

    void add(ValueId value, ValueId gradient) {
        const auto [sum, first] = sums_.emplace(value, gradient);
        if (!first) sum->second = build_.add(op::add, {sum->second, gradient});
    }

    /// Adds the gradients of a node's operands.
    void pass_on(ValueId id, ValueId gradient) {
        const Node node = graph_.nodes[id];
        if (node.is_input() || node.is_constant()) return;
        GradientCall call{build_, node, {}, id, gradient};
        for (const Edge& edge : node.inputs) call.in.push_back(edge.value);
        build_.set_loc(node.loc);
        for (std::size_t k = 0; k < call.in.size(); ++k) {
            if (!wanted_[call.in[k]] || !is_float(graph_.type(call.in[k]).dtype)) continue;
            const GradientRule rule = find_gradient(node.op);
            if (!rule)
                fail_unsupported(node.loc,
                                 "'{}' ({}) has no gradient; train only tensors that reach the loss by another way",
                                 node.name, node.op);
            build_.set_origin("bw_in" + std::to_string(k) + "_" + node.name);
            const std::optional<ValueId> own = rule(call, k);
            if (own) add(call.in[k], unbroadcast(build_, *own, build_.dims(call.in[k])));
        }
    }

    Graph& graph_;
    const AutogradRequest& request_;
    Builder build_;
    std::size_t forward_nodes_;
    std::map<std::string, ValueId> by_name_;
    std::vector<bool> wanted_;         // of forward nodes
    std::map<ValueId, ValueId> sums_;  // gradient by value
    Gradients result_;
};

}  // namespace

Gradients differentiate(Graph& graph, const AutogradRequest& request) { return Autograd(graph, request).run(); }

}  // namespace ttsim::impl::ir
