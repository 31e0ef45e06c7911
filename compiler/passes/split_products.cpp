// split-products: splits a product over few rows by columns into ops that run in parallel.
//
//   %y = buda.matmul %x, %w, %b : [1, 1, 128]      ->   %p = buda.matmul %x, %w0, %b0 : [1, 1, 32]
//                                                       %q, %r, %s with the other columns of %w, %b
//                                                       %y = buda.splice %p, %q, %r, %s {runs = 8} : [1, 1, 128]
//
// A grid has at most as many rows as the result has tile rows. With one tile row a product has one row of cores. So few
// cores read %w that DRAM bandwidth is left unused. PassOptions::tiling and the override `parts`
// choose the products and the number of parts.
#include "compiler/passes/split_products.hpp"

#include <algorithm>
#include <map>

#include "base/error_codes.hpp"
#include "compiler/ir/derivation.hpp"
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t tile = tile_edge;

/// The columns of one part: every `parts`-th run of columns. A splice with as many runs, one per core, restores the
/// order.
struct ColumnPart {
    std::int64_t part = 0, parts = 1, runs = 1;
    std::int64_t run = tile;  ///< columns of one run
    std::int64_t count() const { return runs * run; }
    std::int64_t column(std::int64_t c) const { return (c / run * parts + part) * run + c % run; }
};

/// The columns of a constant {1, rows, columns}. They are copied when they are read: otherwise models of many products
/// over few rows would hold their weights twice.
LiteralPtr columns_of(const LiteralPtr& full, const ColumnPart& share) {
    const Dims dims{1, full->dims()[1], share.count()};
    return std::make_shared<Literal>(Literal::computed_on_read(full->dtype(), dims, [full, share] {
        const std::int64_t rows = full->dims()[1], cols = full->dims()[2];
        std::vector<float> made;
        made.reserve(static_cast<std::size_t>(rows * share.count()));
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < share.count(); c += share.run) {
                const auto from = full->floats().begin() + r * cols + share.column(c);
                made.insert(made.end(), from, from + share.run);
            }
        return made;
    }));
}

/// The derivation of the elements of these columns.
DerivationPtr derivation_of(const Node& constant, const ColumnPart& share) {
    if (!constant.derivation) return nullptr;
    auto part = std::make_shared<Derivation>(*constant.derivation);
    const Dims& tensor = constant.literal->dims();
    const Derivation::Placement full =
        constant.derivation->placement.value_or(identity_placement(constant.derivation->type, tensor));
    part->placement = {{1, tensor[1], share.count()}, [full, share](std::int64_t z, std::int64_t r, std::int64_t c) {
                           const std::int64_t at = share.column(c);
                           return r < full.dims[1] && at < full.dims[2] ? full.from(z, r, at) : std::int64_t{-1};
                       }};
    return part;
}

/// Number of runs for a part of `tiles` tiles: at most the 8 cores of a row, each with at least 4 tiles.
std::int64_t runs_of(std::int64_t tiles) {
    constexpr std::int64_t row_cores = 8, min_run_tiles = 4;
    std::int64_t runs = 1;
    for (std::int64_t n = 2; n <= row_cores; ++n)
        if (tiles % n == 0 && tiles / n >= min_run_tiles) runs = n;
    return runs;
}

class ProductSplitter {
public:
    /// `blank`: constants of the parts get no values.
    ProductSplitter(Graph& graph, const PassOptions& options, bool blank = false)
        : graph_(graph), options_(options), blank_(blank), build_(result_) {}

