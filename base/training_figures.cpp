#include "base/training_figures.hpp"

#include "base/figures.hpp"

namespace ttsim::impl {

std::string_view to_string(EpochType type) {
    static constexpr std::array<std::string_view, epoch_types.size()> names{"forward", "backward", "optimizer"};
    return names.at(static_cast<std::size_t>(type));
}

void EpochTypeUse::add(const EpochTypeUse& more) {
    epochs += more.epochs;
    cycles += more.cycles;
    math_cycles += more.math_cycles;
    core_cycles += more.core_cycles;
    chip_cycles += more.chip_cycles;
}

double EpochTypeUse::math_utilization() const {
    return share_of(static_cast<double>(math_cycles), static_cast<double>(core_cycles));
}

double EpochTypeUse::utilization() const {
    return share_of(static_cast<double>(math_cycles), static_cast<double>(chip_cycles));
}

EpochTypeUse TrainingUse::step() const {
    EpochTypeUse all;
    for (const EpochTypeUse& use : types) all.add(use);
    return all;
}

double TrainingUse::step_share(EpochType type) const {
    return share_of(static_cast<double>(of(type).cycles), static_cast<double>(step().cycles));
}

}  // namespace ttsim::impl
