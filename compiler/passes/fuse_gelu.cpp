// fuse-gelu: fuses a gelu into the product before it.
//
//   %a = buda.matmul %x, %w, %bias               and nothing else reads %a
//   %b = buda.gelu %a                    ->      %b = buda.matmul %x, %w, %bias {sfpu_op = "gelu"}
//
// The gelu then runs on the cores of the product, after it, instead of in parallel on its own cores. This saves the
// transfer between them. Products with equal sizes and formats are fused together, and only if the compiler's estimate
// of an input's time improves. Without an estimate all are fused. Netlists support only gelu on products. A gelu named
// by an override stays an op. With keep_names the product keeps its name.
#include <map>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

/// Formats of Dst and of partial sums, where they are set.
bool same_dest_formats(const Node& gelu, const Node& product) {
    for (const auto& attribute : {attr::acc_df, attr::intermed_df})
        if (gelu.has(attribute) && (!product.has(attribute) || gelu.get(attribute) != product.get(attribute)))
            return false;
    return true;
}

/// The product whose result only this gelu reads, or nullptr.
const Node* product_of(const Graph& graph, const Node& node, const std::vector<std::size_t>& uses,
                       const Overrides& overrides) {
    if (node.op != op::buda::gelu || overrides.contains(node.name)) return nullptr;
    const Edge& edge = node.inputs[0];
    const Node& product = graph.nodes[edge.value];
    const bool fits = product.op == op::buda::matmul && edge.tms.empty() && uses[edge.value] == 1 &&
                      !product.has(attr::relu) && !product.has(attr::sfpu_op) &&
                      product.type.format == node.type.format && same_dest_formats(node, product);
    return fits ? &product : nullptr;
}

/// A key for products of equal sizes and formats, for which the same choice is right.
std::string group_key(const Graph& graph, const Node& product) {
    std::string text = to_string(product.type) + product.get(attr::fidelity) + product.get(attr::acc_df);
    for (const Edge& edge : product.inputs) text += " " + to_string(graph.type(edge.value));
    return text;
}

void fuse(Graph& graph, const std::vector<ValueId>& activations, bool keep_names) {
    for (const ValueId id : activations) {
        Node& node = graph.nodes[id];
        const Node& product = graph.nodes[node.inputs[0].value];
        Attrs attrs = product.attrs;
        if (node.has(attr::relu)) {
            copy(attr::relu, node.attrs, attrs);
            copy(attr::threshold, node.attrs, attrs);
        }
        set(attrs, attr::sfpu_op, "gelu");
        node.op = product.op;
        if (keep_names) node.name = product.name;
        node.inputs = std::vector<Edge>(product.inputs);
        node.attrs = std::move(attrs);
    }
    graph.erase_unused();
}

void run_fuse_gelu(Graph& graph, const PassOptions& options) {
    if (options.fuse_gelu == Fusing::Never || (options.fuse_gelu == Fusing::IfProfitable && !options.auto_fusing))
        return;
    std::map<std::string, std::vector<std::string>>
        groups;  // by group_key(): names, since indices change when products are erased
    const auto uses = graph.use_counts();
    for (const Node& node : graph.nodes)
        if (const Node* product = product_of(graph, node, uses, options.overrides))
            groups[group_key(graph, *product)].push_back(node.name);
    const bool measured = options.fuse_gelu == Fusing::IfProfitable && options.estimate;
    double now = measured && !groups.empty() ? options.estimate(graph) : 0;
    for (const auto& [key, names] : groups) {
        Graph fused = graph;
        std::vector<ValueId> activations;
        for (const std::string& name : names)
            for (ValueId id = 0; id < fused.nodes.size(); ++id)
                if (fused.nodes[id].name == name) activations.push_back(id);
        fuse(fused, activations, options.keep_names);
        if (measured) {
            const double then = options.estimate(fused);
            if (then >= now) continue;
            now = then;
        }
        graph = std::move(fused);
    }
}

}  // namespace

extern const Pass fuse_gelu;
const Pass fuse_gelu{.name = "fuse-gelu",
                     .summary = "fuse a gelu into the product before it, where profitable",
                     .run = run_fuse_gelu,
                     .optional = true};

}  // namespace ttsim::impl::ir
