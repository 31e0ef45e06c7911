// Imports If, Loop and Scan, whose graphs are attributes of the node, and functions of the model. All are unrolled.
//
//   If     a constant condition selects one graph. With a runtime condition both are computed and the results
//          selected. If the shapes of one do not match, the other is always taken.
//   Loop   unrolled for a constant number of iterations; a condition that is computed at run time is refused
//   Scan   unrolled once for each slice
#include <fmt/ranges.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <utility>

#include "compiler/onnx/distances.hpp"
#include "compiler/onnx/join.hpp"
#include "compiler/onnx/reader.hpp"
#include "compiler/onnx/tensor.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr int max_depth = 64;                  // nested functions and graphs
constexpr std::int64_t max_iterations = 4096;  // of a loop
constexpr std::size_t max_nodes = 1 << 20;     // of the resulting graph

std::int64_t number_of(const onnx::NodeProto& node, const char* name, std::int64_t otherwise) {
    for (const auto& attribute : node.attribute())
        if (attribute.name() == name) return attribute.i();
    return otherwise;
}
/// Element k of a list of integers; 0 if the list is shorter or missing.
std::int64_t entry_of(const onnx::NodeProto& node, const char* name, int k) {
    for (const auto& attribute : node.attribute())
        if (attribute.name() == name) return k < attribute.ints_size() ? attribute.ints(k) : 0;
    return 0;
}

/// x with an axis of size 1 inserted before axis `at`.
ValueId with_axis(Import& n, ValueId x, std::int64_t at) {
    Dims dims = n.b.dims(x);
    dims.insert(dims.begin() + n.axis(at, static_cast<std::int64_t>(dims.size()) + 1), 1);
    return n.b.reshape(x, dims);
}

}  // namespace

Reader::Control Reader::control_of(const std::string& op) {
    if (op == "If") return &Reader::import_if;
    if (op == "Loop") return &Reader::import_loop;
    if (op == "Scan") return &Reader::import_scan;
    return nullptr;
}

const onnx::GraphProto& Reader::graph_of(const onnx::NodeProto& node, const char* attribute) const {
    for (const auto& given : node.attribute())
        if (given.name() == attribute && given.has_g()) return given.g();
    fail_input(loc(), "{} has no graph '{}'", onnx_node_name(node), attribute);
}

void Reader::check_growth(const onnx::NodeProto& node) const {
    if (result_.nodes.size() > max_nodes)
        fail_unsupported(loc(), "{}: unrolled, the model has more than {} ops", onnx_node_name(node), max_nodes);
}

std::optional<std::vector<NamedValue>> Reader::run_graph(const onnx::NodeProto& node, const onnx::GraphProto& graph,
                                                         const Scope& outer, const std::string& prefix,
                                                         const std::vector<NamedValue>& inputs) {
    Scope inner;
    inner.outer = &outer;
    inner.prefix = prefix;
    inner.nodes = &graph.node();
    inner.depth = outer.depth + 1;
    if (inner.depth > max_depth)
        fail_unsupported(loc(), "{}: more than {} nested graphs", onnx_node_name(node), max_depth);
    if (static_cast<std::size_t>(graph.input_size()) != inputs.size())
        fail_input(loc(), "{}: its graph has {} inputs; {} are given", onnx_node_name(node), graph.input_size(),
                   inputs.size());
    std::vector<Weight> weights;
    for (const auto& tensor : graph.initializer()) weights.push_back(read_weight(tensor));
    add_initializers(graph, inner, std::move(weights));
    for (int k = 0; k < graph.input_size(); ++k)
        inner.values[graph.input(k).name()] = inputs[static_cast<std::size_t>(k)];
    for (const auto& inner_node : graph.node()) {
        add_node(inner_node, inner);
        check_growth(node);
    }
    std::vector<NamedValue> results;
    for (const auto& output : graph.output()) {
        if (inner.is_broken(output.name())) return {};
        const NamedValue* found = inner.find(output.name());
        if (!found)
            fail_input(loc(), "{}: output '{}' of its graph is computed by no node", onnx_node_name(node),
                       output.name());
        results.push_back(*found);
    }
    return results;
}

