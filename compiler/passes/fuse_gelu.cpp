// fuse-gelu
//
//   %a = buda.matmul %x, %w, %bias               and nothing else reads %a
//   %b = buda.gelu %a                    ->      %b = buda.matmul %x, %w, %bias {sfpu_op = "gelu"}
//
// The activation then waits for the product on the same cores, where it worked beside it before; what it saves is the
// way between them. Products alike (sizes and formats) are fused together, and only where that makes an input quicker
// by the estimate the compiler gives; without an estimate all are. A netlist knows gelu alone on products. A gelu that
// an override names stays an op; where ops keep the model's names the product keeps its own.
#include <map>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

/// Formats of Dst and of partial sums, where they are set.
bool same_dest(const Node& gelu, const Node& product) {
    for (const char* key : {"acc_df", "intermed_df"})
        if (gelu.has(key) && gelu.word(key, "") != product.word(key, "")) return false;
    return true;
}

/// The product whose result nothing but this gelu reads, or nullptr.
const Node* product_of(const Graph& graph, const Node& node, const std::vector<std::size_t>& uses,
                       const Overrides& overrides) {
    if (node.op != "buda.gelu" || overrides.contains(node.name)) return nullptr;
    const Edge& edge = node.inputs[0];
    const Node& product = graph.nodes[edge.value];
    const bool fits = product.op == "buda.matmul" && edge.tms.empty() && uses[edge.value] == 1 &&
                      !product.has("relu") && !product.has("sfpu_op") && product.type.format == node.type.format &&
                      same_dest(node, product);
    return fits ? &product : nullptr;
}

/// What makes two of them alike: the same choice is right for both.
std::string likeness(const Graph& graph, const Node& product) {
    std::string text = to_string(product.type) + product.word("fidelity", "") + product.word("acc_df", "");
    for (const Edge& edge : product.inputs) text += " " + to_string(graph.type(edge.value));
    return text;
}

void fuse(Graph& graph, const std::vector<ValueId>& activations, bool keep_names) {
    for (const ValueId id : activations) {
        Node& node = graph.nodes[id];
        const Node& product = graph.nodes[node.inputs[0].value];
        Attrs attrs = product.attrs;
        if (node.has("relu"))
            for (const char* key : {"relu", "threshold"})
                if (const auto it = node.attrs.find(key); it != node.attrs.end()) attrs.insert(*it);
        attrs["sfpu_op"] = std::string("gelu");
        node.op = product.op;
        if (keep_names) node.name = product.name;
        node.inputs = std::vector<Edge>(product.inputs);
        node.attrs = std::move(attrs);
    }
    graph.erase_unused();
}

void run_fuse_gelu(Graph& graph, const PassOptions& options) {
    if (options.fuse_gelu == Fusing::Never || (options.fuse_gelu == Fusing::WherePays && !options.auto_fusing)) return;
    std::map<std::string, std::vector<std::string>> alike;  // names: positions change as products go
    const auto uses = graph.use_counts();
    for (const Node& node : graph.nodes)
        if (const Node* product = product_of(graph, node, uses, options.overrides))
            alike[likeness(graph, *product)].push_back(node.name);
    const bool measured = options.fuse_gelu == Fusing::WherePays && options.estimate;
    double now = measured && !alike.empty() ? options.estimate(graph) : 0;
    for (const auto& [key, names] : alike) {
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
                     .summary = "let a product's core do the gelu behind it, where that pays",
                     .run = run_fuse_gelu};

}  // namespace ttsim::impl::ir
