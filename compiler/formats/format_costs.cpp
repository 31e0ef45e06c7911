#include "compiler/formats/format_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/backend/redundant_fidelity_phases.hpp"
#include "compiler/host/host_rounding.hpp"
#include "kernels/formats/numerics.hpp"

namespace ttsim::impl::ir {

namespace {

/// `cost` with the step from one level to another; a step may be downward, a cost is not below 0.
WayCost stepped(WayCost cost, const WayCost& from, const WayCost& to) {
    return {std::max(0.0, cost.cycles + to.cycles - from.cycles), std::max(0.0, cost.noise + to.noise - from.noise)};
}

/// The level that measures this way of multiplying; level 2 and 3 differ in the result alone.
std::size_t level_of(std::size_t multiply) { return multiply <= 2 ? multiply : multiply + 1; }
constexpr std::size_t wide_level = 2, narrow_level = 3;

/// The ways of a unit that the table knows.
struct Known {
    OpWay way;
    WayCost cost;
};
std::vector<Known> ways_of(const FormatUnit& unit, std::size_t number, const CostTable& table) {
    std::vector<Known> ways;
    for (const bool narrow : {false, true})
        for (std::size_t multiply = 0; multiply < multiplying.size(); ++multiply) {
            if (narrow && !unit.may_be_narrow()) continue;
            if (const auto cost = table.of(number, {narrow, multiply})) ways.push_back({{narrow, multiply}, *cost});
        }
    return ways;
}

/// The best way at a price of noise; of ways that cost the same the more accurate one.
const Known& best(const std::vector<Known>& ways, double price) {
    const Known* found = &ways.front();
    const auto total = [&](const Known& k) { return k.cost.cycles + price * k.cost.noise; };
    for (const Known& way : ways)
        if (total(way) < total(*found) || (total(way) == total(*found) && way.cost.noise < found->cost.noise))
            found = &way;
    return *found;
}

}  // namespace

std::optional<WayCost> CostTable::of(std::size_t unit, OpWay way) const {
    const std::size_t level = level_of(way.multiply);
    const auto at = [&](std::size_t n) -> std::optional<WayCost> {
        return measured_.at(n) ? std::optional(measured_.at(n)->at(unit)) : std::nullopt;
    };
    if (way.narrow && way.multiply == levels.at(narrow_level).multiply) return at(narrow_level);
    const auto measured = at(level);
    if (!measured || levels.at(level).narrow == way.narrow) return measured;
    const auto wide = at(wide_level), narrow = at(narrow_level);
    if (!wide || !narrow) return std::nullopt;
    return way.narrow ? stepped(*measured, *wide, *narrow) : stepped(*measured, *narrow, *wide);
}

double noise_of(const CostTable& table, const std::vector<double>& weights, const std::vector<OpWay>& ways) {
    double sum = 0;
    for (std::size_t u = 0; u < ways.size(); ++u)
        if (const auto cost = table.of(u, ways[u])) sum += weights[u] * cost->noise;
    return sum;
}

std::vector<OpWay> cheapest(const std::vector<FormatUnit>& units, const CostTable& table,
                            const std::vector<double>& weights, double most) {
    std::vector<std::vector<Known>> ways;
    for (std::size_t u = 0; u < units.size(); ++u) ways.push_back(ways_of(units[u], u, table));
    const auto at_price = [&](double price) {
        std::vector<OpWay> chosen;
        for (std::size_t u = 0; u < units.size(); ++u) chosen.push_back(best(ways[u], price * weights[u]).way);
        return chosen;
    };
    if (noise_of(table, weights, at_price(0)) <= most) return at_price(0);
    double low = -60, high = 120;  // powers of two
    constexpr int steps = 60;
    for (int k = 0; k < steps; ++k) {
        const double middle = (low + high) / 2;
        (noise_of(table, weights, at_price(std::exp2(middle))) <= most ? high : low) = middle;
    }
    return at_price(std::exp2(high));
}

double rounding_noise(const Literal& constant, DataFormat df, Fidelity fidelity, std::size_t operand) {
    OpConfig op;
    op.type = "matmul";
    op.in_df = {df, df};
    op.fidelity = fidelity;
    const std::int64_t cols = constant.dims().back();
    constexpr std::int64_t most = std::int64_t{1} << 18;  // elements that are looked at
    const std::int64_t rows = std::clamp<std::int64_t>(most / cols, 1, constant.size() / cols);
    const auto begin = constant.floats().begin();
    std::vector<float> values(begin, begin + rows * cols);
    round_for_push(df, values, {multiplied_digits(op, operand), 1});
    host_convert(df, {values.data(), rows, cols, cols});
    double lost = 0, all = 0;
    for (std::int64_t i = 0; i < rows * cols; ++i) {
        const double is = begin[i], was = values[static_cast<std::size_t>(i)] - is;
        lost += was * was;
        all += is * is;
    }
    return all > 0 ? lost / all : 0;
}

}  // namespace ttsim::impl::ir
