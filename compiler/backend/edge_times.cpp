#include "compiler/backend/edge_times.hpp"

#include <algorithm>

namespace ttsim::impl::ir {

const EdgeTimes::Time& EdgeTimes::of(std::size_t op, std::size_t k, std::size_t i, std::size_t j) {
    const std::size_t edge = choices_.into[op][k], readers = costs_.candidates(op);
    std::vector<Time>& known = known_[edge];
    if (known.empty()) known.resize(costs_.candidates(choices_.edges[edge].producer) * readers);
    Time& time = known[i * readers + j];
    if (time.pace < 0) time = count(edge, i, j);
    return time;
}

EdgeTimes::Time EdgeTimes::count(std::size_t edge, std::size_t i, std::size_t j) const {
    const std::size_t producer = choices_.edges[edge].producer;
    constexpr std::int64_t double_buffer = 2;
    const OutputStreamingCost over = costs_.output_streaming_cost(producer, i, double_buffer, {{edge, j}});
    if (!over.in_blocks) return {over.cycles, 0, 0};
    const double slices = static_cast<double>(choices_.ops[producer].op.cfg.out.t);
    return {over.cycles, over.begun, over.cycles / std::max(1.0, slices / over.block)};
}

}  // namespace ttsim::impl::ir
