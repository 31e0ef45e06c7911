// Costs and noise of each format setting per op, for the search for formats.
#pragma once

#include <optional>
#include <vector>

#include "compiler/formats/format_units.hpp"

namespace ttsim::impl::ir {

/// Costs of one op at one level: core cycles, and the power of its own errors relative to its result.
struct SettingCost {
    double cycles = 0, noise = 0;
};

/// Costs by unit and level, as far as measured. Other settings are interpolated: the multiply mode and the rounding of
/// the result have independent costs and noise.
class CostTable {
public:
    explicit CostTable(std::size_t units) : units_(units) {}
    void add(std::size_t level, std::vector<SettingCost> costs) { measured_.at(level) = std::move(costs); }
    bool has(std::size_t level) const { return measured_.at(level).has_value(); }
    std::optional<SettingCost> of(std::size_t unit, OpSetting setting) const;
    std::size_t units() const { return units_; }

private:
    std::size_t units_;
    std::array<std::optional<std::vector<SettingCost>>, levels.size()> measured_;
};

/// The cheapest settings whose weighted noise is at most `most`, or those of the least noise if none are.
/// Deterministic.
std::vector<OpSetting> cheapest(const std::vector<FormatUnit>& units, const CostTable& table,
                                const std::vector<double>& weights, double most);

/// The weighted noise that cheapest() bounds.
double noise_of(const CostTable& table, const std::vector<double>& weights, const std::vector<OpSetting>& settings);

/// Power of the rounding error of a constant that is multiplied as operand `operand`, relative to the constant.
double rounding_noise(const Literal& constant, DataFormat df, Fidelity fidelity, std::size_t operand);

}  // namespace ttsim::impl::ir