bool Reader::Branch::impossible() const {
    return !fits() && !problems.empty() &&
           std::all_of(problems.items().begin(), problems.items().end(),
                       [](const Problem& item) { return item.fault == Fault::Input; });
}

Reader::Branch Reader::branch_of(const onnx::NodeProto& node, const char* name, const Scope& scope) {
    const onnx::GraphProto& graph = graph_of(node, name);
    if (graph.output_size() != node.output_size())
        fail_input(loc(), "{}: its {} has {} outputs, the node {}", onnx_node_name(node), name, graph.output_size(),
                   node.output_size());
    Diagnostics around = std::exchange(problems_, {});
    Branch branch;
    try {
        branch.results =
            run_graph(node, graph, scope, scope.prefix + node.name() + (node.name().empty() ? "" : "/"), {});
    } catch (const NeedsValue&) {
        problems_ = std::move(around);
        throw;
    } catch (const Error& error) {
        problems_.add(error);
    }
    branch.problems = std::exchange(problems_, std::move(around));
    return branch;
}

/// Sets the outputs from the only branch that can be computed.
bool Reader::use_only_branch(const onnx::NodeProto& node, Scope& scope, const char* name, const Branch& taken,
                             const Branch& left) {
    if (options_.notes)
        options_.notes->push_back(
            fmt::format("{}: its {} is always taken, because the other branch does not fit these shapes: {}",
                        onnx_node_name(node), name, left.problems.items().front().message));
    set_outputs(node, scope, *taken.results);
    return true;
}

bool Reader::import_if(const onnx::NodeProto& node, Scope& scope) {
    const auto given = operands(node, scope);
    if (!given) return false;
    if (given->size() != 1) fail_input(loc(), "{} has {} operands", onnx_node_name(node), given->size());
    const auto report = [&](const Branch& branch) {
        for (const Problem& item : branch.problems.items()) problems_.add(item);
    };
    const NamedValue& condition = given->front();
    const Literal* literal = condition.is_tensor() ? build_.literal(condition.items.front()) : nullptr;
    if (literal) {
        const bool holds = constant_scalar(node, condition, "its condition").at(0) != 0;
        const Branch taken = branch_of(node, holds ? "then_branch" : "else_branch", scope);
        report(taken);
        if (taken.results) set_outputs(node, scope, *taken.results);
        return taken.results.has_value();
    }
    if (!condition.is_tensor() || count(build_.dims(condition.items.front())) != 1)
        fail_input(loc(), "{}: its condition is not a single value", onnx_node_name(node));
    const Branch yes = branch_of(node, "then_branch", scope), no = branch_of(node, "else_branch", scope);
    if (yes.fits() && no.impossible()) return use_only_branch(node, scope, "then_branch", yes, no);
    if (no.fits() && yes.impossible()) return use_only_branch(node, scope, "else_branch", no, yes);
    report(yes);
    report(no);
    if (!yes.results || !no.results) return false;
    Import n = importing(node, scope);
    std::vector<NamedValue> chosen;
    for (std::size_t k = 0; k < yes.results->size(); ++k) {
        const NamedValue &a = (*yes.results)[k], &b = (*no.results)[k];
        if (!a.is_tensor() || !b.is_tensor() || build_.type(a.items[0]) != build_.type(b.items[0]))
            n.needs_value(
                "its condition is computed at run time, and output {} has a different shape in each branch; a constant "
                "condition (--constant NAME=NUMBER for the inputs it is computed from) keeps it on the device",
                k);
        const ValueId which = n.b.reshape(condition.items.front(), {});
        chosen.push_back({{n.b.add(op::where, {which, a.items[0], b.items[0]})}});
    }
    set_outputs(node, scope, chosen);
    return true;
}

