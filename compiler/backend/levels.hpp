// What the ops of a model take, at each level of a scale: a target that they meet, the price of a core. Each op has one
// candidate a level, and from level to level runs of ops take fewer cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ttsim::impl::ir {

class Levels {
public:
    /// The next level: the candidate of each op, and the cores that it takes.
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
    /// The first level, no less than `from`, at which ops first .. end - 1 take so many cores at most; size() when
    /// there is none.
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
    /// The same where the answer is likely to be `from` or close behind it.
    std::size_t next(std::size_t first, std::size_t end, std::int64_t most, std::size_t from) const {
        while (from < size() && cores(from, first, end) > most) ++from;
        return from;
    }

private:
    std::vector<std::vector<std::int64_t>> sums_;   // per level: cores of the ops before
    std::vector<std::vector<std::size_t>> chosen_;  // per level: of all ops
};

}  // namespace ttsim::impl::ir
