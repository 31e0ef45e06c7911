// What it takes to load an epoch's programs: every core that runs an op reads its own, through the memory channel it is
// nearest to, and all of a channel wait for each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/backend/placer.hpp"
#include "isa/load_channel.hpp"

namespace ttsim::impl::ir {

class LoadTime {
public:
    /// For the chip's grid of so many rows and columns.
    LoadTime(const ChipParams& chip, std::int64_t rows, std::int64_t cols);
    /// Clocks with so many cores spread evenly over the channels.
    double of_cores(double cores) const;
    /// The share of one of many.
    double per_core() const;
    /// Clocks of ops at these places. `rectangles`: their extents, not yet turned.
    double of(const std::vector<Rectangle>& rectangles, const std::vector<Place>& places) const;
    std::size_t channel(std::int64_t row, std::int64_t col) const {
        return channels_[static_cast<std::size_t>(row * cols_ + col)];
    }
    std::size_t channels() const { return count_; }

private:
    std::int64_t rows_ = 0, cols_ = 0;
    std::size_t count_ = 0;              ///< of the chip's channels
    std::vector<std::size_t> channels_;  // per core
    double core_cycles_ = 0;             // of one core alone in its channel
    double used_ = 1;                    // channels that are nearest to any core
};

/// Places that spread the cores over the channels, larger ones first; nothing where they do not fit so.
std::optional<std::vector<Place>> spread_places(const std::vector<Rectangle>& rectangles, const LoadTime& load,
                                                std::int64_t rows, std::int64_t cols);

}  // namespace ttsim::impl::ir
