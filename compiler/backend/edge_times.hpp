// Times of output streaming between two ops, for the candidates of both.
#pragma once

#include "compiler/backend/edge_limits.hpp"

namespace ttsim::impl::ir {

class EdgeTimes {
public:
    EdgeTimes(const Choices& choices, const EdgeCosts& costs) : choices_(choices), costs_(costs) {}

    /// For candidate i of the producer of edge k into the op, and j of the op, as if it were the only reader.
    EdgeTime of(std::size_t op, std::size_t k, std::size_t i, std::size_t j) const {
        return costs_.time(choices_.into[op][k], i, j);
    }

private:
    const Choices& choices_;
    const EdgeCosts& costs_;
};

}  // namespace ttsim::impl::ir