/// The declared type of a graph's output; nullopt if a dimension is open.
static std::optional<Type> declared_type(const onnx::ValueInfoProto& output) {
    if (!output.type().has_tensor_type() || !output.type().tensor_type().has_shape()) return std::nullopt;
    const auto& tensor = output.type().tensor_type();
    const auto dtype = onnx_dtype(tensor.elem_type());
    Type type{dtype.value_or(DType::F32), {}, {}};
    for (const auto& dim : tensor.shape().dim()) {
        if (!dim.has_dim_value() || dim.dim_value() < 0) return std::nullopt;
        type.dims.push_back(dim.dim_value());
    }
    return dtype ? std::optional(type) : std::nullopt;
}

std::optional<std::vector<ValueId>> Reader::empty_scan_outputs(const onnx::NodeProto& node, Import& n,
                                                               const Scope& scope, const std::string& prefix,
                                                               const std::vector<NamedValue>& inputs, int first,
                                                               const char* axes) {
    const onnx::GraphProto& body = graph_of(node, "body");
    std::vector<ValueId> empty;
    std::optional<std::vector<NamedValue>> results;
    for (int k = first; k < body.output_size(); ++k) {
        std::optional<Type> type = declared_type(body.output(k));
        if (!type && !results) {  // imports an iteration for its types; its values stay unused
            results = run_graph(node, body, scope, prefix + "none/", inputs);
            if (!results) return std::nullopt;
        }
        if (!type) {
            const NamedValue& value = (*results)[static_cast<std::size_t>(k)];
            if (!value.is_tensor()) n.unsupported("it gathers something that is not a tensor");
            type = build_.type(value.items.front());
        }
        const std::int64_t axis = n.axis(entry_of(node, axes, k - first), std::ssize(type->dims) + 1);
        type->dims.insert(type->dims.begin() + axis, 0);
        empty.push_back(build_.constant(Literal(type->dtype, type->dims)));
    }
    return empty;
}

bool Reader::import_loop(const onnx::NodeProto& node, Scope& scope) {
    const auto given = operands(node, scope);
    if (!given) return false;
    if (given->size() < 2) fail_input(loc(), "{} has {} operands", onnx_node_name(node), given->size());
    const onnx::GraphProto& body = graph_of(node, "body");
    const auto absent = [](const NamedValue& v) { return !v.sequence && v.items.empty(); };
    const bool counted = !absent((*given)[0]);
    const std::int64_t iterations =
        counted ? to_integer(constant_scalar(node, (*given)[0], "its number of iterations").at(0)) : max_iterations;
    Import n = importing(node, scope);
    NamedValue condition = absent((*given)[1]) ? NamedValue{{n.b.scalar(1, DType::Bool)}} : (*given)[1];
    std::vector<NamedValue> state(given->begin() + 2, given->end());
    std::vector<std::vector<ValueId>> scanned;
    IterationMarks marks(n, iterations);
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
        if (!condition.is_tensor() || !build_.literal(condition.items.front()))
            n.needs_value(
                "whether it continues after iteration {} is computed at run time; a constant number of iterations and "
                "a condition that stays true keep it on the device",
                iteration);
        if (constant_scalar(node, condition, "its condition").at(0) == 0) break;
        if (iteration == max_iterations) n.unsupported("more than {} turns", max_iterations);
        std::vector<NamedValue> inputs{{{n.b.scalar(static_cast<double>(iteration), DType::I64)}}, condition};
        inputs.insert(inputs.end(), state.begin(), state.end());
        const std::string prefix = fmt::format("{}{}/{}/", scope.prefix, node.name(), iteration);
        const auto results = run_graph(node, body, scope, prefix, inputs);
        if (!results) return false;
        if (results->size() < state.size() + 1)
            fail_input(loc(), "{}: its graph has {} outputs for {} states", onnx_node_name(node), results->size(),
                       state.size());
        condition = results->front();
        std::copy_n(results->begin() + 1, state.size(), state.begin());
        scanned.resize(results->size() - 1 - state.size());
        for (std::size_t k = 0; k < scanned.size(); ++k) {
            const NamedValue& value = (*results)[k + 1 + state.size()];
            if (!value.is_tensor()) n.unsupported("it gathers something that is not a tensor");
            scanned[k].push_back(with_axis(n, value.items.front(), 0));
        }
        marks.next();
    }
    if (!counted && build_.literal(condition.items.front())->at(0) != 0)
        n.unsupported("more than {} turns", max_iterations);
    build_.set_origin(scope.prefix + node.name());
    if (scanned.empty()) {
        std::vector<NamedValue> inputs{{{n.b.integer(0)}}, condition};
        inputs.insert(inputs.end(), state.begin(), state.end());
        const auto none = empty_scan_outputs(node, n, scope, scope.prefix + node.name() + "/", inputs,
                                             static_cast<int>(state.size()) + 1, "");
        if (!none) return false;
        for (const ValueId value : *none) state.push_back({{value}});
    }
    for (const auto& parts : scanned) state.push_back({{marks.joined(parts, 0)}});
    set_outputs(node, scope, state);
    return true;
}

