// even-splices: converts all operands of a splice to their widest format, since a splice copies tiles unchanged.
//
//   %a = buda.exp %x : Float16_b              %b = buda.matmul %x, %w : Float16_b    if nothing else reads it, or
//   %b = buda.matmul %x, %w : Bfp8_b    ->    %n = buda.nop %b : Float16_b
//   %y = buda.splice %a, %b                   %y = buda.splice %a, %b (%n)
#include <algorithm>

#include "compiler/ir/pass.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl::ir {

namespace {

class SpliceFormats {
public:
    explicit SpliceFormats(Graph& graph) : graph_(graph), uses_(graph.use_counts()), build_(result_) {}

    void run() {
        for (const Node& node : graph_.nodes) {
            std::vector<Edge> inputs = node.inputs;
            for (Edge& edge : inputs) edge.value = moved_[edge.value];
            if (node.op == op::buda::splice) unify_formats(node, inputs);
            moved_.push_back(build_.copy(node, std::move(inputs)));
        }
        for (const Output& out : graph_.outputs) result_.outputs.push_back({out.name, moved_[out.value], out.type});
        graph_ = std::move(result_);
    }

private:
    void unify_formats(const Node& node, std::vector<Edge>& inputs) {
        const auto bytes = [&](const Edge& edge) { return tile_bytes(*build_.type(edge.value).format, TileDim{}); };
        const Edge& widest = *std::max_element(inputs.begin(), inputs.end(),
                                               [&](const Edge& a, const Edge& b) { return bytes(a) < bytes(b); });
        const DataFormat format = *build_.type(widest.value).format;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            Node& from = result_.nodes[inputs[k].value];
            if (*from.type.format == format) continue;
            if (!from.is_input() && uses_[node.inputs[k].value] == 1)
                from.type.format = format;
            else
                inputs[k].value = converted(node, inputs[k].value, format);
        }
    }

    ValueId converted(const Node& node, ValueId value, DataFormat format) {
        build_.set_origin(node.origin);
        build_.set_phase(node.phase);
        return build_.add_edges(op::buda::nop, {{value, {}}}, {}, format);
    }

    Graph& graph_;
    std::vector<std::size_t> uses_;
    Graph result_ = graph_.next();
    Builder build_;
    std::vector<ValueId> moved_;  // by value of the input graph
};

bool has_mixed_formats(const Graph& graph, const Node& node) {
    return node.op == op::buda::splice && std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
               return graph.type(edge.value).format != graph.type(node.inputs[0].value).format;
           });
}

void run_even_splices(Graph& graph, const PassOptions&) {
    if (std::any_of(graph.nodes.begin(), graph.nodes.end(),
                    [&](const Node& node) { return has_mixed_formats(graph, node); }))
        SpliceFormats(graph).run();
}

}  // namespace

extern const Pass even_splices;
const Pass even_splices{
    .name = "even-splices", .summary = "give all operands of a splice one format", .run = run_even_splices};

}  // namespace ttsim::impl::ir
