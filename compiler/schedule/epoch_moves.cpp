#include "compiler/schedule/epoch_moves.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace ttsim::impl::ir {

namespace {

/// Places by falling value.
std::vector<std::size_t> ranked(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    return order;
}

/// A place among the first, each half as likely as the one before.
std::size_t early(std::size_t count, std::mt19937& random) {
    std::size_t at = 0;
    while (at + 1 < count && random() % 2 == 0) ++at;
    return at;
}

}  // namespace

const Candidate& EpochMoves::candidate(const EpochWish& at, std::size_t k) const {
    return choices_.ops[at.first + k].choice.fitting[at.wanted[k]];
}

std::int64_t EpochMoves::cores(const EpochWish& at) const {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < at.wanted.size(); ++k) sum += candidate(at, k).blocking.cores();
    return sum;
}

std::vector<double> EpochMoves::measured_by_estimated(const EpochWish& at, const RanEpoch& ran) const {
    std::vector<double> scale;
    for (std::size_t k = 0; k < at.wanted.size(); ++k) {
        const double estimated = candidate(at, k).cycles * static_cast<double>(budget_.microbatch);
        const double factor = estimated > 0 ? ran.busy[k] / estimated : 1;
        scale.push_back(std::clamp(factor, 0.25, 4.0));  // what waits is not slow by itself
    }
    return scale;
}

/// Grids of fewer cores for the ops that stay quickest with them, until all fit.
void EpochMoves::make_room(EpochWish& at, const std::vector<double>& scale, std::size_t kept) const {
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

EpochWish EpochMoves::quicker_op(EpochWish at, const RanEpoch& ran, std::mt19937& random) const {
    const std::vector<std::size_t> order = ranked(ran.busy);
    const std::size_t k = order[early(order.size(), random)];
    const auto& fitting = choices_.ops[at.first + k].choice.fitting;
    std::vector<std::size_t> quicker;  // fewest cores first
    for (std::size_t i = 0; i < fitting.size(); ++i)
        if (fitting[i].cycles < candidate(at, k).cycles) quicker.push_back(i);
    if (quicker.empty()) return at;
    const std::vector<double> scale = measured_by_estimated(at, ran);
    at.wanted[k] = quicker[early(quicker.size(), random)];
    make_room(at, scale, k);
    return at;
}

EpochWish EpochMoves::other_shape(EpochWish at, const RanEpoch& ran, std::mt19937& random) const {
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

/// Which an op's time by the run, in place of the estimate, asks for.
EpochWish EpochMoves::by_measured_times(EpochWish at, const RanEpoch& ran, std::mt19937& random) const {
    return run_of(at.first, at.end, measured_by_estimated(at, ran), random);
}

EpochWish EpochMoves::run_of(std::size_t first, std::size_t end, const std::vector<double>& scale,
                             std::mt19937& random) const {
    constexpr std::array packings{1.0, 0.95, 0.9, 0.8, 0.65, 0.5};
    constexpr std::array stretches{1.0, 1.05, 1.1, 1.25};
    EpochWish wish{first, end, 0, {}, random() % 3 == 0 ? std::vector<double>{} : scale};
    wish.target = least_target(choices_, budget_, wish, packings[early(packings.size(), random)]) *
                  stretches[early(stretches.size(), random)];
    return wish;
}

std::optional<EpochWish> EpochMoves::grids(const EpochWish& at, const RanEpoch& ran, std::mt19937& random) const {
    constexpr int tries = 8;
    for (int n = 0; n < tries; ++n) {
        const auto kind = random() % 5;
        EpochWish moved = kind < 2   ? quicker_op(at, ran, random)
                          : kind < 4 ? other_shape(at, ran, random)
                                     : by_measured_times(at, ran, random);
        if (moved.wanted.empty() || !pool_.knows(moved)) return moved;
    }
    return std::nullopt;
}

std::optional<std::vector<EpochWish>> EpochMoves::cuts(const EpochWish& a, const RanEpoch& ran_a, const EpochWish& b,
                                                       const RanEpoch& ran_b, std::mt19937& random) const {
    if (choices_.ops[b.first].begins()) return std::nullopt;
    std::vector<double> scale = measured_by_estimated(a, ran_a);
    for (const double factor : measured_by_estimated(b, ran_b)) scale.push_back(factor);
    const auto part = [&](std::size_t first, std::size_t end) {
        const auto at = [&](std::size_t op) { return scale.begin() + static_cast<std::ptrdiff_t>(op - a.first); };
        return run_of(first, end, {at(first), at(end)}, random);
    };
    if (random() % 4 == 0) return std::vector{part(a.first, b.end)};
    const std::size_t by = 1 + early(6, random);
    const bool later = random() % 2 == 0;
    const std::size_t middle = later ? b.first + by : b.first - std::min(by, b.first);
    if (middle <= a.first || middle >= b.end) return std::nullopt;
    return std::vector{part(a.first, middle), part(middle, b.end)};
}

std::optional<std::vector<EpochWish>> EpochMoves::halves(const EpochWish& at, const RanEpoch& ran,
                                                         std::mt19937& random) const {
    if (at.end - at.first < 2) return std::nullopt;
    const std::vector<double> scale = measured_by_estimated(at, ran);
    const std::size_t middle = at.first + 1 + random() % (at.end - at.first - 1);
    const auto split = scale.begin() + static_cast<std::ptrdiff_t>(middle - at.first);
    return std::vector{run_of(at.first, middle, {scale.begin(), split}, random),
                       run_of(middle, at.end, {split, scale.end()}, random)};
}

}  // namespace ttsim::impl::ir
