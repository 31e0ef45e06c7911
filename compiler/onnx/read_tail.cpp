#include "compiler/onnx/read_tail.hpp"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/onnx/reader.hpp"
#include "compiler/onnx/tensor.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr int max_nesting = 300;  // of protobuf messages; a graph in a node counts three

/// Adds the names that a node and its graphs read, including names defined in these graphs.
void add_read_names(const onnx::NodeProto& node, std::set<std::string>& names) {
    for (const auto& name : node.input())
        if (!name.empty()) names.insert(name);
    const auto of_graph = [&](const onnx::GraphProto& graph) {
        for (const auto& inner : graph.node()) add_read_names(inner, names);
        for (const auto& output : graph.output()) names.insert(output.name());
    };
    for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) of_graph(attribute.g());
        for (const auto& graph : attribute.graphs()) of_graph(graph);
    }
}

}  // namespace

bool Reader::is_deferred(const onnx::NodeProto& node) const {
    if (deferred_names_.empty()) return false;
    std::set<std::string> names;
    add_read_names(node, names);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return deferred_names_.count(name) != 0; });
}

void Reader::defer_node(const onnx::NodeProto& node) {
    check_known(node);
    tail_.push_back(&node);
    for (const auto& out : node.output())
        if (!out.empty()) deferred_names_.insert(out);
}

/// Reports unknown ops now instead of in the run.
void Reader::check_known(const onnx::NodeProto& node) const {
    const bool own = is_own_domain(node.domain());
    if (!(own && (control_of(node.op_type()) || sequence_of(node.op_type()))) &&
        !find_rule(node.domain(), node.op_type()) && !function_of(node))
        refuse_unknown(node);
    for (const auto& attribute : node.attribute())
        for (const auto& inner : attribute.g().node()) check_known(inner);
}

/// Values that the tail reads from earlier nodes. They become its inputs, in order.
std::vector<ValueId> Reader::tail_operands(onnx::GraphProto& tail) {
    std::set<std::string> names;
    for (const onnx::NodeProto* node : tail_) add_read_names(*node, names);
    std::vector<ValueId> operands;
    for (const std::string& name : names) {
        const auto found = top_.values.find(name);
        if (found == top_.values.end() || deferred_names_.count(name)) continue;
        if (!found->second.is_tensor())
            fail_unsupported(loc(),
                             "{}: the shape of its results depends on runtime values, and '{}', which this or a later "
                             "node reads, is a sequence or an optional instead of a tensor",
                             onnx_node_name(*tail_.front()), name);
        const ValueId value = found->second.items.front();
        auto& input = *tail.add_input();
        input.set_name(name);
        if (const Type& type = build_.type(value); type.dtype == DType::F64 && type.dims.empty()) {
            input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::DOUBLE);
            input.mutable_type()->mutable_tensor_type()->mutable_shape();
        }
        operands.push_back(value);
    }
    return operands;
}

/// Adds the defaults of functions to their calls: the text format drops the field that holds the defaults.
void Reader::write_default_attributes(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) const {
    for (onnx::NodeProto& node : nodes) {
        std::set<std::string> given;
        for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
            given.insert(attribute.name());
            if (attribute.has_g()) write_default_attributes(*attribute.mutable_g()->mutable_node());
            for (auto& graph : *attribute.mutable_graphs()) write_default_attributes(*graph.mutable_node());
        }
        if (const onnx::FunctionProto* function = function_of(node))
            for (const auto& attribute : defaults_of(*function))
                if (given.count(attribute.name()) == 0) *node.add_attribute() = attribute;
    }
}

