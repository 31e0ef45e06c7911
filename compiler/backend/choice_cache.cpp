#include "compiler/backend/choice_cache.hpp"

#include <functional>

#include <string_view>
#include <type_traits>

#include <fmt/ranges.h>

namespace tt::ir {

namespace {

std::size_t hash_of(const Literal& index) {
    const auto& values = index.whole();
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])});
}

bool same(const LiteralPtr& a, const LiteralPtr& b) { return a == b || (a && b && *a == *b); }

std::string type_text(const Type& type) {
    return fmt::format("{}:{}", type.format ? static_cast<int>(*type.format) : -1, fmt::join(type.dims, "x"));
}

}  // namespace

std::shared_ptr<const SparsePattern> ChoiceCache::pattern(const LiteralPtr& index, const LiteralPtr& weights,
                                                          std::int64_t cols) {
    const std::size_t hash = hash_of(*index);
    const std::lock_guard lock(mutex_);
    const auto [first, last] = patterns_.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (it->second.cols == cols && same(it->second.index, index) && same(it->second.weights, weights))
            return it->second.pattern;
    auto made = std::make_shared<const SparsePattern>(make_pattern(*index, weights.get(), cols));
    patterns_.emplace(hash, Known{index, weights, cols, made});
    return made;
}

std::int64_t ChoiceCache::number(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(text, static_cast<std::int64_t>(numbers_.size())).first->second;
}

std::string choice_key(const Graph& graph, const Node& node, const OpBudget& budget, const SparsePattern* pattern) {
    std::string key = fmt::format("{} {} {}x{} {} {} {}", node.op, type_text(node.type), budget.rows, budget.cols,
                                  budget.chip->l1_bytes - budget.chip->l1_reserved, static_cast<int>(budget.fidelity),
                                  static_cast<const void*>(pattern));
    for (const auto& [name, attr] : node.attrs) {
        key += " " + name + "=";
        std::visit(
            [&](const auto& value) {
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::int64_t>>)
                    key += fmt::format("{}", fmt::join(value, ","));
                else
                    key += fmt::format("{}", value);
            },
            attr);
    }
    for (const Edge& edge : node.inputs) {
        const Node& from = graph.nodes[edge.value];
        key += fmt::format(" {}{}", from.is_constant() ? "c" : from.is_input() ? "i" : "o", type_text(from.type));
        for (const Tm& tm : edge.tms)
            key += fmt::format(",{}:{}:{}:{}:{}", static_cast<int>(tm.kind), tm.n, tm.rt, tm.ct, tm.value);
    }
    return key;
}

}  // namespace tt::ir
