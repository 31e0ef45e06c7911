#include "compiler/onnx/distances.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace ttsim::impl::ir {

ValueId squared_distances(Import& n, ValueId a, ValueId b) {
    const Dims rows = n.b.dims(a), others = n.b.dims(b);
    const ValueId difference =
        n.binary(op::subtract, n.b.reshape(a, {rows[0], 1, rows[1]}), n.b.reshape(b, {1, others[0], others[1]}));
    return n.b.reshape(n.b.reduce_sum(n.binary(op::multiply, difference, difference), 2), {rows[0], others[0]});
}

namespace {

/// The nodes of a Scan's graph by their outputs.
class Body {
public:
    explicit Body(const onnx::GraphProto& graph) : graph_(graph) {
        for (const auto& node : graph.node())
            if (node.output_size() == 1) producers_.emplace(node.output(0), &node);
    }
    /// The source of a name behind Identity nodes.
    std::string skip_identities(std::string name) const {
        for (auto found = producers_.find(name); found != producers_.end() && found->second->op_type() == "Identity";
             found = producers_.find(name))
            name = found->second->input(0);
        return name;
    }
    const onnx::NodeProto* producer(const std::string& name, std::string_view op) const {
        const auto found = producers_.find(skip_identities(name));
        return found != producers_.end() && found->second->op_type() == op ? found->second : nullptr;
    }
    /// Whether a reduction sums along the second of two axes without keepdims.
    bool sums_rows(const onnx::NodeProto& node) const {
        std::vector<std::int64_t> axes;
        bool keeps = true;
        for (const auto& given : node.attribute()) {
            if (given.name() == "axes") axes.assign(given.ints().begin(), given.ints().end());
            if (given.name() == "keepdims") keeps = given.i() != 0;
        }
        if (node.input_size() > 1)
            for (const auto& tensor : graph_.initializer())
                if (tensor.name() == node.input(1)) axes = integers(tensor);
        return !keeps && axes.size() == 1 && (axes[0] == 1 || axes[0] == -1);
    }

private:
    static std::vector<std::int64_t> integers(const onnx::TensorProto& tensor) {
        if (tensor.data_type() != onnx::TensorProto::INT64) return {};
        if (tensor.int64_data_size() > 0) return {tensor.int64_data().begin(), tensor.int64_data().end()};
        std::vector<std::int64_t> values(tensor.raw_data().size() / sizeof(std::int64_t));
        std::copy_n(tensor.raw_data().data(), values.size() * sizeof(std::int64_t),
                    reinterpret_cast<char*>(values.data()));
        return values;
    }

    const onnx::GraphProto& graph_;
    std::map<std::string, const onnx::NodeProto*> producers_;
};

}  // namespace

std::optional<ScannedDistances> scanned_distances(const onnx::GraphProto& graph) {
    if (graph.input_size() != 2 || graph.output_size() != 2) return std::nullopt;
    const Body body(graph);
    const std::string state = graph.input(0).name(), row = graph.input(1).name();
    if (body.skip_identities(graph.output(0).name()) != state) return std::nullopt;
    ScannedDistances found;
    std::string result = graph.output(1).name();
    if (const auto* root = body.producer(result, "Sqrt")) {
        found.root = true;
        result = root->input(0);
    }
    const onnx::NodeProto* sum = body.producer(result, "ReduceSumSquare");
    if (const auto* norm = sum || found.root ? nullptr : body.producer(result, "ReduceL2")) {
        found.root = true;
        sum = norm;
    }
    std::string difference;
    if (sum) {
        difference = sum->input(0);
    } else if ((sum = body.producer(result, "ReduceSum"))) {
        const auto* square = body.producer(sum->input(0), "Mul");
        if (!square || body.skip_identities(square->input(0)) != body.skip_identities(square->input(1)))
            return std::nullopt;
        difference = square->input(0);
    }
    if (!sum || !body.sums_rows(*sum)) return std::nullopt;
    const auto* subtraction = body.producer(difference, "Sub");
    if (!subtraction) return std::nullopt;
    const std::string a = body.skip_identities(subtraction->input(0)), b = body.skip_identities(subtraction->input(1));
    if (!(a == state && b == row) && !(a == row && b == state)) return std::nullopt;
    return found;
}

}  // namespace ttsim::impl::ir
