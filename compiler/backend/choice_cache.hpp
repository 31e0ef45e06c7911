// What ops alike have in common while one model is compiled: patterns of sparse products and the grids an op fits on.
// Layers of a network are alike, and a model is lowered and placed several times before the best way is known.
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
#include "compiler/backend/sparse_blocking.hpp"

namespace ttsim::impl::ir {

/// How an op's output reaches its readers of the epoch.
struct HandedOver {
    bool in_blocks = false;
    double block = 0;     ///< slices of a block, when it goes in blocks
    double cycles = 0;    ///< per input
    double begun = 0;     ///< from a block packed to its first tile leaving
    bool circle = false;  ///< pipes that take from its cores in turn would wait for each other
};

/// Where the ops of an epoch lie best.
struct FoundPlaces {
    std::vector<Place> places;
    double link_cycles = 0, load_cycles = 0;
};

/// For one chip and microbatch. Threads may use it at the same time.
class ChoiceCache {
public:
    /// make_pattern(), once for equal operands. They stay as they are.
    std::shared_ptr<const SparsePattern> pattern(const LiteralPtr& index, const LiteralPtr& weights, std::int64_t cols);
    /// make_parts(), once for ops that are made alike as long as somebody holds them.
    SparseParts parts(const std::shared_ptr<const SparsePattern>& pattern, const OpConfig& op);
    /// A number for a text, the same for equal ones; good for keys alone, as it depends on who asks first.
    std::int64_t number(const std::string& text);

    Memo<std::string, Choice> choices;                    ///< by choice_key()
    Memo<std::string, std::vector<Costs>> own;            ///< EdgeCosts::own() of all candidates
    Memo<std::string, std::shared_ptr<EdgeTable>> edges;  ///< by the kinds of both ops and what lies between
    Memo<std::vector<std::int64_t>, HandedOver>
        output_streamings;                  ///< by the op, its candidate and buffer, its readers
    Memo<std::string, FoundPlaces> places;  ///< by what moves, and between which grids

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
    /// Operands that were asked for, as long as they are there: the next estimate of a graph asks for them again, and
    /// an index may have millions of elements to compare.
    struct Asked {
        std::weak_ptr<const Literal> index, weights;
        std::shared_ptr<const SparsePattern> pattern;
    };
    std::map<std::tuple<const Literal*, const Literal*, std::int64_t>, Asked> asked_;
    std::map<std::string, std::int64_t> numbers_;
    struct Parts {
        std::weak_ptr<const SparsePattern> pattern;
        std::weak_ptr<const Literal> tiles, encoding;
    };
    std::map<std::string, Parts> parts_;
};

/// Of a node that the user decides nothing about; `pattern`: its own, from the cache that is asked.
std::string choice_key(const Graph& graph, const Node& node, const OpBudget& budget, const SparsePattern* pattern);

}  // namespace ttsim::impl::ir
