#include "compiler/onnx/read.hpp"

#include <onnx/messages.pb.h>

#include <fmt/ranges.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "compiler/ir/check_input_name.hpp"
#include "compiler/onnx/raw_weights.hpp"
#include "compiler/onnx/reader.hpp"
#include "compiler/onnx/tensor.hpp"

namespace ttsim::impl::ir {

Reader::Reader(onnx::ModelProto& model, std::vector<std::string_view> data, const std::string& file,
               const OnnxOptions& options)
    : model_(model), data_(std::move(data)), graph_(model.graph()), file_(file), options_(options), build_(result_) {
    build_.set_host_values(options.in_run);
    top_.nodes = &graph_.node();
}

Graph Reader::read() {
    find_opset();
    check_options();
    add_inputs();
    add_initializers(graph_, top_, read_weights());
    check_names();
    problems_.throw_if_any();
    for (const auto& node : graph_.node()) {
        const ValueId first = result_.nodes.size();
        add_node(node, top_);
        free_unread(node, first);
    }
    if (problems_.empty()) add_tail();
    add_outputs();
    problems_.throw_if_any();
    result_.erase_unused();
    return std::move(result_);
}

/// Frees constants added from `first` on that only served to compute the node's results. Each may be as large as them.
void Reader::free_unread(const onnx::NodeProto& node, ValueId first) {
    std::set<ValueId> read;
    for (ValueId id = first; id < result_.nodes.size(); ++id)
        for (const Edge& edge : result_.nodes[id].inputs) read.insert(edge.value);
    for (const auto& name : node.output())
        if (const auto found = top_.values.find(name); found != top_.values.end())
            read.insert(found->second.items.begin(), found->second.items.end());
    for (ValueId id = first; id < result_.nodes.size(); ++id)
        if (read.count(id) == 0) result_.nodes[id].literal = nullptr;
}

/// Whether a node of the graph, or of a graph inside it, is an op of ONNX's own domain.
static bool uses_own_ops(const onnx::GraphProto& graph) {
    return std::any_of(graph.node().begin(), graph.node().end(), [](const auto& node) {
        return is_own_domain(node.domain()) ||
               std::any_of(node.attribute().begin(), node.attribute().end(),
                           [](const auto& attribute) { return attribute.has_g() && uses_own_ops(attribute.g()); });
    });
}

/// A model need not import ONNX's own domain if it has no ops of it.
void Reader::find_opset() {
    std::int64_t opset = model_.opset_import_size() > 0 && !uses_own_ops(graph_) ? newest_opset : 0;
    for (const auto& import : model_.opset_import())
        if (is_own_domain(import.domain())) opset = import.version();
    if (opset < oldest_opset || opset > newest_opset)
        fail_input(loc(), "it uses opset {} of ONNX; opsets {} to {} are read", opset, oldest_opset, newest_opset);
    top_.opsets[""] = opset;
    if (graph_.output_size() == 0) fail_input(loc(), "the model has no outputs");
}

void Reader::check_options() {
    std::vector<std::string> names;
    for (const auto& input : graph_.input()) names.push_back(input.name());
    const auto check = [&](const std::string& name, const char* flag) {
        check_input_name(name, names, flag, loc(), problems_);
    };
    for (const auto& [name, dims] : options_.shapes)
        if (dims.size() != 1 || !names_dimension(name)) check(name, "--shape");
    for (const auto& [name, unused] : options_.constants) check(name, "--constant");
}

bool Reader::names_dimension(const std::string& name) const {
    for (const auto& input : graph_.input())
        for (const auto& dim : input.type().tensor_type().shape().dim())
            if (!name.empty() && dim.dim_param() == name) return true;
    return false;
}

/// The dimension's own size, or the size given for its name; nullopt: it is open. An input of the same name has
/// precedence.
std::optional<std::int64_t> Reader::size_of(const onnx::TensorShapeProto::Dimension& dim) const {
    if (dim.has_dim_value() && dim.dim_value() >= 0) return dim.dim_value();
    const auto given = dim.dim_param().empty() ? options_.shapes.end() : options_.shapes.find(dim.dim_param());
    if (given == options_.shapes.end() || given->second.size() != 1) return std::nullopt;
    for (const auto& input : graph_.input())
        if (input.name() == dim.dim_param()) return std::nullopt;
    return given->second.front();
}

/// Each name must have one value.
void Reader::check_names() {
    std::set<std::string> given;
    for (const auto& input : graph_.input())
        if (!given.insert(input.name()).second) problems_.error(loc(), "two inputs are called '{}'", input.name());
    for (const auto& tensor : graph_.initializer()) given.insert(tensor.name());
    for (const auto& node : graph_.node())
        for (const auto& out : node.output())
            if (!out.empty() && !given.insert(out).second)
                problems_.error(loc(), "{} defines '{}', which is defined before", onnx_node_name(node), out);
}

Reader::Weight Reader::read_weight(const onnx::TensorProto& tensor, std::optional<std::string_view> data) const {
    try {
        return {read_tensor(tensor, file_, options_.folder, data), {}};
    } catch (const Error& error) {
        return {{}, error};
    }
}

/// Reads the model's weights. Each is as large in the message as in memory, so the message's copy is freed.
std::vector<Reader::Weight> Reader::read_weights() {
    auto& tensors = *model_.mutable_graph()->mutable_initializer();
    std::vector<Weight> weights(static_cast<std::size_t>(tensors.size()));
    parallel_for(options_.threads, weights.size(), [&](std::size_t i) {
        onnx::TensorProto& tensor = tensors[static_cast<int>(i)];
        if (i < data_.size() && !data_[i].empty()) {
            weights[i] = read_weight(tensor, data_[i]);
            forget(data_[i]);
            return;
        }
        weights[i] = read_weight(tensor);
        if (weights[i].value && tensor.has_raw_data()) delete tensor.release_raw_data();
    });
    return weights;
}

void Reader::add_initializers(const onnx::GraphProto& graph, Scope& scope, std::vector<Weight> weights) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::string& name = graph.initializer(static_cast<int>(i)).name();
        build_.set_origin(name);
        if (weights[i].value) {
            scope.values[name] = {{build_.model_constant(*std::move(weights[i].value))}};
        } else {
            problems_.add(*weights[i].error);
            scope.broken.insert(name);
        }
    }
    if (graph.sparse_initializer_size() > 0) problems_.unsupported(loc(), "sparse initializers are not read");
}

