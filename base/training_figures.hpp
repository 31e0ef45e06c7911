// Figures of a training step and its epoch types. docs/figures.md documents them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ttsim::impl {

enum class EpochType : std::uint8_t { Forward, Backward, Optimizer };
inline constexpr std::array epoch_types{EpochType::Forward, EpochType::Backward, EpochType::Optimizer};
std::string_view to_string(EpochType type);  ///< "forward", "backward", "optimizer"

/// Sums over the launches of epochs of a type.
struct EpochTypeUse {
    std::int64_t epochs = 0;
    std::uint64_t cycles = 0;
    std::uint64_t math_cycles = 0;  ///< in which FPU or SFPU of a core are busy, over all cores
    std::uint64_t core_cycles = 0;  ///< cores of the ops x cycles
    std::uint64_t chip_cycles = 0;  ///< cores of the chips in use x cycles

    void add(const EpochTypeUse& more);
    double math_utilization() const;  ///< of the cores in use
    double utilization() const;       ///< of all cores of the chips in use
};

/// A run of a netlist that trains.
struct TrainingUse {
    std::array<EpochTypeUse, epoch_types.size()> types;  ///< by EpochType
    std::int64_t saved_bytes = 0;                        ///< of the queues between forward and backward epochs

    EpochTypeUse& of(EpochType type) { return types.at(static_cast<std::size_t>(type)); }
    const EpochTypeUse& of(EpochType type) const { return types.at(static_cast<std::size_t>(type)); }
    EpochTypeUse step() const;                ///< of all types
    double step_share(EpochType type) const;  ///< of the step's cycles
};

}  // namespace ttsim::impl
