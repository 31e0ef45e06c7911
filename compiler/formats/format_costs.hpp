// What each way costs and loses, op by op: what a search for formats chooses by.
#pragma once

#include <optional>
#include <vector>

#include "compiler/formats/format_units.hpp"

namespace ttsim::impl::ir {

/// Of one op on one level: clocks of all its cores together, and the power of its own errors over that of its result.
struct WayCost {
    double cycles = 0, noise = 0;
};

/// By unit and level; levels that were not measured are none. Ways between levels are put together of them: how an op
/// multiplies and how its result is rounded cost and lose by themselves.
class CostTable {
public:
    explicit CostTable(std::size_t units) : units_(units) {}
    void add(std::size_t level, std::vector<WayCost> costs) { measured_.at(level) = std::move(costs); }
    bool has(std::size_t level) const { return measured_.at(level).has_value(); }
    std::optional<WayCost> of(std::size_t unit, OpWay way) const;
    std::size_t units() const { return units_; }

private:
    std::size_t units_;
    std::array<std::optional<std::vector<WayCost>>, levels.size()> measured_;
};

/// The cheapest ways whose noise, each op's times its weight, is at most `most`; those of the least noise where none
/// are. Deterministic.
std::vector<OpWay> cheapest(const std::vector<FormatUnit>& units, const CostTable& table,
                            const std::vector<double>& weights, double most);

/// The sum that cheapest() bounds.
double noise_of(const CostTable& table, const std::vector<double>& weights, const std::vector<OpWay>& ways);

/// Power of what rounding takes from a constant that an op multiplies as operand k, over that of the whole.
double rounding_noise(const Literal& constant, DataFormat df, Fidelity fidelity, std::size_t operand);

}  // namespace ttsim::impl::ir