void Reader::add_inputs() {
    std::set<std::string> initialized;
    for (const auto& tensor : graph_.initializer()) initialized.insert(tensor.name());
    for (const auto& input : graph_.input()) {
        if (initialized.count(input.name())) continue;
        build_.set_origin(input.name());
        if (const auto given = options_.constants.find(input.name()); given != options_.constants.end()) {
            top_.values[input.name()] = {{build_.model_constant(constant_input(input, given->second))}};
            continue;
        }
        try {
            top_.values[input.name()] = {{build_.input(input.name(), input_type(input))}};
        } catch (const Error& error) {
            problems_.add(error);
        }
    }
}

/// A scalar of 64 bits is the value of every element.
Literal Reader::constant_input(const onnx::ValueInfoProto& input, const Literal& given) const {
    if (given.dtype() != DType::F64 || !given.dims().empty()) return given;
    const Type type = input_type(input);
    Literal all(type.dtype, type.dims, max_read_elements);
    for (std::int64_t i = 0; i < all.size(); ++i) all.set(i, given.at(0));
    return all;
}

/// Whether values of these dims fit the input, alone or several with a leading axis.
static bool fits(const onnx::TensorShapeProto& shape, const Dims& values) {
    const auto rank = static_cast<std::size_t>(shape.dim_size());
    if (values.size() != rank && values.size() != rank + 1) return false;
    const std::size_t from = values.size() - rank;
    for (std::size_t k = 0; k < rank; ++k) {
        const auto& dim = shape.dim(static_cast<int>(k));
        if (values[from + k] < 1) return false;
        if (dim.has_dim_value() && dim.dim_value() >= 0 && dim.dim_value() != values[from + k]) return false;
    }
    return true;
}

void Reader::fail_open(const onnx::ValueInfoProto& input) const {
    std::vector<std::string> sizes, names;
    for (const auto& dim : input.type().tensor_type().shape().dim()) {
        if (const auto size = size_of(dim)) {
            sizes.push_back(fmt::format("{}", *size));
            continue;
        }
        names.push_back(dim.dim_param());
        sizes.push_back("...");
    }
    const bool one = names.size() == 1;
    fail_input(loc(),
               "input '{}' has the dimension{} '{}' that {} not fixed; give --shape {}={} or its values with --input",
               input.name(), one ? "" : "s", fmt::join(names, "', '"), one ? "is" : "are", input.name(),
               fmt::join(sizes, ","));
}

