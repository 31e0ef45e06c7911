#include "compiler/onnx/read.hpp"

#include <onnx/onnx_pb.h>

#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "compiler/onnx/importer.hpp"
#include "compiler/onnx/tensor.hpp"

namespace tt::ir {

namespace {

class Reader {
public:
    Reader(const onnx::ModelProto& model, const std::string& file, const OnnxOptions& options)
        : model_(model), graph_(model.graph()), file_(file), options_(options), build_(result_) {}

    Graph read() {
        find_opset();
        check_options();
        add_inputs();
        add_initializers(graph_);
        check_names();
        problems_.throw_if_any();
        for (const auto& node : graph_.node()) add_node(node);
        add_outputs();
        problems_.throw_if_any();
        result_.erase_unused();
        return std::move(result_);
    }

private:
    SourceLoc loc() const { return {file_, 0, 0}; }

    void find_opset() {
        for (const auto& import : model_.opset_import())
            if (import.domain().empty() || import.domain() == "ai.onnx") opset_ = import.version();
        if (opset_ < oldest_opset || opset_ > newest_opset)
            fail_input(loc(), "it uses opset {} of ONNX; opsets {} to {} are read", opset_, oldest_opset, newest_opset);
        if (graph_.output_size() == 0) fail_input(loc(), "the model has no outputs");
    }

    void check_options() {
        std::vector<std::string> names;
        for (const auto& input : graph_.input()) names.push_back(input.name());
        const auto check = [&](const std::string& name, const char* flag) {
            if (std::find(names.begin(), names.end(), name) == names.end())
                problems_.error(loc(), "{} names '{}', but the model has no such input{}", flag, name,
                                did_you_mean(name, names));
        };
        for (const auto& [name, unused] : options_.shapes) check(name, "--shape");
        for (const auto& [name, unused] : options_.constants) check(name, "--constant");
    }

    /// A name means one value only.
    void check_names() {
        std::set<std::string> given;
        for (const auto& input : graph_.input())
            if (!given.insert(input.name()).second) problems_.error(loc(), "two inputs are called '{}'", input.name());
        for (const auto& tensor : graph_.initializer()) given.insert(tensor.name());
        for (const auto& node : graph_.node())
            for (const auto& out : node.output())
                if (!out.empty() && !given.insert(out).second)
                    problems_.error(loc(), "{} gives '{}', which is given before", name_of(node), out);
    }

    void add_initializers(const onnx::GraphProto& graph) {
        for (const auto& tensor : graph.initializer()) {
            try {
                build_.set_origin(tensor.name());
                values_[tensor.name()] = build_.given(read_tensor(tensor, file_, options_.folder));
            } catch (const Error& error) {
                problems_.add(error);
            }
        }
        if (graph.sparse_initializer_size() > 0) problems_.unsupported(loc(), "sparse initializers are not read");
    }

    void add_inputs() {
        std::set<std::string> initialized;
        for (const auto& tensor : graph_.initializer()) initialized.insert(tensor.name());
        for (const auto& input : graph_.input()) {
            if (initialized.count(input.name())) continue;
            build_.set_origin(input.name());
            if (const auto given = options_.constants.find(input.name()); given != options_.constants.end()) {
                values_[input.name()] = build_.given(given->second);
                continue;
            }
            try {
                values_[input.name()] = build_.input(input.name(), input_type(input));
            } catch (const Error& error) {
                problems_.add(error);
            }
        }
    }

    Type input_type(const onnx::ValueInfoProto& input) const {
        if (!input.type().has_tensor_type()) fail_unsupported(loc(), "input '{}' is no tensor", input.name());
        const auto& tensor = input.type().tensor_type();
        const auto dtype = onnx_dtype(tensor.elem_type());
        if (!dtype)
            fail_unsupported(loc(), "input '{}' has element type {}, which is no number or boolean", input.name(),
                             tensor.elem_type());
        Type type{*dtype, {}, {}};
        const auto given = options_.shapes.find(input.name());
        const auto rank = static_cast<std::size_t>(tensor.shape().dim_size());
        if (given != options_.shapes.end()) {
            if (tensor.has_shape() && given->second.size() != rank)
                fail_input(loc(), "--shape gives input '{}' {} dimensions; it has {}", input.name(),
                           given->second.size(), rank);
            type.dims = given->second;
            check_size(input.name(), type.dims);
            return type;
        }
        for (const auto& dim : tensor.shape().dim()) {
            if (!dim.has_dim_value() || dim.dim_value() < 0)
                fail_input(loc(), "input '{}' has the dimension '{}' that is not fixed; give --shape {}=...",
                           input.name(), dim.dim_param(), input.name());
            type.dims.push_back(dim.dim_value());
        }
        if (!tensor.has_shape())
            fail_input(loc(), "input '{}' has no shape; give --shape {}=...", input.name(), input.name());
        check_size(input.name(), type.dims);
        return type;
    }

    void check_size(const std::string& name, const Dims& dims) const {
        const std::int64_t datums = extent(dims);
        if (datums < 0) fail_input(loc(), "input '{}' has the dimensions [{}]", name, fmt::join(dims, ", "));
        if (datums > std::int64_t{1} << 33) fail_unsupported(loc(), "input '{}' has more than 2^33 datums", name);
    }

    void add_node(const onnx::NodeProto& node) {
        try {
            if (import(node)) return;
        } catch (const Error& error) {
            problems_.add(error.where().file.empty()
                              ? Error(error.fault(), loc(), name_of(node) + ": " + error.message())
                              : error);
        }
        for (const auto& out : node.output()) broken_.insert(out);
    }

    static std::string name_of(const onnx::NodeProto& node) {
        const std::string name = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
        return fmt::format("node '{}' ({})", name, node.op_type());
    }

