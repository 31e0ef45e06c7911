#include "compiler/backend/choice_cache.hpp"

#include <functional>

#include <string_view>
#include <type_traits>

#include <fmt/ranges.h>

namespace ttsim::impl::ir {

namespace {

/// Hash of a sample of elements or runs. An index may have millions; equal hashes are compared in full.
std::size_t hash_of(const Literal& index) {
    constexpr std::size_t most = 4096;
    std::vector<std::int64_t> some = index.dims();
    const auto each_of_some = [&](const auto& all, const auto& add) {
        for (std::size_t i = 0; i < all.size(); i += all.size() / most + 1) add(all[i]);
    };
    if (const GatherMap* gather_map = index.gather_map())
        each_of_some(gather_map->runs(), [&](const GatherMap::Run& run) {
            some.insert(some.end(), {run.at, run.row, run.count, run.at_step, run.row_step});
        });
    else
        each_of_some(index.integer_elements(), [&](std::int64_t value) { some.push_back(value); });
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(some.data()), some.size() * sizeof(some[0])});
}

bool same(const LiteralPtr& a, const LiteralPtr& b) { return a == b || (a && b && *a == *b); }

std::string type_text(const Type& type) {
    return fmt::format("{}:{}", type.format ? static_cast<int>(*type.format) : -1, fmt::join(type.dims, "x"));
}

}  // namespace

std::shared_ptr<const SparsePattern> ChoiceCache::pattern(const LiteralPtr& index, const LiteralPtr& weights,
                                                          std::int64_t cols) {
    const std::lock_guard lock(mutex_);
    Lookup& asked = lookups_[{index.get(), weights.get(), cols}];
    // a new literal may have the address of a deleted one
    if (asked.index.lock() != index || asked.weights.lock() != weights)
        asked = {index, weights, equal_pattern(index, weights, cols)};
    return asked.pattern;
}

std::shared_ptr<const SparsePattern> ChoiceCache::equal_pattern(const LiteralPtr& index, const LiteralPtr& weights,
                                                                std::int64_t cols) {
    const std::size_t hash = hash_of(*index);
    const auto [first, last] = patterns_.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (it->second.cols == cols && same(it->second.index, index) && same(it->second.weights, weights))
            return it->second.pattern;
    auto made = std::make_shared<const SparsePattern>(make_pattern(*index, weights.get(), cols));
    patterns_.emplace(hash, Known{index, weights, cols, made});
    return made;
}

SparseParts ChoiceCache::parts(const std::shared_ptr<const SparsePattern>& pattern, const OpConfig& op) {
    const Blocking& b = op.out;
    const OpAttributes& a = op.attr;
    std::string key = fmt::format("{} {}x{}.{}x{}.{}x{}.{} {}.{} {}.{}.{}.{}.{}.{}",
                                  static_cast<const void*>(pattern.get()), b.grid_r, b.grid_c, b.mblock_m, b.mblock_n,
                                  b.ublock_rt, b.ublock_ct, b.t, a.u_kt, a.m_k, a.num_index_tiles, a.num_sparse_tiles,
                                  a.num_columns, a.sparse_tile_ptr_bits, a.sparse_ublock_idx_bits, a.act_t);
    for (const TileShape& in : op.in) key += fmt::format(" {}x{}x{}", in.z, in.rt, in.ct);
    const std::lock_guard lock(mutex_);
    Parts& known = parts_[key];
    SparseParts made{known.tiles.lock(), known.encoding.lock()};
    if (known.pattern.lock() == pattern && made.tiles && made.encoding) return made;
    made = make_parts(*pattern, op);
    known = {pattern, made.tiles, made.encoding};
    return made;
}

std::int64_t ChoiceCache::number(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(text, static_cast<std::int64_t>(numbers_.size())).first->second;
}

std::string choice_key(const Graph& graph, const Node& node, const OpBudget& budget, const SparsePattern* pattern) {
    std::string key = fmt::format("{} {} {}x{} {} {} {} {}", node.op, type_text(node.type), budget.rows, budget.cols,
                                  budget.chip->l1_bytes - budget.chip->l1_reserved, static_cast<int>(budget.fidelity),
                                  static_cast<const void*>(pattern), budget.use_kernel_broadcasts);
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

}  // namespace ttsim::impl::ir