Type Reader::input_type(const onnx::ValueInfoProto& input) const {
    if (!input.type().has_tensor_type()) fail_unsupported(loc(), "input '{}' is not a tensor", input.name());
    const auto& tensor = input.type().tensor_type();
    const auto dtype = onnx_dtype(tensor.elem_type());
    if (!dtype)
        fail_unsupported(loc(), "input '{}' has element type {}, which is not a number or boolean", input.name(),
                         tensor.elem_type());
    Type type{*dtype, {}, {}};
    const auto given = options_.shapes.find(input.name());
    const auto rank = static_cast<std::size_t>(tensor.shape().dim_size());
    if (given != options_.shapes.end()) {
        if (tensor.has_shape() && given->second.size() != rank)
            fail_input(loc(), "--shape gives input '{}' {} dimensions; it has {}", input.name(), given->second.size(),
                       rank);
        type.dims = given->second;
        check_size(input.name(), type.dims);
        return type;
    }
    const auto open = [this](const auto& dim) { return !size_of(dim); };
    const auto& dims = tensor.shape().dim();
    const bool any_open = std::any_of(dims.begin(), dims.end(), open);
    const auto values = any_open && options_.value_dims ? options_.value_dims(input.name()) : std::nullopt;
    if (values && fits(tensor.shape(), *values)) {
        type.dims.assign(values->end() - static_cast<std::ptrdiff_t>(rank), values->end());
        check_size(input.name(), type.dims);
        return type;
    }
    const bool batch_only = rank > 1 && open(dims[0]) && std::none_of(dims.begin() + 1, dims.end(), open);
    if (any_open && !batch_only) fail_open(input);
    for (const auto& dim : dims) type.dims.push_back(size_of(dim).value_or(1));
    if (batch_only && options_.notes)
        options_.notes->push_back(
            fmt::format("input '{}': its first dimension '{}' is open and becomes 1; "
                        "--shape {}=... gives it another",
                        input.name(), dims[0].dim_param(), input.name()));
    if (!tensor.has_shape())
        fail_input(loc(), "input '{}' has no shape; give --shape {}=...", input.name(), input.name());
    check_size(input.name(), type.dims);
    return type;
}

void Reader::check_size(const std::string& name, const Dims& dims) const {
    const std::int64_t elements = extent(dims);
    if (elements < 0) fail_input(loc(), "input '{}' has the dimensions [{}]", name, fmt::join(dims, ", "));
    if (elements > std::int64_t{1} << 33) fail_unsupported(loc(), "input '{}' has more than 2^33 elements", name);
}

void Reader::add_outputs() {
    for (const auto& output : graph_.output()) {
        if (top_.is_broken(output.name()) || (!problems_.empty() && deferred_names_.count(output.name()))) continue;
        const NamedValue* found = top_.find(output.name());
        if (!found)
            problems_.error(loc(), "output '{}' is computed by no node", output.name());
        else if (!found->is_tensor())
            problems_.unsupported(loc(), "output '{}' is not a tensor but a sequence or an optional", output.name());
        else
            result_.outputs.push_back({output.name(), found->items.front(), {}});
    }
}

/// `parsed`: the message was parsed without an error.
static Graph read_parsed(onnx::ModelProto& model, bool parsed, std::vector<std::string_view> data,
                         const std::string& name, const OnnxOptions& options) {
    if (!parsed || !model.has_graph() || model.graph().node_size() + model.graph().output_size() == 0)
        fail_input({name, 0, 0}, "it is not an ONNX model, or it is cut off");
    return Reader(model, std::move(data), name, options).read();
}

Graph read_onnx(const std::string& file, OnnxOptions options) {
    if (!options.folder) options.folder = std::filesystem::path(file).parent_path().string();
    onnx::ModelProto model;
    const InputFile in(file, max_message_bytes);
    std::optional<FileBytes> bytes(std::in_place, in.descriptor(), in.size());
    if (auto split = split_model(bytes->bytes())) {
        const bool parsed = model.ParseFromString(split->message);
        return read_parsed(model, parsed, std::move(split->data), file, options);
    }
    bytes.reset();  // the whole file must not be in memory beside the message
    constexpr int piece = 1 << 18;
    google::protobuf::io::FileInputStream stream(in.descriptor(), piece);
    const bool parsed = model.ParseFromZeroCopyStream(&stream);
    return read_parsed(model, parsed, {}, file, options);
}

Graph parse_onnx(const std::string& bytes, const std::string& name, const OnnxOptions& options) {
    onnx::ModelProto model;
    const bool parsed = model.ParseFromString(bytes);
    return read_parsed(model, parsed, {}, name, options);
}

}  // namespace ttsim::impl::ir