/// In opset 8 the first operand holds the sequence lengths, all others have a leading batch axis, and `directions`
/// replaces `scan_input_directions`. The body handles one sample.
bool Reader::import_scan(const onnx::NodeProto& node, Scope& scope) {
    auto given = operands(node, scope);
    if (!given) return false;
    Import n = importing(node, scope);
    const bool batched = n.opset < 9;
    if (batched && !given->empty()) {
        if (given->front().is_tensor())
            n.unsupported("lengths of sequences; convert the model to opset 9 or later (onnx.version_converter)");
        given->erase(given->begin());
    }
    const std::int64_t inputs = number_of(node, "num_scan_inputs", 0), all = std::ssize(*given);
    if (inputs < 1 || inputs > all) n.wrong("num_scan_inputs is {}, it has {} operands", inputs, all);
    for (const NamedValue& value : *given)
        if (!value.is_tensor()) n.wrong("an operand is missing, or no tensor");
    if (!batched) {
        if (const auto results = scan_as_distances(node, n, *given, inputs)) {
            set_outputs(node, scope, *results);
            return true;
        }
        auto results = unroll_scan(node, scope, n, scope.prefix + node.name() + "/", *given, inputs);
        if (results) set_outputs(node, scope, *results);
        return results.has_value();
    }
    std::vector<std::vector<ValueId>> parts;
    const Dims first = n.b.dims(given->front().items.front());
    const std::int64_t batch = first.empty() ? 0 : first.front();
    if (batch < 1 || batch > max_iterations)
        n.unsupported("a batch of {}; 1 to {} are unrolled", batch, max_iterations);
    for (std::int64_t sample = 0; sample < batch; ++sample) {
        std::vector<NamedValue> values;
        for (const NamedValue& value : *given) {
            Dims dims = n.b.dims(value.items.front());
            if (dims.empty() || dims.front() != batch) n.wrong("batches of {} and of {}", batch, fmt::join(dims, "x"));
            dims.erase(dims.begin());
            values.push_back({{n.b.reshape(n.gather(value.items.front(), 0, {sample}), dims)}});
        }
        const auto results =
            unroll_scan(node, scope, n, fmt::format("{}{}/{}/", scope.prefix, node.name(), sample), values, inputs);
        if (!results) return false;
        for (const NamedValue& value : *results)
            if (!value.is_tensor()) n.unsupported("an output is not a tensor");
        parts.resize(results->size());
        for (std::size_t k = 0; k < parts.size(); ++k) parts[k].push_back(with_axis(n, (*results)[k].items.front(), 0));
    }
    std::vector<NamedValue> outputs;
    for (const std::vector<ValueId>& part : parts) outputs.push_back({{joined(n, part, 0)}});
    set_outputs(node, scope, outputs);
    return true;
}

