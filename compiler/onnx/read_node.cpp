// Imports one node of a model: finds its operands by name, applies its rule and names its results.
#include <fmt/ranges.h>

#include "compiler/onnx/reader.hpp"

namespace ttsim::impl::ir {

std::string onnx_node_name(const onnx::NodeProto& node) {
    const std::string name = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
    return fmt::format("node '{}' ({})", name, node.op_type());
}

bool is_own_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

const NamedValue* Scope::find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
        if (const auto found = scope->values.find(name); found != scope->values.end()) return &found->second;
    return nullptr;
}

bool Scope::is_broken(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
        if (scope->broken.count(name)) return true;
    return false;
}

/// Replaces references to attributes of the enclosing function by their values. Drops references that have none.
static onnx::NodeProto with_arguments(const onnx::NodeProto& node, const Scope& scope) {
    const Scope* function = &scope;
    while (function->outer) function = function->outer;
    onnx::NodeProto out = node;
    out.clear_attribute();
    for (const auto& attribute : node.attribute()) {
        if (attribute.ref_attr_name().empty()) {
            *out.add_attribute() = attribute;
            continue;
        }
        const auto given = function->arguments.find(attribute.ref_attr_name());
        if (given == function->arguments.end()) continue;
        auto& copy = *out.add_attribute();
        copy = given->second;
        copy.set_name(attribute.name());
    }
    return out;
}

void Reader::add_node(const onnx::NodeProto& given, Scope& scope) {
    bool refers = false;
    for (const auto& attribute : given.attribute()) refers = refers || !attribute.ref_attr_name().empty();
    const onnx::NodeProto resolved = refers ? with_arguments(given, scope) : onnx::NodeProto();
    const onnx::NodeProto& node = refers ? resolved : given;
    const bool inside = scope.depth > 0;
    try {
        if (!inside && is_deferred(node)) return defer_node(node);
        if (import(node, scope)) return;
    } catch (const NeedsValue& error) {
        if (inside) throw;  // the enclosing node of the model is deferred
        if (tail_.empty()) tail_reason_ = error.message();
        return defer_node(node);
    } catch (const Error& error) {
        problems_.add(error.where().file.empty()
                          ? Error(error.fault(), loc(), onnx_node_name(node) + ": " + error.message())
                          : error);
    }
    for (const auto& out : node.output()) scope.broken.insert(out);
}

bool Reader::import(const onnx::NodeProto& node, Scope& scope) {
    if (node.output_size() == 0) fail_input(loc(), "{} has no outputs", onnx_node_name(node));
    if (is_own_domain(node.domain())) {
        if (const Control control = control_of(node.op_type())) return (this->*control)(node, scope);
        if (const Control sequence = sequence_of(node.op_type())) return (this->*sequence)(node, scope);
    }
    // a rule has precedence over a function of the model
    if (const ImportRule rule = find_rule(node.domain(), node.op_type())) return compute(node, scope, rule);
    if (const onnx::FunctionProto* function = function_of(node)) return import_function(node, scope, *function);
    refuse_unknown(node);
}

void Reader::refuse_unknown(const onnx::NodeProto& node) const {
    fail(Fault::Unsupported,
         {loc(),
          error_code::unsupported_op,
          {node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name()}},
         "{}: the op is not known{}", onnx_node_name(node),
         node.domain().empty() ? "" : " (domain " + node.domain() + ")");
}

std::optional<std::vector<NamedValue>> Reader::operands(const onnx::NodeProto& node, const Scope& scope) const {
    std::vector<NamedValue> found;
    for (const auto& name : node.input()) {
        if (scope.is_broken(name)) return {};  // already reported
        const NamedValue* value = name.empty() ? nullptr : scope.find(name);
        if (!name.empty() && !value) refuse_operand(node, name, scope);
        found.push_back(value ? *value : NamedValue{});
    }
    return found;
}

Import Reader::importing(const onnx::NodeProto& node, const Scope& scope) {
    const Scope* function = &scope;
    while (function->outer) function = function->outer;
    const auto opset = function->opsets.find("");
    build_.set_origin(scope.prefix + (node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name()));
    return {build_, node, opset == function->opsets.end() ? newest_opset : opset->second, file_, options_.folder};
}

