#include "compiler/host/host_value.hpp"

#include <algorithm>

#include "compiler/host/model_tail.hpp"
#include "compiler/ir/op_table.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

void decompose_for_host(Graph& graph) {
    std::vector<const Pass*> passes;
    for (const char* name : {"decompose-convolution", "decompose-pools", "decompose-normalization", "erase-unused"})
        passes.push_back(find_pass(name));
    run_passes(graph, passes, {}, true);
}

static bool is_tail(const Node& node) { return node.op == op::model_tail; }

bool has_host_value(const Node& node) {
    const OpInfo* op = find_op(node.op);
    if (node.op == op::scale_gradient) return false;  // of training alone
    return op && !node.type.format &&
           (op->has_value() || op->level == Level::Composite || is_tail(node) || node.is_result());
}

/// The value of a composite op, by decomposing a graph of the op alone.
static Literal value_of_parts(Node node, std::span<const Literal* const> in) {
    Graph graph;
    for (std::size_t k = 0; k < in.size(); ++k) {
        Node given;
        given.name = fmt::format("operand_{}", k);
        given.op = op::constant;
        given.type = {in[k]->dtype(), in[k]->dims(), {}};
        given.literal = std::make_shared<Literal>(*in[k]);
        node.inputs[k] = {k, {}};
        graph.nodes.push_back(std::move(given));
    }
    node.name = "result";
    node.erase(attr::host);
    graph.outputs.push_back({"result", graph.nodes.size(), {}});
    graph.nodes.push_back(std::move(node));
    decompose_for_host(graph);
    std::vector<LiteralPtr> values;
    for (const Node& one : graph.nodes) {
        std::vector<const Literal*> operands;
        for (const Edge& edge : one.inputs) operands.push_back(values[edge.value].get());
        values.push_back(one.is_constant() ? one.literal
                                           : std::make_shared<const Literal>(find_op(one.op)->eval(one, operands)));
    }
    return *values[graph.outputs.front().value];
}

std::vector<Literal> host_values(const Node& node, std::span<const Literal* const> in) {
    const OpInfo* op = find_op(node.op);
    if (!has_host_value(node)) fail_unsupported(node.loc, "'{}': the host has no op '{}'", node.name, node.op);
    if (is_tail(node)) return tail_values(node, in);
    return op->has_value() ? op->values(node, in) : std::vector{value_of_parts(node, in)};
}

double multiply_adds(const Node& node, std::span<const Type> in) {
    const auto out = static_cast<double>(count(node.type.dims));
    const auto dims = [&](std::size_t k) -> const Dims& { return in[k].dims; };
    if (node.op == op::matmul) return out * static_cast<double>(dims(0).back());
    if (node.op == op::map_axis) return out * static_cast<double>(dims(1).back());
    if (node.op == op::conv || node.op == op::conv_transpose)
        return out * static_cast<double>(count(dims(1))) / static_cast<double>(std::max<std::int64_t>(dims(1)[0], 1));
    if (node.op == op::gather_sum)
        return out * static_cast<double>(count(dims(2))) / static_cast<double>(node.type.dims.back());
    return 0;
}

/// The share of a map_axis's matrix that needs multiplications: a row with a single 1 only moves an element.
static double multiplied_share(const Literal& matrix) {
    constexpr std::int64_t most_read_here = std::int64_t{1} << 22;
    if (matrix.size() > most_read_here || matrix.size() == 0) return 1;
    const std::int64_t cols = matrix.dims()[1];
    std::int64_t multiplied = 0;
    for (std::int64_t row = 0; row < matrix.dims()[0]; ++row) {
        std::int64_t weights = 0;
        double sum = 0;
        for (std::int64_t c = 0; c < cols; ++c) {
            const double weight = matrix.at(row * cols + c);
            weights += weight != 0 ? 1 : 0;
            sum += weight;
        }
        if (weights > 1 || sum != 1) multiplied += weights;
    }
    return static_cast<double>(multiplied) / static_cast<double>(matrix.size());
}

WorkByOrigin multiply_adds(const Graph& graph) {
    WorkByOrigin work;
    for (const Node& node : graph.nodes) {
        std::vector<Type> in;
        for (const Edge& edge : node.inputs) in.push_back(graph.type(edge.value));
        double adds = multiply_adds(node, in);
        if (node.op == op::map_axis)
            if (const LiteralPtr& matrix = graph.nodes[node.inputs[1].value].literal) adds *= multiplied_share(*matrix);
        if (adds > 0) work[node.origin] += adds;
    }
    return work;
}

double host_work(const Node& node, std::span<const Type> in) {
    if (const double adds = multiply_adds(node, in); adds > 0) return adds;
    const auto out = static_cast<double>(count(node.type.dims));
    if (node.op == op::max_pool || node.op == op::average_pool)
        return out * static_cast<double>(count(node.get(attr::kernel)));
    double read = out;
    for (const Type& type : in) read += static_cast<double>(count(type.dims));
    return read;
}

}  // namespace ttsim::impl::ir
