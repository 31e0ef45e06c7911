#include "compiler/pad_tiles.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/backend/choices.hpp"

namespace tt::ir {

namespace {

/// Of the tiles one core gets.
std::int64_t share(std::int64_t tiles, std::int64_t cores) {
    std::int64_t most = 1;
    for (std::int64_t d = 2; d <= cores; ++d)
        if (tiles % d == 0) most = d;
    return tiles / most;
}

/// Tiles of an axis of an op, and as many as its cores divide well; nothing where that gains little.
std::optional<std::pair<std::int64_t, std::int64_t>> well_divided(const Type& type, std::size_t axis,
                                                                  const OpBudget& budget) {
    const std::int64_t tiles = type.dims[axis], cores = axis == 1 ? budget.rows : budget.cols;
    const std::int64_t more = divisible_tiles(tiles, cores);
    if (2 * share(more, cores) > share(tiles, cores)) return std::nullopt;
    return std::pair(tiles, more);
}

}  // namespace

std::int64_t divisible_tiles(std::int64_t tiles, std::int64_t cores) {
    std::int64_t best = tiles;
    for (std::int64_t more = tiles + 1; more <= tiles + tiles / 8; ++more)
        if (share(more, cores) < share(best, cores)) best = more;
    return best;
}

TilePadding padding_to_fit(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                           const TilePadding& known) {
    TilePadding padding = known;
    for (const ValueId op : ops_without_grid(graph, budget, options))
        for (const std::size_t axis : {std::size_t{1}, std::size_t{2}})
            if (const auto counts = well_divided(graph.type(op), axis, budget)) padding.insert(*counts);
    return padding;
}

TilePadding padding_that_may_pay(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                                 const TilePadding& known) {
    double all = 0;
    std::map<std::pair<std::int64_t, std::int64_t>, double> gains;  // cycles of ops, each on the grid it likes best
    for (const OpChoices& op : list_choices(graph, budget, options).ops) {
        double least = std::numeric_limits<double>::infinity();
        for (const Candidate& candidate : op.choice.fitting) least = std::min(least, candidate.cycles);
        all += least;
        for (const std::size_t axis : {std::size_t{1}, std::size_t{2}})
            if (const auto counts = well_divided(graph.type(op.node), axis, budget)) gains[*counts] += least / 2;
    }
    constexpr double worth_a_try = 0.1;
    TilePadding padding = known;
    for (const auto& [counts, gain] : gains)
        if (gain > worth_a_try * all) padding.insert(counts);
    return padding;
}

}  // namespace tt::ir
