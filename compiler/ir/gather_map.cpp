#include "compiler/ir/gather_map.hpp"

#include <limits>

#include "base/error.hpp"

namespace ttsim::impl::ir {

/// The second entry of a run sets its steps. An entry that continues no run begins one.
void GatherMap::begin(std::int64_t at, std::int64_t row) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    TT_CHECK(at >= 0 && at < most && row >= 0 && row < most, "no place {} for row {}", at, row);
    TT_CHECK(runs_.empty() || at > runs_.back().last(), "place {} comes too late", at);
    const auto place = static_cast<std::int32_t>(at), from = static_cast<std::int32_t>(row);
    if (!runs_.empty() && runs_.back().count == 1) {
        Run& run = runs_.back();
        run.count = 2;
        run.at_step = place - run.at;
        run.row_step = from - run.row;
    } else {
        runs_.push_back({place, from});
    }
}

void GatherMap::append(const Run& run, std::int64_t places, std::int64_t rows) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (std::int64_t k = 0; k < run.count; ++k) {
        const std::int64_t at = places + run.at + k * run.at_step, row = rows + run.row + k * run.row_step;
        append(at, row);
        Run& last = runs_.back();
        // its steps are those of the run after three elements at most: the rest continues it
        if (last.count < 2 || last.at_step != run.at_step || last.row_step != run.row_step) continue;
        const std::int64_t left = run.count - 1 - k;
        TT_CHECK(at + left * run.at_step < most && row + left * run.row_step < most, "no place for {} elements", left);
        last.count += static_cast<std::int32_t>(left);
        return;
    }
}

/// Not inline: Literal::at() calls it and must stay small enough to be inlined.
std::int64_t GatherMap::at(std::int64_t place) const {
    std::int64_t found = -1;
    each(place, place + 1, [&](std::int64_t, std::int64_t row) { found = row; });
    return found;
}

}  // namespace ttsim::impl::ir
