// What ops alike have in common while one model is compiled: patterns of sparse products and the grids an op fits on.
// Layers of a network are alike, and a model is lowered and placed several times before the best way is known.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/backend/blocking.hpp"

namespace tt::ir {

class ChoiceCache {
public:
    /// make_pattern(), once for equal operands.
    std::shared_ptr<const SparsePattern> pattern(const LiteralPtr& index, const LiteralPtr& weights, std::int64_t cols);

    /// By what the choice depends on; nullptr when there is none yet.
    const Choice* find(const std::string& key) const;
    void add(const std::string& key, Choice choice) { choices_.emplace(key, std::move(choice)); }

private:
    struct Known {
        LiteralPtr index, weights;
        std::int64_t cols = 0;
        std::shared_ptr<const SparsePattern> pattern;
    };
    std::multimap<std::size_t, Known> patterns_;  // by hash
    std::map<std::string, Choice> choices_;
};

/// Of a node that the user decides nothing about; `pattern`: its own, from the cache that is asked.
std::string choice_key(const Graph& graph, const Node& node, const OpBudget& budget, const SparsePattern* pattern);

}  // namespace tt::ir
