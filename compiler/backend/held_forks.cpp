#include "compiler/backend/held_forks.hpp"

#include <algorithm>
#include <set>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

namespace {

/// A block of a producer core.
using BlockOf = std::pair<std::int64_t, std::int64_t>;  // core, block

/// Progress of a pipe through the producer's blocks.
struct PipeProgress {
    std::vector<std::size_t> steps;  ///< block numbers
    std::size_t at = 0;
    bool done() const { return at == steps.size(); }
};

/// The blocks of all cores, numbered core by core, each with the number of pipes that still need it.
class Blocks {
public:
    Blocks(const std::vector<OutputReader>& readers, std::int64_t block_tiles) {
        for_all(readers, block_tiles, [&](std::size_t, BlockOf block) {
            cores_ = std::max(cores_, block.first + 1);
            blocks_ = std::max(blocks_, block.second + 1);
        });
        waiting_.resize(static_cast<std::size_t>(cores_ * blocks_));
        for_all(readers, block_tiles, [&](std::size_t pipe, BlockOf block) {
            pipes_.resize(std::max(pipes_.size(), pipe + 1));
            const auto number = static_cast<std::size_t>(block.first * blocks_ + block.second);
            auto& steps = pipes_[pipe].steps;
            if (steps.empty() || steps.back() != number) steps.push_back(number);
        });
        for (const PipeProgress& pipe : pipes_) {
            last_.emplace_back(waiting_.size(), never);
            for (std::size_t step = 0; step < pipe.steps.size(); ++step) last_.back()[pipe.steps[step]] = step;
            for (std::size_t block = 0; block < waiting_.size(); ++block)
                if (last_.back()[block] != never) ++waiting_[block];
        }
    }
    std::size_t pipes() const { return pipes_.size(); }
    /// Advances a pipe as far as the others allow; returns whether it advanced.
    bool advance(std::size_t number) {
        PipeProgress& pipe = pipes_[number];
        const std::size_t before = pipe.at;
        for (; !pipe.done() && may_advance(number); ++pipe.at)
            if (const std::size_t block = pipe.steps[pipe.at]; last_[number][block] == pipe.at) --waiting_[block];
        return pipe.at != before;
    }
    bool done() const {
        return std::all_of(pipes_.begin(), pipes_.end(), [](const PipeProgress& pipe) { return pipe.done(); });
    }

private:
    static constexpr std::size_t never = ~std::size_t{0};

    template <class Use>
    static void for_all(const std::vector<OutputReader>& readers, std::int64_t block_tiles, const Use& use) {
        std::size_t pipe = 0;
        for (const OutputReader& reader : readers)
            for (const TileOrder& order : reader.orders) {
                for (const TileSpan& span : order) {
                    if (span.source == TileSpan::padding) continue;
                    for (std::int64_t b = span.first / block_tiles; b <= (span.first + span.tiles - 1) / block_tiles;
                         ++b)
                        use(pipe, {span.source, b});
                }
                ++pipe;
            }
    }
    /// Whether all other pipes have read the core's previous block.
    bool may_advance(std::size_t number) const {
        const PipeProgress& pipe = pipes_[number];
        const std::size_t next = pipe.steps[pipe.at];
        if (next % static_cast<std::size_t>(blocks_) == 0) return true;
        const std::size_t last = last_[number][next - 1];
        const bool own = last != never && pipe.at <= last;
        return waiting_[next - 1] == (own ? 1U : 0U);
    }

    std::int64_t cores_ = 0, blocks_ = 0;
    std::vector<PipeProgress> pipes_;
    std::vector<std::vector<std::size_t>> last_;  // by pipe: the last step that reads each block
    std::vector<std::size_t> waiting_;            // by block: pipes that have not read it
};

}  // namespace

std::vector<OutputReader> direct_readers(const Op& producer, const std::vector<DirectReader>& readers) {
    std::vector<OutputReader> found;
    for (const auto& [to, k] : readers)
        found.push_back({to->name(), tile_orders(to->cfg, k, to->tms[k], producer.cfg.out), 1, false});
    return found;
}

bool has_circular_wait(const Op& producer, const std::vector<OutputReader>& readers) {
    const std::int64_t tiles = std::max<std::int64_t>(1, producer.buf_size_mb / 2) * producer.cfg.out.mblock_tiles();
    if (producer.buf_size_mb / 2 >= producer.cfg.out.t) return false;
    std::size_t pipes = 0;
    for (const OutputReader& reader : readers) pipes += reader.orders.size();
    if (pipes < 2) return false;
    Blocks blocks(readers, tiles);
    for (bool advanced = true; advanced;) {
        advanced = false;
        for (std::size_t pipe = 0; pipe < blocks.pipes(); ++pipe) advanced = blocks.advance(pipe) || advanced;
    }
    return !blocks.done();
}

bool forks_in_blocks(const Op& producer, const std::vector<DirectReader>& readers, std::int64_t microbatch) {
    return readers.size() > 1 && output_streaming(producer, microbatch, direct_readers(producer, readers)).scatter();
}

std::vector<HeldFork> held_forks(const Choices& choices, const std::map<std::size_t, double>& waiting,
                                 std::int64_t microbatch, const Schedule& schedule) {
    std::vector<HeldFork> held;
    std::map<std::size_t, bool> in_blocks;  // by producer
    for (const auto& [e, slices] : waiting) {
        if (slices < 1) continue;  // the block in transit hides less than one slice
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
            build.set_phase(node.phase);
            build.set_kind(node.kind);
            inputs[k].value =
                build.add_edges(op::buda::nop, {{inputs[k].value, {}}}, {}, graph.type(node.inputs[k].value).format);
        }
        moved.push_back(build.copy(node, std::move(inputs)));
    }
    for (const Output& out : graph.outputs) result.outputs.push_back({out.name, moved[out.value], out.type});
    return result;
}

}  // namespace ttsim::impl::ir
