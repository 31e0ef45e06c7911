#include "compiler/backend/load_time.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace ttsim::impl::ir {

namespace {

std::pair<std::int64_t, std::int64_t> extent(const Rectangle& r, bool turned) {
    return turned ? std::pair(r.width, r.height) : std::pair(r.height, r.width);
}

}  // namespace

LoadTime::LoadTime(const ChipParams& chip, std::int64_t rows, std::int64_t cols)
    : rows_(rows), cols_(cols), count_(chip.dram.size()) {
    std::vector<double> cores(count_, 0.0);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t col = 0; col < cols; ++col) {
            const NocCoord core{chip.worker_x[static_cast<std::size_t>(col)],
                                chip.worker_y[static_cast<std::size_t>(row)]};
            channels_.push_back(static_cast<std::size_t>(load_channel(chip, core)));
            cores[channels_.back()] += 1;
        }
    // epoch_load is for a chip without harvested rows
    std::vector<double> all(count_, 0.0);
    for (const int y : chip.worker_y)
        for (const int x : chip.worker_x) all[static_cast<std::size_t>(load_channel(chip, {x, y}))] += 1;
    core_cycles_ = chip.timing.epoch_load / std::max(1.0, *std::max_element(all.begin(), all.end()));
    used_ = static_cast<double>(std::count_if(cores.begin(), cores.end(), [](double n) { return n > 0; }));
}

double LoadTime::of_cores(double cores) const { return core_cycles_ * std::ceil(cores / std::max(1.0, used_)); }
double LoadTime::per_core() const { return core_cycles_ / std::max(1.0, used_); }

double LoadTime::of(const std::vector<Rectangle>& rectangles, const std::vector<Place>& places) const {
    std::vector<double> cores(count_, 0.0);
    for (std::size_t op = 0; op < places.size(); ++op) {
        const auto [height, width] = extent(rectangles[op], places[op].transposed);
        for (std::int64_t r = 0; r < height; ++r)
            for (std::int64_t c = 0; c < width; ++c) cores[channel(places[op].row + r, places[op].col + c)] += 1;
    }
    return core_cycles_ * *std::max_element(cores.begin(), cores.end());
}

std::optional<std::vector<Place>> spread_places(const std::vector<Rectangle>& rectangles, const LoadTime& load,
                                                std::int64_t rows, std::int64_t cols) {
    std::vector<std::size_t> order(rectangles.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto size = [&](std::size_t op) { return rectangles[op].height * rectangles[op].width; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(!rectangles[a].fixed, -size(a)) < std::tuple(!rectangles[b].fixed, -size(b));
    });
    std::vector<bool> taken(static_cast<std::size_t>(rows * cols), false);
    std::vector<std::int64_t> cores(load.channels(), 0);
    std::vector<Place> places(rectangles.size());
    for (const std::size_t op : order) {
        const Rectangle& r = rectangles[op];
        std::optional<std::pair<std::int64_t, Place>> best;  // cores of the fullest channel afterwards
        const auto consider = [&](const Place& place) {
            const auto [height, width] = extent(r, place.transposed);
            if (place.row + height > rows || place.col + width > cols) return;
            std::vector<std::int64_t> then = cores;
            for (std::int64_t i = 0; i < height; ++i)
                for (std::int64_t j = 0; j < width; ++j) {
                    if (taken[static_cast<std::size_t>((place.row + i) * cols + place.col + j)]) return;
                    ++then[load.channel(place.row + i, place.col + j)];
                }
            const std::int64_t fullest = *std::max_element(then.begin(), then.end());
            if (!best || fullest < best->first) best.emplace(fullest, place);
        };
        for (const bool turned : {r.must_transpose, !r.must_transpose}) {
            if (turned != r.must_transpose && (!r.may_transpose || r.height == r.width)) continue;
            if (r.fixed) {
                consider(*r.fixed);
                break;
            }
            for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t col = 0; col < cols; ++col) consider({row, col, turned});
        }
        if (!best) return std::nullopt;
        places[op] = best->second;
        const auto [height, width] = extent(r, best->second.transposed);
        for (std::int64_t i = 0; i < height; ++i)
            for (std::int64_t j = 0; j < width; ++j) {
                const std::int64_t row = best->second.row + i, col = best->second.col + j;
                taken[static_cast<std::size_t>(row * cols + col)] = true;
                ++cores[load.channel(row, col)];
            }
    }
    return places;
}

}  // namespace ttsim::impl::ir
