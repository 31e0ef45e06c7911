// Rectangles of cores for the ops of one epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ttsim::impl::ir {

struct Place {
    std::int64_t row = 0, col = 0;
    bool transposed = false;  ///< width and height are swapped
};

struct Rectangle {
    std::int64_t height = 1, width = 1;
    bool turnable = true;        ///< may lie transposed
    std::optional<Place> fixed;  ///< where it must lie
    bool turned = false;         ///< must lie transposed
};

enum class Scan : std::uint8_t { Rows, Columns };

/// Places for all, larger ones first, each at the first place that is free row by row (or column by column); nothing
/// when they do not fit together.
std::optional<std::vector<Place>> place(const std::vector<Rectangle>& rectangles, std::int64_t rows, std::int64_t cols,
                                        Scan scan = Scan::Rows);

}  // namespace ttsim::impl::ir
