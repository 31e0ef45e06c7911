#include "compiler/schedule/epoch_moves.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace ttsim::impl::ir {

namespace {

/// Indices in order of decreasing value.
std::vector<std::size_t> ranked(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    return order;
}

/// A random index below `count` with geometric distribution.
std::size_t early(std::size_t count, std::mt19937& random) {
    std::size_t at = 0;
    while (at + 1 < count && random() % 2 == 0) ++at;
    return at;
}

}  // namespace

const Candidate& EpochMoves::candidate(const EpochRequest& at, std::size_t k) const {
    return choices_.ops[at.first + k].choice.fitting[at.wanted[k]];
}

std::int64_t EpochMoves::cores(const EpochRequest& at) const {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < at.wanted.size(); ++k) sum += candidate(at, k).blocking.cores();
    return sum;
}

std::vector<double> EpochMoves::measured_by_estimated(const EpochRequest& at, const MeasuredEpoch& ran) const {
    std::vector<double> scale;
    for (std::size_t k = 0; k < at.wanted.size(); ++k) {
        const double estimated = candidate(at, k).cycles * static_cast<double>(budget_.microbatch);
        const double factor = estimated > 0 ? ran.busy[k] / estimated : 1;
        scale.push_back(std::clamp(factor, 0.25, 4.0));  // bounded, because measured times include waiting
    }
    return scale;
}

/// Reduces grids of the ops that stay fastest until all ops fit.
void EpochMoves::make_room(EpochRequest& at, const std::vector<double>& scale, std::size_t kept) const {
    for (std::int64_t over = cores(at) - budget_.rows * budget_.cols; over > 0;
         over = cores(at) - budget_.rows * budget_.cols) {
        double least = std::numeric_limits<double>::infinity();
        std::size_t op = kept, to = 0;
        for (std::size_t k = 0; k < at.wanted.size(); ++k) {
            const auto& fitting = choices_.ops[at.first + k].choice.fitting;
            for (std::size_t i = 0; i < fitting.size() && k != kept; ++i)
                if (fitting[i].blocking.cores() < candidate(at, k).blocking.cores() &&
                    fitting[i].cycles * scale[k] < least) {
                    least = fitting[i].cycles * scale[k];
                    op = k;
                    to = i;
                }
        }
        if (op == kept) return;
        at.wanted[op] = to;
    }
}

EpochRequest EpochMoves::quicker_op(EpochRequest at, const MeasuredEpoch& ran, std::mt19937& random) const {
    const std::vector<std::size_t> order = ranked(ran.busy);
    const std::size_t k = order[early(order.size(), random)];
    const auto& fitting = choices_.ops[at.first + k].choice.fitting;
    std::vector<std::size_t> is_faster;  // fewest cores first
    for (std::size_t i = 0; i < fitting.size(); ++i)
        if (fitting[i].cycles < candidate(at, k).cycles) is_faster.push_back(i);
    if (is_faster.empty()) return at;
    const std::vector<double> scale = measured_by_estimated(at, ran);
    at.wanted[k] = is_faster[early(is_faster.size(), random)];
    make_room(at, scale, k);
    return at;
}

EpochRequest EpochMoves::other_shape(EpochRequest at, const MeasuredEpoch& ran, std::mt19937& random) const {
    const std::vector<std::size_t> order = ranked(ran.busy);
    const std::vector<double> scale = measured_by_estimated(at, ran);
    const double slowest = ran.busy[order.front()] / static_cast<double>(budget_.microbatch);
    const std::size_t k = random() % 2 == 0 ? order[early(order.size(), random)] : random() % order.size();
    const auto& fitting = choices_.ops[at.first + k].choice.fitting;
    const std::int64_t most = 2 * candidate(at, k).blocking.cores();
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < fitting.size(); ++i)
        if (i != at.wanted[k] && fitting[i].blocking.cores() <= most &&
            (fitting[i].cycles * scale[k] <= slowest || fitting[i].cycles <= candidate(at, k).cycles))
            others.push_back(i);
    if (others.empty()) return at;
    at.wanted[k] = others[random() % others.size()];
    make_room(at, scale, k);
    return at;
}

/// Grids chosen by measured instead of estimated times.
EpochRequest EpochMoves::by_measured_times(EpochRequest at, const MeasuredEpoch& ran, std::mt19937& random) const {
    return request_for(at.first, at.end, measured_by_estimated(at, ran), random);
}

EpochRequest EpochMoves::request_for(std::size_t first, std::size_t end, const std::vector<double>& scale,
                                     std::mt19937& random) const {
    constexpr std::array packings{1.0, 0.95, 0.9, 0.8, 0.65, 0.5};
    constexpr std::array stretches{1.0, 1.05, 1.1, 1.25};
    EpochRequest request{first, end, 0, {}, random() % 3 == 0 ? std::vector<double>{} : scale};
    request.target = least_target(choices_, budget_, request, packings[early(packings.size(), random)]) *
                     stretches[early(stretches.size(), random)];
    return request;
}

std::optional<EpochRequest> EpochMoves::grids(const EpochRequest& at, const MeasuredEpoch& ran,
                                              std::mt19937& random) const {
    constexpr int tries = 8;
    for (int n = 0; n < tries; ++n) {
        const auto kind = random() % 5;
        EpochRequest moved = kind < 2   ? quicker_op(at, ran, random)
                             : kind < 4 ? other_shape(at, ran, random)
                                        : by_measured_times(at, ran, random);
        if (moved.wanted.empty() || !pool_.knows(moved)) return moved;
    }
    return std::nullopt;
}

std::optional<std::vector<EpochRequest>> EpochMoves::cuts(const EpochRequest& a, const MeasuredEpoch& ran_a,
                                                          const EpochRequest& b, const MeasuredEpoch& ran_b,
                                                          std::mt19937& random) const {
    if (choices_.ops[b.first].begins()) return std::nullopt;
    std::vector<double> scale = measured_by_estimated(a, ran_a);
    for (const double factor : measured_by_estimated(b, ran_b)) scale.push_back(factor);
    const auto part = [&](std::size_t first, std::size_t end) {
        const auto at = [&](std::size_t op) { return scale.begin() + static_cast<std::ptrdiff_t>(op - a.first); };
        return request_for(first, end, {at(first), at(end)}, random);
    };
    if (random() % 4 == 0) return std::vector{part(a.first, b.end)};
    const std::size_t by = 1 + early(6, random);
    const bool later = random() % 2 == 0;
    const std::size_t middle = later ? b.first + by : b.first - std::min(by, b.first);
    if (middle <= a.first || middle >= b.end || choices_.ops[middle].with_previous) return std::nullopt;
    return std::vector{part(a.first, middle), part(middle, b.end)};
}

std::optional<std::vector<EpochRequest>> EpochMoves::halves(const EpochRequest& at, const MeasuredEpoch& ran,
                                                            std::mt19937& random) const {
    if (at.end - at.first < 2) return std::nullopt;
    const std::vector<double> scale = measured_by_estimated(at, ran);
    const std::size_t middle = at.first + 1 + random() % (at.end - at.first - 1);
    if (choices_.ops[middle].with_previous) return std::nullopt;
    const auto split = scale.begin() + static_cast<std::ptrdiff_t>(middle - at.first);
    return std::vector{request_for(at.first, middle, {scale.begin(), split}, random),
                       request_for(middle, at.end, {split, scale.end()}, random)};
}

}  // namespace ttsim::impl::ir
