#include "compiler/onnx/distances.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace ttsim::impl::ir {

ValueId squared_distances(Import& n, ValueId a, ValueId b) {
    const Dims rows = n.b.dims(a), others = n.b.dims(b);
    const ValueId apart =
        n.two("subtract", n.b.reshape(a, {rows[0], 1, rows[1]}), n.b.reshape(b, {1, others[0], others[1]}));
    return n.b.reshape(n.b.reduce_sum(n.two("multiply", apart, apart), 2), {rows[0], others[0]});
}

namespace {

/// The nodes of a Scan's graph by what they give.
class Body {
public:
    explicit Body(const onnx::GraphProto& graph) : graph_(graph) {
        for (const auto& node : graph.node())
            if (node.output_size() == 1) made_by_.emplace(node.output(0), &node);
    }
    /// What a name stands for, through nodes that pass it on.
    std::string behind(std::string name) const {
        for (auto found = made_by_.find(name); found != made_by_.end() && found->second->op_type() == "Identity";
             found = made_by_.find(name))
            name = found->second->input(0);
        return name;
    }
    const onnx::NodeProto* maker(const std::string& name, std::string_view op) const {
        const auto found = made_by_.find(behind(name));
        return found != made_by_.end() && found->second->op_type() == op ? found->second : nullptr;
    }
    /// Whether a reduction goes along the second axis of two, and leaves it out.
    bool sums_rows(const onnx::NodeProto& node) const {
        std::vector<std::int64_t> axes;
        bool keeps = true;
        for (const auto& given : node.attribute()) {
            if (given.name() == "axes") axes.assign(given.ints().begin(), given.ints().end());
            if (given.name() == "keepdims") keeps = given.i() != 0;
        }
        if (node.input_size() > 1)
            for (const auto& tensor : graph_.initializer())
                if (tensor.name() == node.input(1)) axes = whole(tensor);
        return !keeps && axes.size() == 1 && (axes[0] == 1 || axes[0] == -1);
    }

private:
    static std::vector<std::int64_t> whole(const onnx::TensorProto& tensor) {
        if (tensor.data_type() != onnx::TensorProto::INT64) return {};
        if (tensor.int64_data_size() > 0) return {tensor.int64_data().begin(), tensor.int64_data().end()};
        std::vector<std::int64_t> values(tensor.raw_data().size() / sizeof(std::int64_t));
        std::copy_n(tensor.raw_data().data(), values.size() * sizeof(std::int64_t),
                    reinterpret_cast<char*>(values.data()));
        return values;
    }

    const onnx::GraphProto& graph_;
    std::map<std::string, const onnx::NodeProto*> made_by_;
};

}  // namespace

std::optional<ScannedDistances> scanned_distances(const onnx::GraphProto& graph) {
    if (graph.input_size() != 2 || graph.output_size() != 2) return std::nullopt;
    const Body body(graph);
    const std::string state = graph.input(0).name(), row = graph.input(1).name();
    if (body.behind(graph.output(0).name()) != state) return std::nullopt;
    ScannedDistances found;
    std::string result = graph.output(1).name();
    if (const auto* root = body.maker(result, "Sqrt")) {
        found.root = true;
        result = root->input(0);
    }
    const onnx::NodeProto* sum = body.maker(result, "ReduceSumSquare");
    if (const auto* norm = sum || found.root ? nullptr : body.maker(result, "ReduceL2")) {
        found.root = true;
        sum = norm;
    }
    std::string apart;
    if (sum) {
        apart = sum->input(0);
    } else if ((sum = body.maker(result, "ReduceSum"))) {
        const auto* square = body.maker(sum->input(0), "Mul");
        if (!square || body.behind(square->input(0)) != body.behind(square->input(1))) return std::nullopt;
        apart = square->input(0);
    }
    if (!sum || !body.sums_rows(*sum)) return std::nullopt;
    const auto* difference = body.maker(apart, "Sub");
    if (!difference) return std::nullopt;
    const std::string a = body.behind(difference->input(0)), b = body.behind(difference->input(1));
    if (!(a == state && b == row) && !(a == row && b == state)) return std::nullopt;
    return found;
}

}  // namespace ttsim::impl::ir
