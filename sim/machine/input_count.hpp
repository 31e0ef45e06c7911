// A count over all inputs of an epoch that also holds the input and the place in it, without divisions.
#pragma once

#include <cstdint>

#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

class InputCount {
public:
    explicit InputCount(std::int64_t per_input = 0) : per_input_(per_input) {}
    std::int64_t total() const { return total_; }
    std::int64_t input() const { return input_; }
    std::int64_t place() const { return place_; }  ///< below `per_input`
    void add(std::int64_t n) {
        total_ += n;
        place_ += n;
        for (; place_ >= per_input_; ++input_) place_ -= per_input_;
    }
    void set(std::int64_t total) {
        total_ = total;
        input_ = per_input_ > 0 ? total / per_input_ : 0;
        place_ = total - input_ * per_input_;
    }
    void walk(StateWalk& walk, const StateWalk::Scope& scope) {
        std::int64_t total = total_;
        walk.count(total, per_input_, scope);
        if (total != total_) set(total);
    }
    /// As StateWalk::count_below().
    void walk_below(StateWalk& walk, const StateWalk::Scope& scope, std::int64_t end) {
        if (walk.limiting()) walk.keep_below(total_, scope.moved * per_input_, end);
        this->walk(walk, scope);
    }

private:
    std::int64_t total_ = 0, input_ = 0, place_ = 0, per_input_;
};

}  // namespace ttsim::impl::sim
