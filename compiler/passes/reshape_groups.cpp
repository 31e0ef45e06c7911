#include "compiler/passes/reshape_groups.hpp"

#include <algorithm>
#include <numeric>

namespace ttsim::impl::ir {

std::vector<AxisGroup> groups_of(const Dims& a, const Dims& b) {
    std::vector<AxisGroup> groups;
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        AxisGroup g{i, i, j, j};
        if (i < a.size() && j < b.size() && a[i] == 1 && b[j] == 1) {  // axes of size 1 form their own group
            groups.push_back({i, i + 1, j, j + 1});
            ++i;
            ++j;
            continue;
        }
        std::int64_t left = 1, right = 1;
        do {
            if (left <= right && i < a.size())
                left *= a[i++];
            else if (j < b.size())
                right *= b[j++];
            else
                left *= a[i++];
        } while (left != right);
        g.a1 = i;
        g.b1 = j;
        groups.push_back(g);
    }
    return groups;
}

std::optional<Swapped> reshape_first(const Dims& dims, const std::vector<std::int64_t>& perm, const Dims& to) {
    if (count(dims) == 0) return std::nullopt;
    Dims moved;
    for (const std::int64_t axis : perm) moved.push_back(dims[static_cast<std::size_t>(axis)]);
    const auto groups = groups_of(moved, to);
    // first axis of each group before the transpose; axes of size 1 may be anywhere
    const auto rank = static_cast<std::int64_t>(dims.size());
    std::vector<std::int64_t> begin;
    for (const AxisGroup& g : groups) {
        std::int64_t first = rank, last = -1;
        if (g.a1 > g.a0) first = perm[g.a0];
        for (std::size_t i = g.a0; i < g.a1; ++i) {
            if (moved[i] == 1) continue;
            for (std::int64_t between = last + 1; last >= 0 && between < perm[i]; ++between)
                if (dims[static_cast<std::size_t>(between)] != 1) return std::nullopt;
            if (perm[i] < last) return std::nullopt;
            if (last < 0) first = perm[i];
            last = perm[i];
        }
        begin.push_back(first);
    }
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t p, std::size_t q) { return begin[p] < begin[q]; });
    Swapped result;
    result.perm.resize(to.size());
    for (const std::size_t g : order)
        for (std::size_t j = groups[g].b0; j < groups[g].b1; ++j) {
            result.perm[j] = static_cast<std::int64_t>(result.dims.size());
            result.dims.push_back(to[j]);
        }
    return result;
}

namespace {

/// For each position of an axis that is split into `parts` and merged again in `order`: its source position.
std::vector<std::int64_t> sources(const Dims& parts, const std::vector<std::size_t>& order) {
    const Dims steps = strides(parts);
    std::vector<std::int64_t> from(static_cast<std::size_t>(count(parts)));
    for (std::size_t i = 0; i < from.size(); ++i) {
        auto rest = static_cast<std::int64_t>(i);
        for (auto part = order.rbegin(); part != order.rend(); ++part) {
            from[i] += rest % parts[*part] * steps[*part];
            rest /= parts[*part];
        }
    }
    return from;
}

}  // namespace

std::optional<Shuffled> shuffle_of(const Dims& from, const Dims& parts, const std::vector<std::int64_t>& perm,
                                   const Dims& to) {
    if (count(from) == 0) return std::nullopt;
    Dims moved;
    for (const std::int64_t axis : perm) moved.push_back(parts[static_cast<std::size_t>(axis)]);
    // merged parts must be all parts of one axis
    const auto cuts = groups_of(from, parts);
    std::vector<std::vector<std::size_t>> joins, orders(cuts.size());
    std::vector<std::size_t> cut_of(parts.size());
    for (std::size_t c = 0; c < cuts.size(); ++c)
        for (std::size_t part = cuts[c].b0; part < cuts[c].b1; ++part) cut_of[part] = c;
    bool any = false;
    for (const AxisGroup& join : groups_of(moved, to)) {
        std::vector<std::size_t> together;
        for (std::size_t i = join.a0; i < join.a1; ++i)
            if (moved[i] != 1) together.push_back(static_cast<std::size_t>(perm[i]));
        if (together.empty()) continue;
        joins.push_back(together);
        if (together.size() == 1) continue;
        const AxisGroup& cut = cuts[cut_of[together[0]]];
        std::int64_t size = 1, axis_size = 1;
        for (const std::size_t part : together) {
            if (cut_of[part] != cut_of[together[0]]) return std::nullopt;
            size *= parts[part];
        }
        for (std::size_t part = cut.b0; part < cut.b1; ++part) axis_size *= parts[part];
        if (size != axis_size) return std::nullopt;
        for (const std::size_t part : together) orders[cut_of[together[0]]].push_back(part - cut.b0);
        any = any || !std::is_sorted(together.begin(), together.end());
    }
    if (!any) return std::nullopt;
    Shuffled result;
    std::vector<std::int64_t> axis_of(parts.size());
    for (std::size_t c = 0; c < cuts.size(); ++c) {
        const Dims pieces(parts.begin() + static_cast<std::ptrdiff_t>(cuts[c].b0),
                          parts.begin() + static_cast<std::ptrdiff_t>(cuts[c].b1));
        if (!orders[c].empty()) result.dims.push_back(count(pieces));
        for (std::size_t part = cuts[c].b0; part < cuts[c].b1; ++part) {
            if (orders[c].empty()) result.dims.push_back(parts[part]);
            axis_of[part] = static_cast<std::int64_t>(result.dims.size()) - 1;
        }
        result.within.resize(result.dims.size());
        if (!std::is_sorted(orders[c].begin(), orders[c].end())) result.within.back() = sources(pieces, orders[c]);
    }
    std::vector<bool> used(result.dims.size(), false);
    for (const auto& together : joins) {
        result.perm.push_back(axis_of[together[0]]);
        used[static_cast<std::size_t>(axis_of[together[0]])] = true;
    }
    for (std::size_t a = 0; a < result.dims.size(); ++a)
        if (!used[a]) result.perm.push_back(static_cast<std::int64_t>(a));
    return result;
}

std::optional<std::vector<std::int64_t>> transpose_first(const Dims& dims, const Dims& to,
                                                         const std::vector<std::int64_t>& perm) {
    // invert: the inverse is a reshape of a transpose
    const auto inverse = [](const std::vector<std::int64_t>& order) {
        std::vector<std::int64_t> back(order.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
        return back;
    };
    Dims end;
    for (const std::int64_t axis : perm) end.push_back(to[static_cast<std::size_t>(axis)]);
    const auto back = reshape_first(end, inverse(perm), dims);
    return back ? std::optional(inverse(back->perm)) : std::nullopt;
}

}  // namespace ttsim::impl::ir
