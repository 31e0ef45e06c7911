// splice-columns: replaces sums of products that move columns by a splice, which concatenates the columns.
//
//   %p = buda.matmul %x, %c      %c = (1 0 0)          %y = buda.splice %x, %z {firsts = [0, 1], counts = [1, 2]}
//   %q = buda.matmul %z, %d      %d = (0 0 0)     ->
//   %y = buda.add %p, %q              (0 1 0)          the first tile column of %x, the second and the third of %z
//                                     (0 0 1)
//
// The constants' tiles must be zero or the identity, and each column of the sum must come from one product, as in
// concatenations along channels. A splice multiplies and rounds nothing and reads no constant. The constants must not
// be replaceable. If the estimate without splices is better, the products stay (PassOptions::tiling).
#include <algorithm>
#include <map>

#include "compiler/ir/next_nonzero.hpp"
#include "compiler/ir/pass.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t tile_side = tile_edge;
constexpr std::size_t most_pieces = 8;  ///< maximum operands of a splice

/// `count` tile columns from `first` of an operand, at `at` in the result.
struct Span {
    std::int64_t first = 0, at = 0, count = 0;
};
struct Piece {
    Edge from;
    Span span;
};

enum class Tile : std::uint8_t { Zero, Identity, Other };

Tile tile_at(const Literal& matrix, std::int64_t tile_row, std::int64_t tile_col) {
    const std::int64_t cols = matrix.dims()[2];
    bool zero = true, identity = true;
    for (std::int64_t r = 0; r < tile_side && (zero || identity); ++r) {
        const float* row = matrix.floats().data() + (tile_row * tile_side + r) * cols + tile_col * tile_side;
        const float *const end = row + tile_side, *const found = next_nonzero(row, end);
        zero = zero && found == end;
        identity = identity && found == row + r && *found == 1 && next_nonzero(found + 1, end) == end;
    }
    return zero ? Tile::Zero : identity ? Tile::Identity : Tile::Other;
}

/// The tile columns that a matrix moves, if it moves one run of whole tiles.
std::optional<Span> moved_span(const Literal& matrix) {
    std::optional<Span> span;
    for (std::int64_t r = 0; r < matrix.dims()[1] / tile_side; ++r)
        for (std::int64_t c = 0; c < matrix.dims()[2] / tile_side; ++c) {
            const Tile kind = tile_at(matrix, r, c);
            if (kind == Tile::Zero) continue;
            if (kind == Tile::Other) return {};
            if (!span) span = Span{r, c, 0};
            if (r != span->first + span->count || c != span->at + span->count) return {};
            ++span->count;
        }
    return span;
}

class ColumnSplicer {
public:
    explicit ColumnSplicer(const PassOptions& options) : options_(options) {}

    /// The splice that replaces a node; `in`: its operands in the new graph.
    std::optional<ValueId> replace(Builder& build, const Node& node, std::span<const ValueId> in) {
        if (node.op != op::buda::add || !node.attrs.empty() || !has_room(node)) return {};
        std::vector<Piece> pieces;
        for (const ValueId term : in)
            if (!collect(build.graph(), {term, {}}, pieces)) return {};
        if (!covers_columns(pieces, node.type.dims[2])) return {};
        std::vector<Edge> from;
        std::vector<std::int64_t> firsts, counts;
        for (const Piece& piece : pieces) {
            from.push_back(piece.from);
            firsts.push_back(piece.span.first);
            counts.push_back(piece.span.count);
        }
        return build.add_edges(op::buda::splice, std::move(from), {attr::firsts(firsts), attr::counts(counts)},
                               node.type.format);
    }

private:
    /// A core needs a row of tiles in input and output, each with two buffers.
    bool has_room(const Node& node) const {
        return 4 * node.type.dims[2] * tile_bytes(*node.type.format, TileDim{}) <= options_.l1_bytes;
    }

    /// Collects the pieces of an operand of the sum.
    bool collect(const Graph& graph, const Edge& edge, std::vector<Piece>& pieces) {
        const Node& node = graph.nodes[edge.value];
        if (!edge.tms.empty() || pieces.size() > most_pieces) return false;
        if (node.op == op::buda::add && node.attrs.empty())
            return std::all_of(node.inputs.begin(), node.inputs.end(),
                               [&](const Edge& term) { return collect(graph, term, pieces); });
        if (node.op != op::buda::matmul || node.inputs.size() != 2 || !node.attrs.empty()) return false;
        const std::optional<Span> span = span_of(graph, node.inputs[1]);
        if (span) pieces.push_back({node.inputs[0], *span});
        return span.has_value();
    }

    std::optional<Span> span_of(const Graph& graph, const Edge& edge) {
        const Node& constant = graph.nodes[edge.value];
        const bool repeated =
            std::all_of(edge.tms.begin(), edge.tms.end(), [](const Tm& tm) { return tm.kind == Tm::Kind::BroadcastZ; });
        if (!constant.is_constant() || constant.type.dims[0] != 1 || constant.derivation || !repeated) return {};
        const auto [known, fresh] = spans_.try_emplace(constant.literal.get());
        if (fresh) known->second = moved_span(*constant.literal);
        return known->second;
    }

    /// Sorts the pieces. Returns whether they cover each of the columns once.
    static bool covers_columns(std::vector<Piece>& pieces, std::int64_t columns) {
        if (pieces.size() > most_pieces) return false;
        std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.span.at < b.span.at; });
        std::int64_t next = 0;
        for (const Piece& piece : pieces) {
            if (piece.span.at != next) return false;
            next += piece.span.count;
        }
        return next == columns;
    }

    const PassOptions& options_;
    std::map<const Literal*, std::optional<Span>> spans_;
};

void run_splice_columns(Graph& graph, const PassOptions& options) {
    if (!options.tiling.splices) return;
    ColumnSplicer splicer(options);
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) {
        return splicer.replace(build, node, in);
    });
}

}  // namespace

extern const Pass splice_columns;
const Pass splice_columns{.name = "splice-columns",
                          .summary = "concatenate columns by splices instead of products",
                          .run = run_splice_columns,
                          .optional = true};

}  // namespace ttsim::impl::ir
