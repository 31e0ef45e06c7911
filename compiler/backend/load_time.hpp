// The time to load an epoch's programs. Every core reads its program through the nearest memory channel, and the cores
// of a channel share its rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/backend/placer.hpp"
#include "isa/load_channel.hpp"

namespace ttsim::impl::ir {

class LoadTime {
public:
    /// For a grid of this size.
    LoadTime(const ChipParams& chip, std::int64_t rows, std::int64_t cols);
    /// Clocks for this many cores, evenly distributed over the channels.
    double of_cores(double cores) const;
    /// Mean clocks per core.
    double per_core() const;
    /// Clocks for ops at these places. `rectangles`: their extents before transposition.
    double of(const std::vector<Rectangle>& rectangles, const std::vector<Place>& places) const;
    std::size_t channel(std::int64_t row, std::int64_t col) const {
        return channels_[static_cast<std::size_t>(row * cols_ + col)];
    }
    std::size_t channels() const { return count_; }

private:
    std::int64_t rows_ = 0, cols_ = 0;
    std::size_t count_ = 0;              ///< of the chip's channels
    std::vector<std::size_t> channels_;  // per core
    double core_cycles_ = 0;             // clocks of a single core in its channel
    double used_ = 1;                    // channels that have cores
};

/// Places that distribute the cores over the channels, larger ops first; nullopt if they do not fit.
std::optional<std::vector<Place>> spread_places(const std::vector<Rectangle>& rectangles, const LoadTime& load,
                                                std::int64_t rows, std::int64_t cols);

}  // namespace ttsim::impl::ir
