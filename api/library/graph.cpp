#include <ttsim/graph.hpp>

#include "api/library/arrays.hpp"
#include "api/library/graph_impl.hpp"
#include "api/library/internal.hpp"
#include "base/error_codes.hpp"
#include "base/text.hpp"
#include "compiler/host/samples.hpp"
#include "compiler/onnx/read.hpp"

namespace ttsim {

namespace {

std::vector<std::string> op_names() {
    std::vector<std::string> names;
    for (const OpInfo& op : model_ops()) names.push_back(op.name);
    return names;
}

void check_fresh(const std::string& name, bool taken, const char* what) {
    if (name.empty()) impl::fail_input({}, "{} of the model needs a name", what);
    if (taken)
        impl::fail(impl::Fault::Input, {{}, impl::error_code::duplicate_name, {name}}, "the model has two {}s '{}'",
                   what, name);
}

std::size_t known(const impl::ir::Graph& graph, Graph::Value value) {
    if (value.id >= graph.nodes.size()) impl::fail_input({}, "a value belongs to another graph");
    return value.id;
}

}  // namespace

std::vector<OpInfo> model_ops() {
    std::vector<OpInfo> list;
    for (const impl::ir::OpInfo* op : impl::ir::all_ops())
        if (op->level != impl::ir::Level::Device)
            list.push_back({std::string(op->name), op->min_inputs, op->max_inputs});
    return list;
}

Graph::Graph() : impl_(std::make_unique<Impl>()) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

Graph Graph::from_onnx_file(const std::string& path, const Shapes& shapes) {
    Graph graph;
    guarded([&] { graph.impl_->graph = impl::ir::read_onnx(path, {shapes, {}, std::nullopt}); });
    return graph;
}

Graph Graph::from_onnx(const std::string& bytes, const std::string& name, const Shapes& shapes) {
    Graph graph;
    guarded([&] { graph.impl_->graph = impl::ir::parse_onnx(bytes, name, {shapes, {}, std::nullopt}); });
    return graph;
}

Graph Graph::from_text(const std::string& text, const std::string& name) {
    Graph graph;
    guarded([&] {
        graph.impl_->graph = impl::ir::parse_graph(text, name);
        impl::ir::name_inputs(graph.impl_->graph);
    });
    return graph;
}

std::string Graph::text() const { return impl::ir::print_graph(impl_->graph); }

Graph::Value Graph::input(const std::string& name, std::vector<std::int64_t> shape, ElementType type) {
    return guarded([&]() -> Value {
        check_fresh(name, impl_->has(true, name), "input");
        impl::ir::Literal(internal(type), shape, impl::ir::max_read_elements);  // throws when the shape is too large
        return {impl_->build.input(name, {internal(type), std::move(shape), {}})};
    });
}

Graph::Value Graph::constant(const std::string& name, const Array& value) { return constant(name, Array(value)); }

Graph::Value Graph::constant(const std::string& name, Array&& value) {
    return guarded([&]() -> Value {
        check_fresh(name, impl_->has(false, name), "constant");
        impl_->build.set_origin(name);
        const Value made{impl_->build.model_constant(internal(std::move(value), name))};
        impl_->build.set_origin("");
        return made;
    });
}

Graph::Value Graph::number(float value) {
    return guarded([&]() -> Value { return {impl_->build.scalar(static_cast<double>(value))}; });
}

Graph::Value Graph::add(const std::string& op, const std::vector<Value>& operands, const Attributes& attributes,
                        const std::string& name) {
    return guarded([&]() -> Value {
        const impl::ir::OpInfo* known_op = impl::ir::find_op(impl::ir::op_named(op));
        if (!known_op || known_op->level == impl::ir::Level::Device)
            impl::fail(impl::Fault::Input, {{}, impl::error_code::unknown_name, {op}}, "unknown op '{}'{}", op,
                       impl::did_you_mean(op, op_names()));
        impl::ir::Node node;
        node.op = known_op->id;
        node.name = name.empty() ? op : name;
        node.origin = name;
        node.attrs = {attributes.begin(), attributes.end()};
        for (const Value operand : operands) node.inputs.push_back({known(impl_->graph, operand), {}});
        impl::ir::infer_types(impl_->graph, node);
        return {impl_->build.copy(node, node.inputs)};  // no constant folding before the graph is compiled
    });
}

void Graph::output(const std::string& name, Value value) {
    guarded([&] {
        bool taken = false;
        for (const impl::ir::Output& output : impl_->graph.outputs) taken = taken || output.name == name;
        check_fresh(name, taken, "output");
        impl_->graph.outputs.push_back({name, known(impl_->graph, value), {}});
    });
}

ArrayInfo Graph::info(Value value) const {
    return guarded([&] {
        const impl::ir::Node& node = impl_->graph.nodes[known(impl_->graph, value)];
        return info_of(node.origin.empty() ? node.name : node.origin, node.type);
    });
}

std::vector<ArrayInfo> Graph::inputs() const {
    std::vector<ArrayInfo> all;
    for (const impl::ir::Node& node : impl_->graph.nodes)
        if (node.is_input()) all.push_back(info_of(impl::ir::boundary_name(node), node.type));
    return all;
}

std::vector<ArrayInfo> Graph::outputs() const {
    std::vector<ArrayInfo> all;
    for (const impl::ir::Output& output : impl_->graph.outputs)
        all.push_back(info_of(output.name, impl_->graph.type(output.value)));
    return all;
}

}  // namespace ttsim
