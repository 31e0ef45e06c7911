#include "compiler/model/pad_tiles.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "compiler/schedule/ideal_time.hpp"

namespace ttsim::impl::ir {

namespace {

/// An axis that is divided among cores or into inner blocks of a product.
struct Axis {
    std::int64_t tiles, cores;
};

/// Rows and columns of its result.
std::array<Axis, 2> axes_of_result(const Type& type, const OpBudget& budget) {
    return {{{type.dims[1], budget.rows}, {type.dims[2], budget.cols}}};
}

/// The axes of the result, and for a product the inner axis: if it is prime, partial sums are reloaded for every tile.
std::vector<Axis> axes_that_cost(const OpChoices& op, const Type& type, const OpBudget& budget) {
    const auto result = axes_of_result(type, budget);
    std::vector<Axis> axes(result.begin(), result.end());
    const OpConfig& cfg = op.op.cfg;
    const std::int64_t divided = std::min(budget.rows, budget.cols);
    if (cfg.type == "matmul") axes.push_back({cfg.attr.identity ? cfg.in[1].rt : cfg.in[0].ct, divided});
    return axes;
}

std::int64_t largest_prime_factor(std::int64_t n) {
    std::int64_t largest = 1;
    for (std::int64_t p = 2; p * p <= n; ++p)
        for (; n % p == 0; n /= p) largest = p;
    return std::max(largest, n);
}

/// A padded count without large prime factors, since a core's share must be divisible into blocks and slices: of 4529 =
/// 7 * 647 tiles seven cores get 647 each, which is prime. nullopt if the tiles have no large prime factor.
std::optional<std::int64_t> well_cut(Axis axis) {
    constexpr std::int64_t many = 256, large = 32, small = 16;
    if (axis.tiles < many || largest_prime_factor(axis.tiles) <= large) return std::nullopt;
    for (std::int64_t more = axis.tiles + 1; more <= axis.tiles + axis.tiles / 8; ++more)
        if (largest_prime_factor(more) <= small &&
            tiles_per_core(more, axis.cores) <= tiles_per_core(axis.tiles, axis.cores))
            return more;
    return std::nullopt;
}

/// The tiles of an axis with a padded count that cores divide well; nullopt if padding gains little.
std::optional<std::pair<std::int64_t, std::int64_t>> well_divided(Axis axis) {
    std::int64_t more = divisible_tiles(axis.tiles, axis.cores);
    if (2 * tiles_per_core(more, axis.cores) > tiles_per_core(axis.tiles, axis.cores)) {
        const auto other = well_cut(axis);
        if (!other) return std::nullopt;
        more = *other;
    }
    return std::pair(axis.tiles, more);
}

}  // namespace

std::int64_t divisible_tiles(std::int64_t tiles, std::int64_t cores) {
    std::int64_t best = tiles;
    for (std::int64_t more = tiles + 1; more <= tiles + tiles / 8; ++more)
        if (tiles_per_core(more, cores) < tiles_per_core(best, cores)) best = more;
    return best;
}

TilePadding padding_to_fit(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                           const TilePadding& known) {
    TilePadding padding = known;
    for (const OpWithoutGrid& refused : ops_without_grid(graph, budget, options))
        for (const Axis axis : axes_of_result(graph.type(refused.op), budget))
            if (const auto counts = well_divided(axis)) padding.insert(*counts);
    return padding;
}

TilePadding profitable_padding(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                               const TilePadding& known) {
    const Choices choices = list_choices(graph, budget, options);
    std::map<std::pair<std::int64_t, std::int64_t>, double> gains;  // cycles of ops
    for (const OpChoices& op : choices.ops)
        for (const Axis axis : axes_that_cost(op, graph.type(op.node), budget))
            if (const auto counts = well_divided(axis)) gains[*counts] += min_cycles(op) / 2;
    const double ideal = lower_bound_cycles(choices, budget);
    TilePadding padding = known;
    for (const auto& [counts, gain] : gains)
        if (gain > min_gain_share * ideal) padding.insert(counts);
    return padding;
}

}  // namespace ttsim::impl::ir
