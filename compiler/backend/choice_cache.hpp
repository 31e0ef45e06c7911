// Caches results that equal ops share during a compilation: patterns of sparse products, grids, costs of edges. Layers
// of a network repeat, and a model is lowered and placed several times.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/memo.hpp"
#include "compiler/backend/blocking.hpp"
#include "compiler/backend/edge_table.hpp"
#include "compiler/backend/graph_solver.hpp"
#include "compiler/backend/placer.hpp"
#include "compiler/backend/schedule.hpp"
#include "compiler/backend/sparse_blocking.hpp"

namespace ttsim::impl::ir {

/// Costs of streaming an op's output to its readers in the epoch.
struct OutputStreamingCost {
    bool in_blocks = false;
    double block = 0;            ///< slices of a block, if streamed in blocks
    double cycles = 0;           ///< per input
    double begun = 0;            ///< from the end of packing a block to the departure of its first tile
    bool circular_wait = false;  ///< pipes that read its cores in order would deadlock
};

/// The best placement of the ops of an epoch.
struct PlacementResult {
    std::vector<Place> places;
    double link_cycles = 0, load_cycles = 0;
};

/// For one chip and microbatch. Thread-safe.
class ChoiceCache {
public:
    /// make_pattern(), once for equal operands, which must not change.
    std::shared_ptr<const SparsePattern> pattern(const LiteralPtr& index, const LiteralPtr& weights, std::int64_t cols);
    /// make_parts(), once for equal ops, as long as the result is referenced.
    SparseParts parts(const std::shared_ptr<const SparsePattern>& pattern, const OpConfig& op);
    /// A number that is equal for equal texts. For keys only, since it depends on the order of calls.
    std::int64_t number(const std::string& text);

    Memo<std::string, Choice> choices;                    ///< by choice_key()
    Memo<std::string, std::vector<Costs>> own;            ///< EdgeCosts::own() of all candidates
    Memo<std::string, std::shared_ptr<EdgeTable>> edges;  ///< by the kinds of both ops and the TMs between them
    Memo<std::vector<std::int64_t>, OutputStreamingCost>
        output_streaming_costs;                 ///< by op, candidate, buffer and readers
    Memo<std::string, PlacementResult> places;  ///< by flows and grids
    Memo<std::string, Schedule> schedules;      ///< by graph, candidates and options

private:
    std::shared_ptr<const SparsePattern> equal_pattern(const LiteralPtr& index, const LiteralPtr& weights,
                                                       std::int64_t cols);
    struct Known {
        LiteralPtr index, weights;
        std::int64_t cols = 0;
        std::shared_ptr<const SparsePattern> pattern;
    };
    std::mutex mutex_;
    std::multimap<std::size_t, Known> patterns_;  // by hash
    /// Lookups by address, as long as the operands exist. Estimates of a graph repeat lookups, and comparing an index
    /// of millions of elements is slow.
    struct Lookup {
        std::weak_ptr<const Literal> index, weights;
        std::shared_ptr<const SparsePattern> pattern;
    };
    std::map<std::tuple<const Literal*, const Literal*, std::int64_t>, Lookup> lookups_;
    std::map<std::string, std::int64_t> numbers_;
    struct Parts {
        std::weak_ptr<const SparsePattern> pattern;
        std::weak_ptr<const Literal> tiles, encoding;
    };
    std::map<std::string, Parts> parts_;
};

/// Key of a node without overrides. `pattern`: its pattern from the same cache.
std::string choice_key(const Graph& graph, const Node& node, const OpBudget& budget, const SparsePattern* pattern);

}  // namespace ttsim::impl::ir