/// A Scan that computes distances of all pairs of rows, as one computation; nullopt for other Scans.
std::optional<std::vector<NamedValue>> Reader::scan_as_distances(const onnx::NodeProto& node, Import& n,
                                                                 const std::vector<NamedValue>& given,
                                                                 std::int64_t inputs) {
    if (given.size() != 2 || inputs != 1) return std::nullopt;
    for (const char* const name :
         {"scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions"})
        if (entry_of(node, name, 0) != 0) return std::nullopt;
    const ValueId state = given[0].items.front(), rows = given[1].items.front();
    const Dims a = n.b.dims(rows), b = n.b.dims(state);
    constexpr std::int64_t most = std::int64_t{1} << 26;  // differences
    if (a.size() != 2 || b.size() != 2 || a[1] != b[1] || count({a[0], b[0], a[1]}) > most || count(a) == 0 ||
        !is_float(n.b.type(rows).dtype))
        return std::nullopt;
    const auto found = scanned_distances(graph_of(node, "body"));
    if (!found) return std::nullopt;
    const ValueId squares = squared_distances(n, rows, state);
    return std::vector<NamedValue>{given[0], {{found->root ? n.unary(op::sqrt, squares) : squares}}};
}

/// Unrolls a Scan over the last `inputs` operands. Returns the final states, then the scan outputs.
std::optional<std::vector<NamedValue>> Reader::unroll_scan(const onnx::NodeProto& node, Scope& scope, Import& n,
                                                           const std::string& prefix,
                                                           const std::vector<NamedValue>& given, std::int64_t inputs) {
    const char* const directions = n.opset < 9 ? "directions" : "scan_input_directions";
    const onnx::GraphProto& body = graph_of(node, "body");
    const std::int64_t all = std::ssize(given);
    std::vector<NamedValue> state(given.begin(), given.end() - inputs);
    std::vector<ValueId> scans;
    std::vector<std::int64_t> axes;
    std::int64_t iterations = -1;
    for (std::int64_t k = 0; k < inputs; ++k) {
        scans.push_back(given[static_cast<std::size_t>(all - inputs + k)].items.front());
        const Dims dims = n.b.dims(scans.back());
        axes.push_back(n.axis(entry_of(node, "scan_input_axes", static_cast<int>(k)), std::ssize(dims)));
        const std::int64_t size = dims[static_cast<std::size_t>(axes.back())];
        if (iterations >= 0 && size != iterations) n.wrong("slices of {} and of {}", iterations, size);
        iterations = size;
    }
    if (iterations > max_iterations) n.unsupported("{} iterations; up to {} are unrolled", iterations, max_iterations);
    if (iterations == 0) {
        std::vector<NamedValue> values = state;
        for (std::size_t k = 0; k < scans.size(); ++k) {
            Type slice = n.b.type(scans[k]);
            slice.dims.erase(slice.dims.begin() + axes[k]);
            values.push_back({{n.b.constant(Literal(slice.dtype, slice.dims))}});
        }
        const auto none =
            empty_scan_outputs(node, n, scope, prefix, values, static_cast<int>(state.size()), "scan_output_axes");
        if (!none) return std::nullopt;
        for (const ValueId value : *none) state.push_back({{value}});
        return state;
    }
    std::vector<std::vector<ValueId>> gathered;
    IterationMarks marks(n, n.opset < 9 ? 1 : iterations);  // a batch has several loops
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
        std::vector<NamedValue> values = state;
        for (std::int64_t k = 0; k < inputs; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const bool back = entry_of(node, directions, static_cast<int>(k)) != 0;
            Dims dims = n.b.dims(scans[at]);
            dims.erase(dims.begin() + axes[at]);
            values.push_back(
                {{n.b.reshape(n.gather(scans[at], axes[at], {back ? iterations - 1 - iteration : iteration}), dims)}});
        }
        const auto results = run_graph(node, body, scope, fmt::format("{}{}/", prefix, iteration), values);
        if (!results) return std::nullopt;
        if (results->size() < state.size()) n.wrong("its graph has {} outputs", results->size());
        std::copy_n(results->begin(), state.size(), state.begin());
        gathered.resize(results->size() - state.size());
        for (std::size_t k = 0; k < gathered.size(); ++k) {
            const bool back = entry_of(node, "scan_output_directions", static_cast<int>(k)) != 0;
            const NamedValue& value = (*results)[k + state.size()];
            if (!value.is_tensor()) n.unsupported("it gathers something that is not a tensor");
            const ValueId slice =
                with_axis(n, value.items.front(), entry_of(node, "scan_output_axes", static_cast<int>(k)));
            gathered[k].insert(back ? gathered[k].begin() : gathered[k].end(), slice);
        }
        marks.next();
    }
    for (std::size_t k = 0; k < gathered.size(); ++k) {
        const std::int64_t rank = std::ssize(n.b.dims(gathered[k].front()));
        state.push_back(
            {{marks.joined(gathered[k], n.axis(entry_of(node, "scan_output_axes", static_cast<int>(k)), rank))}});
    }
    return state;
}

