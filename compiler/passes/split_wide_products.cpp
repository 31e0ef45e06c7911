// split-wide-products: splits an output product with more columns than its cores hold by columns. The host concatenates
// the parts.
//
//   %y = matmul %x, %w : f32[64, 50257]    ->   %r = reshape %x {dims = [1, 64, 768]}
//        %x: f32[64, 768], %w constant          %m = matmul %r, %v : f32[9, 64, 5632]      %v: constant [9, 768, 5632]
//                                               %t = transpose %m {host = 1, perm = [1, 0, 2]}
//                                               %s = reshape %t {dims = [64, 50688], host = 1}
//                                               %y = take %s, [0, .., 50256] {axis = 1, host = 1}
//
// This is the output layer of language models. In a row of 8 cores each core would have 197 tile columns for 50257
// words, with sums in 32 bits.
#include <algorithm>
#include <map>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t cores = 8;           // cores in a row
constexpr std::int64_t most_per_core = 80;  // tile columns
constexpr std::int64_t least_share = 8, most_share = 32;

/// Number of parts and columns of each.
struct Parts {
    std::int64_t count = 1, columns = 0;
};

/// The split with the least padding; of several the one with the fewest parts.
Parts parts_of(std::int64_t columns) {
    const std::int64_t tiles = (columns + tile_edge - 1) / tile_edge;
    Parts best;
    for (std::int64_t share = most_share; share >= least_share; --share) {
        const std::int64_t part = share * cores, count = (tiles + part - 1) / part;
        if (best.columns == 0 || count * part * tile_edge < best.count * best.columns) best = {count, part * tile_edge};
    }
    return best;
}

/// A wide product and its bias.
struct Wide {
    ValueId product = 0;
    std::optional<ValueId> bias;  ///< a constant with one element for each column
};

class Splitter {
public:
    explicit Splitter(const Graph& graph) : graph_(graph), uses_(graph.use_counts()) {
        for (const Output& output : graph.outputs)
            if (const auto found = wide(output.value)) wide_.emplace(output.value, *found);
    }
    bool any() const { return !wide_.empty(); }

    std::optional<ValueId> replaced(Builder& build, const Node& node, std::span<const ValueId> in) const {
        const auto found = wide_.find(static_cast<ValueId>(&node - graph_.nodes.data()));
        if (found == wide_.end()) return std::nullopt;
        const Node& product = graph_.nodes[found->second.product];
        const ValueId x = found->second.bias ? moved_product(build, in).inputs[0].value : in[0];
        return in_parts(build, x, product, found->second.bias, node.type.dims);
    }

private:
    const Literal* matrix(const Node& product) const { return graph_.nodes[product.inputs[1].value].literal.get(); }

    bool is_wide_product(ValueId id) const {
        const Node& node = graph_.nodes[id];
        if (node.op != op::matmul || uses_[id] != 1 || node.has(attr::host)) return false;
        const Literal* w = matrix(node);
        return w && w->dims().size() == 2 && (w->dims()[1] + tile_edge - 1) / tile_edge > cores * most_per_core;
    }
    std::optional<Wide> wide(ValueId id) const {
        if (is_wide_product(id)) return Wide{id, std::nullopt};
        const Node& node = graph_.nodes[id];
        if (node.op != op::add || uses_[id] != 1) return std::nullopt;
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const ValueId product = node.inputs[k].value, bias = node.inputs[1 - k].value;
            const Literal* elements = graph_.nodes[bias].literal.get();
            if (elements && is_wide_product(product) && elements->size() == node.type.dims.back() &&
                elements->dims().back() == node.type.dims.back() && graph_.nodes[product].type.dims == node.type.dims)
                return Wide{product, bias};
        }
        return std::nullopt;
    }

    static Node moved_product(const Builder& build, std::span<const ValueId> in) {
        const std::size_t k = build.literal(in[0]) ? 1 : 0;
        return build.graph().nodes[in[k]];
    }

    /// Splits [rows, columns] into [part, rows, columns of the part].
    static Literal split_columns(const Literal& whole, std::int64_t rows, const Parts& parts) {
        Literal made(whole.dtype(), {parts.count, rows, parts.columns}, max_read_elements);
        const std::int64_t columns = whole.size() / rows;
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t p = 0; p < parts.count; ++p) {
                const std::int64_t first = p * parts.columns, last = std::min(columns, first + parts.columns);
                std::copy(whole.floats().begin() + r * columns + first, whole.floats().begin() + r * columns + last,
                          made.floats().begin() + (p * rows + r) * parts.columns);
            }
        return made;
    }

    ValueId constant(Builder& build, ValueId from, std::int64_t rows, const Parts& parts) const {
        const std::string origin = build.origin();
        build.set_origin(graph_.nodes[from].origin);
        const ValueId made = build.model_constant(split_columns(*graph_.nodes[from].literal, rows, parts));
        build.set_origin(origin);
        return made;
    }

    static ValueId on_host(Builder& build, ValueId id) {
        build.graph().nodes[id].set(attr::host, true);
        return id;
    }

    ValueId in_parts(Builder& build, ValueId x, const Node& product, std::optional<ValueId> bias,
                     const Dims& dims) const {
        const std::int64_t inner = build.dims(x).back(), rows = count(build.dims(x)) / inner;
        const Parts parts = parts_of(dims.back());
        const ValueId w = constant(build, product.inputs[1].value, inner, parts);
        ValueId y = build.add(op::matmul, {build.reshape(x, {1, rows, inner}), w});
        if (bias) y = build.add(op::add, {y, constant(build, *bias, 1, parts)});
        y = on_host(build, build.transpose(y, {1, 0, 2}));
        y = on_host(build, build.reshape(y, {rows, parts.count * parts.columns}));
        std::vector<std::int64_t> columns_kept(static_cast<std::size_t>(dims.back()));
        for (std::size_t i = 0; i < columns_kept.size(); ++i) columns_kept[i] = static_cast<std::int64_t>(i);
        y = on_host(build, build.add(op::take, {y, build.constant(Literal::vector(columns_kept))}, {attr::axis(1)}));
        const ValueId whole = build.reshape(y, dims);
        return whole == y ? y : on_host(build, whole);
    }

    const Graph& graph_;
    std::vector<std::size_t> uses_;
    std::map<ValueId, Wide> wide_;
};

void run_split_wide_products(Graph& graph, const PassOptions& options) {
    if (!options.host_fallback) return;
    const Splitter splitter(graph);
    if (!splitter.any()) return;
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) {
        return splitter.replaced(build, node, in);
    });
}

}  // namespace

extern const Pass split_wide_products;
const Pass split_wide_products{.name = "split-wide-products",
                               .summary = "split output products with more columns than cores hold",
                               .run = run_split_wide_products,
                               .optional = true};

}  // namespace ttsim::impl::ir
