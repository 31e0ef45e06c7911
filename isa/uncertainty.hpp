// Errors of times against measurements on cards, from configs/uncertainty.yaml (made by scripts/uncertainty): 80 % of
// the measured times lie within them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ttsim::impl {

/// How an operand reaches its op.
enum class Connection : std::uint8_t {
    Direct,    ///< from one core
    Gather,    ///< from several cores
    Forked,    ///< from an op with several readers
    DramRead,  ///< from a queue in DRAM, for every input
};

/// Shares, 0.05 for 5 %.
struct Uncertainty {
    std::map<std::string, double, std::less<>>
        ops;                                   ///< kernels of one op alone, by kind; reductions and sparse ones apart
    double unmeasured = 0;                     ///< kernels of other ops
    double waits = 0;                          ///< time in which an op waits for its pipes
    std::map<Connection, double> connections;  ///< pipes alone, by how their operand arrives

    /// Whether ops of this type were measured: of a type with several kinds (reduce) all of them.
    bool measured(std::string_view type) const;
    /// Of the op's kernel; of a type with several kinds the largest.
    double of_op(std::string_view type) const;
    /// Of the time of a graph whose slowest op is of `type`, busy for `busy_share` of it, with operands that arrive by
    /// `by`. While it waits, the largest error of its connections counts if it is above that of waits in general.
    double of_graph(std::string_view type, double busy_share, const std::set<Connection>& by = {}) const;
};

/// nullopt: no time of the chip was compared with a measurement.
std::optional<Uncertainty> uncertainty_of(const std::string& chip);

}  // namespace ttsim::impl