// --- functions ----------------------------------------------------------------------------------------------------

std::vector<onnx::AttributeProto> defaults_of(const onnx::FunctionProto& function) {
    constexpr int attribute_proto = 11;
    std::vector<onnx::AttributeProto> found;
    const auto& fields = function.GetReflection()->GetUnknownFields(function);
    for (int k = 0; k < fields.field_count(); ++k) {
        const auto& field = fields.field(k);
        if (field.number() != attribute_proto || field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
            continue;
        onnx::AttributeProto attribute;
        if (attribute.ParseFromString(field.length_delimited())) found.push_back(attribute);
    }
    return found;
}

const onnx::FunctionProto* Reader::function_of(const onnx::NodeProto& node) const {
    for (const auto& function : model_.functions())
        if (function.name() == node.op_type() &&
            (function.domain() == node.domain() || (is_own_domain(function.domain()) && is_own_domain(node.domain()))))
            return &function;
    return nullptr;
}

bool Reader::import_function(const onnx::NodeProto& node, Scope& scope, const onnx::FunctionProto& function) {
    const auto given = operands(node, scope);
    if (!given) return false;
    Scope inner;
    inner.prefix = scope.prefix + node.name() + (node.name().empty() ? "" : "/");
    inner.nodes = &function.node();
    inner.depth = scope.depth + 1;
    if (inner.depth > max_depth)
        fail_unsupported(loc(), "{}: more than {} nested functions", onnx_node_name(node), max_depth);
    for (const auto& import : function.opset_import())
        inner.opsets[is_own_domain(import.domain()) ? "" : import.domain()] = import.version();
    for (const auto& attribute : defaults_of(function)) inner.arguments[attribute.name()] = attribute;
    for (const auto& attribute : node.attribute()) inner.arguments[attribute.name()] = attribute;
    for (int k = 0; k < function.input_size(); ++k)
        inner.values[function.input(k)] = k < std::ssize(*given) ? (*given)[static_cast<std::size_t>(k)] : NamedValue{};
    for (const auto& inner_node : function.node()) {
        add_node(inner_node, inner);
        check_growth(node);
    }
    std::vector<NamedValue> results;
    for (int k = 0; k < std::min(function.output_size(), node.output_size()); ++k) {
        const std::string& name = function.output(k);
        if (inner.is_broken(name)) return false;
        const NamedValue* found = inner.find(name);
        if (!found)
            fail_input(loc(), "{}: output '{}' of its function is computed by no node", onnx_node_name(node), name);
        results.push_back(*found);
    }
    set_outputs(node, scope, results);
    return true;
}

}  // namespace ttsim::impl::ir
