#include "compiler/backend/held_forks.hpp"

#include <algorithm>
#include <set>

#include "compiler/ir/builder.hpp"

namespace tt::ir {

namespace {

/// A block of one of the producer's cores.
using BlockOf = std::pair<std::int64_t, std::int64_t>;  // core, block

/// One pipe's way through the blocks.
class Taker {
public:
    Taker(const TileOrder& order, std::int64_t block_tiles) {
        for (const TileSpan& span : order) {
            if (span.source == TileSpan::padding) continue;
            for (std::int64_t b = span.first / block_tiles; b <= (span.first + span.tiles - 1) / block_tiles; ++b) {
                if (steps_.empty() || steps_.back() != BlockOf{span.source, b}) steps_.emplace_back(span.source, b);
            }
        }
        for (std::size_t step = 0; step < steps_.size(); ++step) times_.emplace_back(steps_[step], step);
        std::sort(times_.begin(), times_.end());
    }
    bool done() const { return at_ == steps_.size(); }
    const BlockOf& next() const { return steps_[at_]; }
    void advance() { ++at_; }
    /// It has all it takes of the block.
    bool past(const BlockOf& block) const {
        const auto after = std::upper_bound(times_.begin(), times_.end(), std::pair(block, steps_.size()));
        return after == times_.begin() || std::prev(after)->first != block || at_ > std::prev(after)->second;
    }

private:
    std::vector<BlockOf> steps_;
    std::vector<std::pair<BlockOf, std::size_t>> times_;  // the steps at each block
    std::size_t at_ = 0;
};

}  // namespace

std::vector<OutputReader> direct_readers(const Op& producer, const std::vector<DirectReader>& readers) {
    std::vector<OutputReader> seen;
    for (const auto& [to, k] : readers)
        seen.push_back({to->name(), tile_orders(to->cfg, k, to->tms[k], producer.cfg.out), 1, false});
    return seen;
}

bool wait_in_a_circle(const Op& producer, const std::vector<OutputReader>& readers) {
    const std::int64_t tiles = std::max<std::int64_t>(1, producer.buf_size_mb / 2) * producer.cfg.out.mblock_tiles();
    if (producer.buf_size_mb / 2 >= producer.cfg.out.t) return false;
    std::vector<Taker> pipes;
    for (const OutputReader& reader : readers)
        for (const TileOrder& order : reader.orders) pipes.emplace_back(order, tiles);
    if (pipes.size() < 2) return false;
    const auto free = [&](const Taker& pipe) {
        const BlockOf before{pipe.next().first, pipe.next().second - 1};
        return std::all_of(pipes.begin(), pipes.end(),
                           [&](const Taker& other) { return &other == &pipe || other.past(before); });
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (Taker& pipe : pipes)
            for (; !pipe.done() && free(pipe); moved = true) pipe.advance();
    }
    return !std::all_of(pipes.begin(), pipes.end(), [](const Taker& pipe) { return pipe.done(); });
}

bool forks_in_blocks(const Op& producer, const std::vector<DirectReader>& readers, std::int64_t microbatch) {
    return readers.size() > 1 && hand_over(producer, microbatch, direct_readers(producer, readers)).scatter();
}

std::vector<HeldFork> held_forks(const Choices& choices, const std::map<std::size_t, double>& waiting,
                                 std::int64_t microbatch, const Schedule& schedule) {
    std::vector<HeldFork> held;
    std::map<std::size_t, bool> in_blocks;  // by producer
    for (const auto& [e, slices] : waiting) {
        if (slices < 1) continue;  // less than the block that is under way
        const std::size_t producer = choices.edges[e].producer, consumer = choices.edges[e].consumer;
        const auto [known, fresh] = in_blocks.try_emplace(producer, false);
        if (fresh) {
            std::vector<DirectReader> readers;
            for (const std::size_t other : choices.from[producer])
                if (waiting.contains(other))
                    readers.push_back(
                        {&schedule.ops[choices.edges[other].consumer].op, choices.details[other].operand});
            known->second = forks_in_blocks(schedule.ops[producer].op, readers, microbatch);
        }
        if (!known->second) continue;
        const ValueId node = choices.ops[consumer].node;
        const double block = static_cast<double>(std::max<std::int64_t>(1, schedule.ops[producer].op.buf_size_mb / 2));
        held.push_back({node, operands_of(choices.graph->nodes[node])[choices.details[e].operand].input,
                        (block + slices) / block});
    }
    return held;
}

Graph with_nops(const Graph& graph, const std::vector<HeldFork>& forks) {
    Graph result = graph.next();
    Builder build(result);
    std::set<std::pair<ValueId, std::size_t>> held;
    for (const HeldFork& fork : forks) held.emplace(fork.consumer, fork.input);
    std::vector<ValueId> moved;
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        std::vector<Edge> inputs = node.inputs;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            inputs[k].value = moved[inputs[k].value];
            if (!held.contains({id, k})) continue;
            build.set_origin(node.origin);
            build.set_kind(node.kind);
            inputs[k].value =
                build.add_edges("buda.nop", {{inputs[k].value, {}}}, {}, graph.type(node.inputs[k].value).format);
        }
        moved.push_back(build.copy(node, std::move(inputs)));
    }
    for (const Output& out : graph.outputs) result.outputs.push_back({out.name, moved[out.value], out.type});
    return result;
}

}  // namespace tt::ir
