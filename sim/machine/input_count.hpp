// A count over all inputs of an epoch that also holds the input and the place in it, without divisions.
#pragma once

#include <cstdint>

#include "sim/machine/state_walk.hpp"

namespace ttsim::impl::sim {

class InputCount {
public:
    explicit InputCount(std::int64_t per_input = 0) : per_input_(per_input) {}
    std::int64_t total() const { return input_ * per_input_ + place_; }
    std::int64_t input() const { return input_; }
    std::int64_t place() const { return place_; }  ///< below `per_input`
    void add(std::int64_t n) {
        place_ += n;
        for (; place_ >= per_input_; ++input_) place_ -= per_input_;
    }
    void set(std::int64_t total) {
        input_ = per_input_ > 0 ? total / per_input_ : 0;
        place_ = total - input_ * per_input_;
    }
    void walk(StateWalk& walk, const StateWalk::Scope& scope) {
        const std::int64_t before = total();
        std::int64_t after = before;
        walk.count(after, per_input_, scope);
        if (after != before) set(after);
    }
    /// As StateWalk::count_below().
    void walk_below(StateWalk& walk, const StateWalk::Scope& scope, std::int64_t end) {
        if (walk.limiting()) walk.keep_below(total(), scope.moved * per_input_, end);
        this->walk(walk, scope);
    }

private:
    std::int64_t input_ = 0, place_ = 0, per_input_;
};

}  // namespace ttsim::impl::sim
