#include "compiler/formats/format_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/backend/redundant_fidelity_phases.hpp"
#include "compiler/host/host_rounding.hpp"
#include "kernels/formats/numerics.hpp"

namespace ttsim::impl::ir {

namespace {

/// `cost` plus the difference between two levels, at least 0.
SettingCost stepped(SettingCost cost, const SettingCost& from, const SettingCost& to) {
    return {std::max(0.0, cost.cycles + to.cycles - from.cycles), std::max(0.0, cost.noise + to.noise - from.noise)};
}

/// The level that measures this multiply mode; levels 2 and 3 differ only in the result format.
std::size_t level_of(std::size_t multiply) { return multiply <= 2 ? multiply : multiply + 1; }
constexpr std::size_t wide_level = 2, narrow_level = 3;

/// The settings of a unit with known costs.
struct Known {
    OpSetting setting;
    SettingCost cost;
};
std::vector<Known> known_settings(const FormatUnit& unit, std::size_t number, const CostTable& table) {
    std::vector<Known> settings;
    for (const bool narrow : {false, true})
        for (std::size_t multiply = 0; multiply < multiply_modes.size(); ++multiply) {
            if (narrow && !unit.may_be_narrow()) continue;
            if (const auto cost = table.of(number, {narrow, multiply})) settings.push_back({{narrow, multiply}, *cost});
        }
    return settings;
}

/// The best setting at a price of noise; the more accurate one of equal settings.
const Known& best(const std::vector<Known>& settings, double price) {
    const Known* found = &settings.front();
    const auto total = [&](const Known& k) { return k.cost.cycles + price * k.cost.noise; };
    for (const Known& setting : settings)
        if (total(setting) < total(*found) ||
            (total(setting) == total(*found) && setting.cost.noise < found->cost.noise))
            found = &setting;
    return *found;
}

}  // namespace

std::optional<SettingCost> CostTable::of(std::size_t unit, OpSetting setting) const {
    const std::size_t level = level_of(setting.multiply);
    const auto at = [&](std::size_t n) -> std::optional<SettingCost> {
        return measured_.at(n) ? std::optional(measured_.at(n)->at(unit)) : std::nullopt;
    };
    if (setting.narrow && setting.multiply == levels.at(narrow_level).multiply) return at(narrow_level);
    const auto measured = at(level);
    if (!measured || levels.at(level).narrow == setting.narrow) return measured;
    const auto wide = at(wide_level), narrow = at(narrow_level);
    if (!wide || !narrow) return std::nullopt;
    return setting.narrow ? stepped(*measured, *wide, *narrow) : stepped(*measured, *narrow, *wide);
}

double noise_of(const CostTable& table, const std::vector<double>& weights, const std::vector<OpSetting>& settings) {
    double sum = 0;
    for (std::size_t u = 0; u < settings.size(); ++u)
        if (const auto cost = table.of(u, settings[u])) sum += weights[u] * cost->noise;
    return sum;
}

std::vector<OpSetting> cheapest(const std::vector<FormatUnit>& units, const CostTable& table,
                                const std::vector<double>& weights, double most) {
    std::vector<std::vector<Known>> settings;
    for (std::size_t u = 0; u < units.size(); ++u) settings.push_back(known_settings(units[u], u, table));
    const auto at_price = [&](double price) {
        std::vector<OpSetting> chosen;
        for (std::size_t u = 0; u < units.size(); ++u) chosen.push_back(best(settings[u], price * weights[u]).setting);
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
    constexpr std::int64_t most = std::int64_t{1} << 18;  // limit of sampled elements
    const std::int64_t rows = std::clamp<std::int64_t>(most / cols, 1, constant.size() / cols);
    const auto begin = constant.floats().begin();
    std::vector<float> values(begin, begin + rows * cols);
    round_for_push(df, values, {visible_digits(op, operand), 1});
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
