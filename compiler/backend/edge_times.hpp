// Times of output streaming between two ops, for the candidates of both.
#pragma once

#include <vector>

#include "compiler/backend/edge_limits.hpp"

namespace ttsim::impl::ir {

/// Cache of one search; not thread-safe.
class EdgeTimes {
public:
    EdgeTimes(const Choices& choices, const EdgeCosts& costs)
        : choices_(choices), costs_(costs), known_(choices.edges.size()) {}

    struct Time {
        double pace = -1;  ///< clocks per input
        double first = 0,
               last = 0;  ///< clocks from the end of packing a block until the reader has its first and its last tile
    };
    /// For candidate i of the producer of edge k into the op, and j of the op, as if it were the only reader.
    const Time& of(std::size_t op, std::size_t k, std::size_t i, std::size_t j);

private:
    Time count(std::size_t edge, std::size_t i, std::size_t j) const;
    const Choices& choices_;
    const EdgeCosts& costs_;
    std::vector<std::vector<Time>> known_;  // per edge, by both candidates
};

}  // namespace ttsim::impl::ir
