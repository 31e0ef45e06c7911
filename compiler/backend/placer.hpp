// Places rectangles of cores for the ops of one epoch.
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
    bool may_transpose = true;    ///< may be placed transposed
    std::optional<Place> fixed;   ///< required place
    bool must_transpose = false;  ///< must be placed transposed
};

enum class Scan : std::uint8_t { Rows, Columns };

/// Places all rectangles, larger ones first, each at the first free position by rows (or columns); nullopt if they do
/// not fit.
std::optional<std::vector<Place>> place(const std::vector<Rectangle>& rectangles, std::int64_t rows, std::int64_t cols,
                                        Scan scan = Scan::Rows);

}  // namespace ttsim::impl::ir