void Reader::add_tail() {
    if (tail_.empty()) return;
    // deferring all nodes of a tail again would recurse forever
    if (options_.in_run && std::ssize(tail_) == graph_.node_size())
        fail_unsupported(loc(), "{}, and the host cannot compute it before the nodes that follow", tail_reason_);
    onnx::ModelProto model;
    model.set_ir_version(model_.ir_version());
    *model.mutable_opset_import() = model_.opset_import();
    *model.mutable_functions() = model_.functions();
    onnx::GraphProto& graph = *model.mutable_graph();
    const std::vector<ValueId> operands = tail_operands(graph);
    for (const onnx::NodeProto* node : tail_) *graph.add_node() = *node;
    std::string dtypes;
    for (const auto& output : graph_.output()) {
        if (deferred_names_.count(output.name()) == 0) continue;
        graph.add_output()->set_name(output.name());
        dtypes += dtypes.empty() ? "" : " ";
        dtypes += to_string(onnx_dtype(output.type().tensor_type().elem_type()).value_or(DType::F32));
    }
    if (graph.output_size() == 0) return;  // their results are unused
    write_default_attributes(*graph.mutable_node());
    for (auto& function : *model.mutable_functions()) write_default_attributes(*function.mutable_node());
    // Fields newer than these protocol buffers, such as exporters' notes on nodes, would be printed as numbers, which
    // cannot be parsed again.
    model.DiscardUnknownFields();
    std::string text;
    google::protobuf::TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    TT_CHECK(printer.PrintToString(model, &text), "the deferred nodes cannot be printed");
    build_.set_origin(tail_.front()->name().empty() ? tail_.front()->output(0) : tail_.front()->name());
    const ValueId first = build_.add(op::model_tail, operands, {attr::model(text), attr::dtypes(dtypes)});
    for (int k = 0; k < graph.output_size(); ++k)
        top_.values[graph.output(k).name()] = {{k == 0 ? first : build_.result(first, k)}};
    if (options_.notes) options_.notes->push_back(tail_note());
}

/// Inputs of the model with a few integers or booleans that the first deferred node depends on.
std::vector<std::string> Reader::control_inputs() const {
    constexpr std::int64_t few = 16;  // elements
    std::map<std::string, const onnx::NodeProto*> producers;
    for (const auto& node : graph_.node())
        for (const auto& out : node.output()) producers.emplace(out, &node);
    std::set<std::string> seen;
    std::vector<const onnx::NodeProto*> open{tail_.front()};
    while (!open.empty()) {
        std::set<std::string> names;
        add_read_names(*open.back(), names);
        open.pop_back();
        for (const std::string& name : names)
            if (const auto found = producers.find(name); seen.insert(name).second && found != producers.end())
                open.push_back(found->second);
    }
    std::vector<std::string> steering;
    for (const auto& input : graph_.input()) {
        const auto found = top_.values.find(input.name());
        if (seen.count(input.name()) == 0 || found == top_.values.end() || !found->second.is_tensor()) continue;
        const Node& node = result_.nodes[found->second.items.front()];
        if (node.is_input() && !is_float(node.type.dtype) && count(node.type.dims) <= few)
            steering.push_back(input.name());
    }
    return steering;
}

std::string Reader::tail_note() const {
    std::string note =
        fmt::format("the host computes the last {} nodes, from {} on, whose result shapes depend on runtime values: {}",
                    tail_.size(), onnx_node_name(*tail_.front()), tail_reason_);
    for (const std::string& input : control_inputs())
        note += fmt::format("; if '{}' never changes, --constant {}=FILE (or NUMBER) keeps them on the device", input,
                            input);
    return note;
}

Graph read_tail(const std::string& text, const std::string& name, std::span<const Literal* const> inputs,
                HostValues compute) {
    onnx::ModelProto model;
    google::protobuf::TextFormat::Parser parser;
    parser.SetRecursionLimit(max_nesting);
    if (!parser.ParseFromString(text, &model) || model.graph().input_size() != std::ssize(inputs))
        fail_input({name, 0, 0}, "its nodes cannot be parsed");
    OnnxOptions options;
    options.in_run = compute;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        options.constants.emplace(model.graph().input(static_cast<int>(k)).name(), *inputs[k]);
    return Reader(model, {}, name, options).read();
}

}  // namespace ttsim::impl::ir
