#include "compiler/backend/placer.hpp"

#include <algorithm>
#include <numeric>

namespace ttsim::impl::ir {

namespace {

class CoreGrid {
public:
    CoreGrid(std::int64_t rows, std::int64_t cols, Scan scan)
        : rows_(rows), cols_(cols), scan_(scan), taken_(static_cast<std::size_t>(rows * cols), false) {}

    bool take_at(std::int64_t r, std::int64_t c, std::int64_t height, std::int64_t width) {
        if (r < 0 || c < 0 || r + height > rows_ || c + width > cols_ || !free(r, c, height, width)) return false;
        for (std::int64_t i = r; i < r + height; ++i)
            for (std::int64_t j = c; j < c + width; ++j) taken_[index(i, j)] = true;
        return true;
    }
    std::optional<std::pair<std::int64_t, std::int64_t>> take(std::int64_t height, std::int64_t width) {
        const std::int64_t down = rows_ - height + 1, across = cols_ - width + 1;
        if (down <= 0 || across <= 0) return std::nullopt;
        for (std::int64_t n = 0; n < down * across; ++n) {
            const std::int64_t r = scan_ == Scan::Rows ? n / across : n % down;
            const std::int64_t c = scan_ == Scan::Rows ? n % across : n / down;
            if (take_at(r, c, height, width)) return std::pair{r, c};
        }
        return std::nullopt;
    }

private:
    std::size_t index(std::int64_t r, std::int64_t c) const { return static_cast<std::size_t>(r * cols_ + c); }
    bool free(std::int64_t r, std::int64_t c, std::int64_t height, std::int64_t width) const {
        for (std::int64_t i = r; i < r + height; ++i)
            for (std::int64_t j = c; j < c + width; ++j)
                if (taken_[index(i, j)]) return false;
        return true;
    }
    std::int64_t rows_, cols_;
    Scan scan_;
    std::vector<bool> taken_;
};

std::optional<Place> place_one(CoreGrid& grid, const Rectangle& r) {
    if (r.fixed) {
        const bool turned = r.fixed->transposed;
        const bool ok =
            grid.take_at(r.fixed->row, r.fixed->col, turned ? r.width : r.height, turned ? r.height : r.width);
        return ok ? r.fixed : std::nullopt;
    }
    if (r.must_transpose) {
        const auto at = grid.take(r.width, r.height);
        return at ? std::optional(Place{.row = at->first, .col = at->second, .transposed = true}) : std::nullopt;
    }
    if (const auto at = grid.take(r.height, r.width)) return Place{.row = at->first, .col = at->second};
    if (r.may_transpose && r.height != r.width)
        if (const auto at = grid.take(r.width, r.height))
            return Place{.row = at->first, .col = at->second, .transposed = true};
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<Place>> place(const std::vector<Rectangle>& rectangles, std::int64_t rows, std::int64_t cols,
                                        Scan scan) {
    std::vector<std::size_t> order(rectangles.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const Rectangle &x = rectangles[a], &y = rectangles[b];
        if (x.fixed.has_value() != y.fixed.has_value()) return x.fixed.has_value();
        return std::pair(std::max(x.height, x.width), x.height * x.width) >
               std::pair(std::max(y.height, y.width), y.height * y.width);
    });
    CoreGrid grid(rows, cols, scan);
    std::vector<Place> places(rectangles.size());
    for (const std::size_t k : order) {
        const auto at = place_one(grid, rectangles[k]);
        if (!at) return std::nullopt;
        places[k] = *at;
    }
    return places;
}

}  // namespace ttsim::impl::ir
