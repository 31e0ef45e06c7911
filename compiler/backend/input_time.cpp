#include "compiler/backend/input_time.hpp"

#include <algorithm>

#include "compiler/backend/choices.hpp"
#include "compiler/backend/edge_times.hpp"

namespace ttsim::impl::ir {

OpTimes::OpTimes(const Choices& choices) {
    first_producer_.push_back(0);
    for (std::size_t op = 0; op < choices.ops.size(); ++op) {
        for (const std::size_t e : choices.into[op])
            producers_.push_back(static_cast<std::uint32_t>(choices.edges[e].producer));
        first_producer_.push_back(producers_.size());
        first_time_.push_back(times_.size());
        const OpChoices& item = choices.ops[op];
        for (const Candidate& c : item.choice.fitting) {
            // with a single input, operands needed complete are transferred while they are produced
            const double alone = std::max({c.kernel_cycles, c.dram_cycles, c.pipe_cycles});
            times_.push_back({alone, alone * item.first_share, c.resident_cycles});
        }
    }
}

void InputTime::add(const OpTimes& times, std::span<const std::size_t> chosen, std::size_t from, EdgeTimes* edges) {
    const std::size_t op = end();
    const OpTimes::Time& own = times.of(op, chosen[op - from]);
    Span begin{own.resident, own.resident};
    const std::span<const std::uint32_t> producers = times.producers(op);
    for (std::size_t k = 0; k < producers.size(); ++k) {
        const std::uint32_t producer = producers[k];
        if (producer < first_) continue;
        EdgeTime edge;
        if (edges) edge = edges->of(op, k, chosen[producer - from], chosen[op - from]);
        pace_ = std::max(pace_, edge.pace);
        begin.first = std::max(begin.first, made_[producer - first_].first + edge.first);
        begin.last = std::max(begin.last, made_[producer - first_].last + edge.last);
    }
    make(own, begin);
}

void InputTime::add(std::span<const std::uint32_t> producers, const OpTimes::Time& own) {
    Span begin{own.resident, own.resident};
    for (const std::uint32_t producer : producers) {
        if (producer < first_) continue;
        const Span& read = made_[producer - first_];
        begin = {std::max(begin.first, read.first), std::max(begin.last, read.last)};
    }
    make(own, begin);
}

double latency_of(const OpTimes& times, std::size_t first, std::span<const std::size_t> chosen, EdgeTimes* edges) {
    InputTime time;
    time.begin(first);
    while (time.end() < first + chosen.size()) time.add(times, chosen, first, edges);
    return time.clocks();
}

}  // namespace ttsim::impl::ir
