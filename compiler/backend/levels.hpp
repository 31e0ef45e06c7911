// Candidates and cores of all ops at each level of a scale (a target, or the price of a core). Higher levels need fewer
// cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ttsim::impl::ir {

class Levels {
public:
    /// Adds the next level: the candidate of each op, and its cores.
    void add(std::vector<std::size_t> chosen, const std::vector<std::int64_t>& cores) {
        std::vector<std::int64_t> sums{0};
        sums.reserve(cores.size() + 1);
        for (const std::int64_t n : cores) sums.push_back(sums.back() + n);
        sums_.push_back(std::move(sums));
        chosen_.push_back(std::move(chosen));
    }
    std::size_t size() const { return chosen_.size(); }
    const std::vector<std::size_t>& chosen(std::size_t level) const { return chosen_[level]; }
    std::int64_t cores(std::size_t level, std::size_t first, std::size_t end) const {
        return sums_[level][end] - sums_[level][first];
    }
    /// The first level from `from` on at which ops first .. end - 1 need at most this many cores; size() if there is
    /// none.
    std::size_t least(std::size_t first, std::size_t end, std::int64_t cores, std::size_t from = 0) const {
        std::size_t end_level = size();
        while (from < end_level) {
            const std::size_t middle = from + (end_level - from) / 2;
            if (this->cores(middle, first, end) > cores)
                from = middle + 1;
            else
                end_level = middle;
        }
        return from;
    }
    /// The same by linear search, for answers close to `from`.
    std::size_t next(std::size_t first, std::size_t end, std::int64_t most, std::size_t from) const {
        while (from < size() && cores(from, first, end) > most) ++from;
        return from;
    }

private:
    std::vector<std::vector<std::int64_t>> sums_;   // per level: prefix sums of cores
    std::vector<std::vector<std::size_t>> chosen_;  // per level: of all ops
};

}  // namespace ttsim::impl::ir