bool Reader::compute(const onnx::NodeProto& node, Scope& scope, ImportRule rule) {
    const auto given = operands(node, scope);
    if (!given) return false;
    Import import = importing(node, scope);
    for (std::size_t k = 0; k < given->size(); ++k) {
        const NamedValue& value = (*given)[k];
        if (value.sequence)
            fail_unsupported(loc(), "{}: operand {} is a sequence; it takes tensors", onnx_node_name(node), k);
        import.in.push_back(value.is_tensor() ? std::optional(value.items.front()) : std::nullopt);
    }
    rule(import);
    std::vector<NamedValue> results;
    for (const ValueId id : import.out) results.push_back({{id}});
    set_outputs(node, scope, results);
    return true;
}

void Reader::set_outputs(const onnx::NodeProto& node, Scope& scope, const std::vector<NamedValue>& results) {
    for (int k = 0; k < node.output_size(); ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (node.output(k).empty()) continue;
        if (at >= results.size())
            fail_unsupported(loc(), "{}: its output {} ('{}') is not computed", onnx_node_name(node), k,
                             node.output(k));
        scope.values[node.output(k)] = results[at];
    }
}

const Literal& Reader::constant_scalar(const onnx::NodeProto& node, const NamedValue& value,
                                       const std::string& what) const {
    const Literal* literal = value.is_tensor() ? build_.literal(value.items.front()) : nullptr;
    if (!literal && value.is_tensor() && build_.graph().nodes[value.items.front()].is_input())
        fail_unsupported(loc(), "{}: {} is an input; it must be a constant (set it with --constant NAME=FILE)",
                         onnx_node_name(node), what);
    if (!literal)
        throw NeedsValue(Fault::Unsupported, loc(),
                         fmt::format("{}: {} is computed at run time; a constant keeps it on the device",
                                     onnx_node_name(node), what));
    if (literal->size() != 1)
        fail_input(loc(), "{}: {} has {} values; it needs one", onnx_node_name(node), what, literal->size());
    return *literal;
}

// --- errors about names -------------------------------------------------------------------------------------------

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

static const onnx::NodeProto* producer_of(const Nodes& nodes, const std::string& name) {
    for (const auto& node : nodes)
        for (const auto& out : node.output())
            if (out == name) return &node;
    return nullptr;
}

/// The cycle through `from`, as names of nodes; empty if there is none.
static std::vector<std::string> cycle_of(const Nodes& nodes, const onnx::NodeProto& from) {
    std::map<std::string, const onnx::NodeProto*> producers;
    for (const auto& node : nodes)
        for (const auto& out : node.output()) producers.emplace(out, &node);
    struct Step {
        const onnx::NodeProto* node;
        int next = 0;  // operand
    };
    std::vector<Step> way{{&from}};
    std::set<const onnx::NodeProto*> seen;
    while (!way.empty()) {
        Step& step = way.back();
        if (step.next == step.node->input_size()) {
            way.pop_back();
            continue;
        }
        const auto producer = producers.find(step.node->input(step.next++));
        if (producer == producers.end()) continue;
        if (producer->second->output(0) == from.output(0)) {
            std::vector<std::string> names;
            for (std::size_t k = 1; k < way.size(); ++k) names.push_back(onnx_node_name(*way[k].node));
            names.push_back(onnx_node_name(from));
            return names;
        }
        if (seen.insert(producer->second).second) way.push_back({producer->second});
    }
    return {};
}

void Reader::refuse_operand(const onnx::NodeProto& node, const std::string& name, const Scope& scope) const {
    const onnx::NodeProto* producer = nullptr;
    for (const Scope* at = &scope; at && !producer; at = at->outer) producer = producer_of(*at->nodes, name);
    if (!producer)
        fail_input(loc(), "{} reads '{}', which no input, initializer or node defines", onnx_node_name(node), name);
    const auto cycle = cycle_of(*scope.nodes, node);
    if (!cycle.empty())
        fail_input(loc(), "{} is in a cycle: it reads {}", onnx_node_name(node), fmt::join(cycle, ", which reads "));
    fail_input(loc(), "{} reads '{}', which {} defines later; nodes must be in topological order", onnx_node_name(node),
               name, onnx_node_name(*producer));
}

}  // namespace ttsim::impl::ir
