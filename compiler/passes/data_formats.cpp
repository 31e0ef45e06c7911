// data-formats: where the default format is a block float, 16 datums of a row share an exponent, and the small of them
// drown beside the large. 16 bits of the same family are used instead
//
//   for results of exp, log, sqrt, reciprocal, square, reduce, subtract, sine, cosine, and for what these read
//   for what works with large constants (masks, comparisons), and for all constants but the matrices of products
//   for outputs of the model, and for what elementwise ops hand to elementwise ops
//   for results of one row of tiles: statistics of a picture, gates; they take next to no room, and a whole hangs on
//   each
//
//   %e = buda.exp %x : Bfp8_b[1, 4, 4]   ->   %e = buda.exp %x : Float16_b[1, 4, 4]
//
// The other results, products above all, and weights keep it. --accumulate-df is written into every op.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/pass.hpp"

namespace tt::ir {

namespace {

bool needs_range(const Node& node) {
    static constexpr std::array ops{"buda.exp",    "buda.log",      "buda.sqrt", "buda.reciprocal", "buda.square",
                                    "buda.reduce", "buda.subtract", "buda.sine", "buda.cosine"};
    return std::find(ops.begin(), ops.end(), node.op) != ops.end();
}

/// Works datum by datum on two operands, or on one with what the packer does.
bool is_elementwise(const Node& node) {
    const OpInfo* op = find_op(node.op);
    return op && op->level == Level::Device && node.op != "buda.matmul" && node.op != "buda.depthwise" &&
           node.op != "buda.sparse" && node.op != "buda.reduce";
}

bool one_tile_row(const Node& node) { return node.type.dims[0] * node.type.dims[1] == 1; }

bool has_large(const Literal& literal) {
    constexpr float large = 1000;
    return std::any_of(literal.floats().begin(), literal.floats().end(), [](float v) { return std::fabs(v) >= large; });
}

class Widener {
public:
    explicit Widener(Graph& graph) : graph_(graph) {}
    void run() {
        for (Node& node : graph_.nodes) {
            if (!node.op.starts_with("buda.")) continue;
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (node.op != "buda.matmul" || k > 1) widen_constant(graph_.nodes[node.inputs[k].value]);
            bool large = false;
            for (const Edge& edge : node.inputs) {
                Node& operand = graph_.nodes[edge.value];
                large = large || (operand.is_constant() && operand.type.format && has_large(*operand.literal));
                if (needs_range(node)) widen(operand);
            }
            if (large || needs_range(node) || one_tile_row(node)) widen(node);
        }
        widen_chains();
        for (const Output& output : graph_.outputs) widen(graph_.nodes[output.value]);
    }

private:
    static void widen(Node& node) {
        if (node.type.format) node.type.format = wide_format(*node.type.format);
    }
    /// Between elementwise ops each rounding would add up; products that read the end of a chain get the block float.
    void widen_chains() {
        std::vector<bool> inside(graph_.nodes.size(), true);
        for (const Node& node : graph_.nodes)
            for (const Edge& edge : node.inputs)
                if (!is_elementwise(node)) inside[edge.value] = false;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (inside[id] && is_elementwise(graph_.nodes[id])) widen(graph_.nodes[id]);
    }
    static void widen_constant(Node& node) {
        if (node.is_constant()) widen(node);
    }
    Graph& graph_;
};

void run(Graph& graph, const PassOptions& options) {
    if (is_block_float(options.default_df)) Widener(graph).run();
    if (!options.accumulate_df) return;
    for (Node& node : graph.nodes)
        if (node.op.starts_with("buda.")) node.attrs["acc_df"] = std::string(to_string(*options.accumulate_df));
}

}  // namespace

extern const Pass data_formats;
const Pass data_formats{.name = "data-formats",
                        .summary = "16 bits where a block float would drown small datums; the accumulate format",
                        .run = run};

}  // namespace tt::ir