    void run() {
        for (const Node& node : graph_.nodes) {
            std::vector<Edge> inputs = node.inputs;
            for (Edge& edge : inputs) edge.value = moved_[edge.value];
            const std::int64_t parts = requested_parts(node);
            moved_.push_back(parts == 1 ? build_.copy(node, std::move(inputs)) : in_parts(node, inputs, parts));
        }
        for (const Output& out : graph_.outputs) result_.outputs.push_back({out.name, moved_[out.value], out.type});
        result_.erase_unused();
        graph_ = std::move(result_);
    }

private:
    std::int64_t requested_parts(const Node& node) const {
        const auto user = options_.overrides.find(node.name);
        const bool decided = user != options_.overrides.end() && user->second.parts;
        const bool may = is_splittable(graph_, node);
        const std::int64_t ct = node.type.dims.back();
        if (decided) {
            const std::int64_t parts = *user->second.parts;
            if (parts > 1 && (!may || parts > most_product_parts || ct % parts != 0))
                fail(Fault::Input, {user->second.loc, error_code::cannot_split, {node.name}},
                     "op '{}' cannot be split into {} parts: {}", node.name, parts,
                     !may ? "it is not a product of one slice with constants"
                          : fmt::format("at most {} parts are allowed, and they must divide its {} tile columns",
                                        most_product_parts, ct));
            return parts;
        }
        if (!may || user != options_.overrides.end()) return 1;
        const Dims& w = graph_.type(node.inputs[1].value).dims;
        const auto found = options_.tiling.parts.find({w[1], w[2]});
        return found == options_.tiling.parts.end() ? 1 : found->second;
    }

    ValueId constant_part(const Node& constant, const ColumnPart& share) {
        Node part = constant;
        part.name = constant.name + "_part_" + std::to_string(share.part);
        part.type.dims[2] = share.count() / tile;
        part.literal = blank_ ? blank() : columns_of(constant.literal, share);
        part.derivation = derivation_of(constant, share);
        return build_.copy(part, {});
    }

    /// One tile in place of every constant: the estimate depends on shapes, not on values.
    static LiteralPtr blank() {
        static const LiteralPtr one = std::make_shared<Literal>(DType::F32, Dims{1, tile, tile});
        return one;
    }

    ValueId in_parts(const Node& node, const std::vector<Edge>& inputs, std::int64_t parts) {
        const std::int64_t tiles = node.type.dims[2] / parts, runs = runs_of(tiles);
        std::vector<Edge> joined;
        for (std::int64_t n = 0; n < parts; ++n) {
            Node part = node;
            part.name += "_part_" + std::to_string(n);
            part.type.dims[2] = tiles;
            std::vector<Edge> operands{inputs[0]};
            for (std::size_t k = 1; k < inputs.size(); ++k) {
                const Node& constant = graph_.nodes[node.inputs[k].value];
                const ColumnPart share{n, parts, runs, tiles / runs * tile};
                operands.push_back({constant_part(constant, share), inputs[k].tms});
            }
            joined.push_back({build_.copy(part, std::move(operands)), {}});
        }
        Node join;
        join.name = node.name;
        join.op = op::buda::splice;
        join.origin = node.origin;
        join.kind = node.kind;
        join.loc = node.loc;
        join.phase = node.phase;
        join.type = node.type;
        if (runs > 1) join.set(attr::runs, runs);
        return build_.copy(join, std::move(joined));
    }

    Graph& graph_;
    const PassOptions& options_;
    bool blank_ = false;
    Graph result_ = graph_.next();
    Builder build_;
    std::vector<ValueId> moved_;  ///< by value of the input graph
};

void run_split_products(Graph& graph, const PassOptions& options) {
    const bool requested = std::any_of(options.overrides.begin(), options.overrides.end(),
                                       [](const auto& user) { return user.second.parts.has_value(); });
    if (requested || !options.tiling.parts.empty()) ProductSplitter(graph, options).run();
}

}  // namespace

bool is_splittable(const Graph& graph, const Node& node) {
    if (node.op != op::buda::matmul || node.has(attr::z) || node.type.dims[0] != 1) return false;
    for (std::size_t k = 1; k < node.inputs.size(); ++k) {
        const Edge& edge = node.inputs[k];
        const Node& constant = graph.nodes[edge.value];
        const bool columns_stay =
            std::all_of(edge.tms.begin(), edge.tms.end(), [](const Tm& tm) { return tm.kind == Tm::Kind::BroadcastR; });
        if (!constant.is_constant() || constant.type.dims[0] != 1 || !columns_stay ||
            constant.type.dims[2] != node.type.dims[2])
            return false;
    }
    return true;
}

Graph split_for_estimate(Graph graph, const ProductParts& parts) {
    PassOptions options;
    options.tiling.parts = parts;
    ProductSplitter(graph, options, true).run();
    find_pass("order-ops")->run(graph, options);
    return graph;
}

extern const Pass split_products;
const Pass split_products{.name = "split-products",
                          .summary = "split products over few rows by columns",
                          .run = run_split_products,
                          .optional = true};

}  // namespace ttsim::impl::ir