    const onnx::NodeProto* producer_of(const std::string& name) const {
        for (const auto& node : graph_.node())
            for (const auto& out : node.output())
                if (out == name) return &node;
        return nullptr;
    }

    /// The way from what `from` reads back to itself, by the names of nodes; empty when there is none.
    std::vector<std::string> cycle_of(const onnx::NodeProto& from) const {
        std::map<std::string, const onnx::NodeProto*> producers;
        for (const auto& node : graph_.node())
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
            if (producer->second == &from) {
                std::vector<std::string> names;
                for (std::size_t k = 1; k < way.size(); ++k) names.push_back(name_of(*way[k].node));
                names.push_back(name_of(from));
                return names;
            }
            if (seen.insert(producer->second).second) way.push_back({producer->second});
        }
        return {};
    }

    [[noreturn]] void refuse_operand(const onnx::NodeProto& node, const std::string& name) const {
        const onnx::NodeProto* producer = producer_of(name);
        if (!producer)
            fail_input(loc(), "{} reads '{}', which no input, initializer or node gives", name_of(node), name);
        const auto cycle = cycle_of(node);
        if (!cycle.empty())
            fail_input(loc(), "{} is in a cycle: it reads {}", name_of(node), fmt::join(cycle, ", which reads "));
        fail_input(loc(), "{} reads '{}', which {} gives later; nodes must come in the order of their data",
                   name_of(node), name, name_of(*producer));
    }

    /// The branch that a constant condition takes, as if its nodes stood here.
    bool import_branch(const onnx::NodeProto& node) {
        if (node.input_size() != 1) fail_input(loc(), "{} has {} operands", name_of(node), node.input_size());
        if (broken_.count(node.input(0))) return false;
        const auto condition = values_.find(node.input(0));
        if (condition == values_.end()) refuse_operand(node, node.input(0));
        const Literal* known = build_.literal(condition->second);
        if (!known || known->size() != 1)
            fail_unsupported(loc(), "{}: its condition is computed at run time; it must be a constant", name_of(node));
        const char* taken = known->at(0) != 0 ? "then_branch" : "else_branch";
        const onnx::GraphProto* branch = nullptr;
        for (const auto& attribute : node.attribute())
            if (attribute.name() == taken && attribute.has_g()) branch = &attribute.g();
        if (!branch || branch->output_size() != node.output_size())
            fail_input(loc(), "{} has no {} with {} outputs", name_of(node), taken, node.output_size());
        add_initializers(*branch);
        for (const auto& inner : branch->node()) add_node(inner);
        bool whole = true;
        for (int k = 0; k < node.output_size(); ++k) {
            const auto found = values_.find(branch->output(k).name());
            if (found != values_.end())
                values_[node.output(k)] = found->second;
            else
                broken_.insert(node.output(k));
            if (found == values_.end() && !broken_.count(branch->output(k).name()))
                fail_input(loc(), "{}: output '{}' of its branch is computed by no node", name_of(node),
                           branch->output(k).name());
            whole = whole && found != values_.end();
        }
        return whole;
    }

    bool import(const onnx::NodeProto& node) {
        const bool known_domain = node.domain().empty() || node.domain() == "ai.onnx";
        if (node.output_size() == 0) fail_input(loc(), "{} has no outputs", name_of(node));
        if (known_domain && node.op_type() == "If") return import_branch(node);
        const ImportRule rule = find_rule(node.domain(), node.op_type());
        if (!rule)
            fail_unsupported(loc(), "{}: the op is not known{}", name_of(node),
                             node.domain().empty() ? "" : " (domain " + node.domain() + ")");
        Import import(build_, node, opset_, file_, options_.folder);
        for (const auto& name : node.input()) {
            if (broken_.count(name)) return false;  // reported where it came from
            const auto found = values_.find(name);
            if (name.empty())
                import.in.emplace_back(std::nullopt);
            else if (found != values_.end())
                import.in.emplace_back(found->second);
            else
                refuse_operand(node, name);
        }
        build_.set_origin(node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name());
        rule(import);
        for (int k = 0; k < node.output_size(); ++k) {
            const auto at = static_cast<std::size_t>(k);
            if (node.output(k).empty()) continue;
            if (at >= import.out.size())
                fail_unsupported(loc(), "{}: its output {} ('{}') is not computed", name_of(node), k, node.output(k));
            values_[node.output(k)] = import.out[at];
        }
        return true;
    }

    void add_outputs() {
        for (const auto& output : graph_.output()) {
            if (broken_.count(output.name())) continue;
            const auto found = values_.find(output.name());
            if (found == values_.end())
                problems_.error(loc(), "output '{}' is computed by no node", output.name());
            else
                result_.outputs.push_back({output.name(), found->second, {}});
        }
    }

    const onnx::ModelProto& model_;
    const onnx::GraphProto& graph_;
    const std::string& file_;
    const OnnxOptions& options_;
    Graph result_;
    Builder build_;
    std::int64_t opset_ = 0;
    std::map<std::string, ValueId> values_;
    std::set<std::string> broken_;
    Diagnostics problems_;
};

}  // namespace

Graph read_onnx(const std::string& file, OnnxOptions options) {
    if (!options.folder) options.folder = std::filesystem::path(file).parent_path().string();
    return parse_onnx(read_file(file, most_message), file, options);
}

Graph parse_onnx(const std::string& bytes, const std::string& name, const OnnxOptions& options) {
    onnx::ModelProto model;
    if (!model.ParseFromString(bytes) || !model.has_graph() ||
        model.graph().node_size() + model.graph().output_size() == 0)
        fail_input({name, 0, 0}, "it is no ONNX model, or it is cut off");
    return Reader(model, name, options).read();
}

}  // namespace tt::ir
