#include "compiler/backend/edge_limits.hpp"

#include <algorithm>

#include "base/yaml_map.hpp"
#include "compiler/backend/dram.hpp"
#include "compiler/backend/held_forks.hpp"
#include "isa/config_dir.hpp"
#include "netlist/output_buffer.hpp"
#include "netlist/plan/output_streaming_time.hpp"
#include "netlist/plan/stream_use.hpp"

namespace ttsim::impl::ir {

namespace {

std::int64_t& at(Costs& costs, Limit limit) { return costs[static_cast<std::size_t>(limit)]; }

/// The properties besides the candidate that stream_use(), output_streaming() and buffer sizes depend on.
std::string shape_text(const OpConfig& cfg) {
    std::string text = fmt::format("{}/{}/{}/{}/{}/{}/{}/{}", cfg.type, cfg.attr.fused_op_id, cfg.attr.identity,
                                   cfg.attr.bias, cfg.attr.accumulate, cfg.attr.z,
                                   static_cast<int>(cfg.attr.reduce_dim), static_cast<int>(cfg.out_df));
    for (std::size_t k = 0; k < cfg.in.size(); ++k)
        text += fmt::format(" {}x{}x{}.{}", cfg.in[k].z, cfg.in[k].rt, cfg.in[k].ct, static_cast<int>(cfg.in_df[k]));
    for (const SpliceInput& run : cfg.attr.splice) text += fmt::format(" {},{},{}", run.index, run.length, run.stride);
    return text;
}

std::string tm_text(const std::vector<Tm>& tms) {
    std::string text;
    for (const Tm& tm : tms)
        text += fmt::format("{}:{}:{}:{}:{},", static_cast<int>(tm.kind), tm.n, tm.rt, tm.ct, tm.value);
    return text;
}

}  // namespace

std::int64_t overlay_bytes() {
    return YamlMap::from_file(config_file("edges.yaml")).integer("blob_bytes", {1, 1 << 24});
}

Costs read_edge_limits(std::int64_t overlay_size) {
    YamlMap map = YamlMap::from_file(config_file("edges.yaml"));
    Costs limits{};
    const IntRange positive{1, 1 << 24};
    at(limits, Limit::FanOut) = map.integer("fan_out", positive);
    const std::int64_t phases = (map.integer("blob_bytes", positive) + overlay_size) /
                                map.integer("phase_bytes", positive) / map.integer("blob_shares", positive);
    at(limits, Limit::ProducerPhases) = at(limits, Limit::ConsumerPhases) = phases;
    at(limits, Limit::DramInputs) = map.integer("dram_inputs", positive);
    at(limits, Limit::DramOutputs) = map.integer("dram_outputs", positive);
    map.done();
    return limits;
}

EdgeCosts::EdgeCosts(const Choices& choices, const OpBudget& budget, ChoiceCache& cache, Costs limits)
    : choices_(choices), budget_(budget), cache_(cache), limits_(limits) {
    const std::size_t n = choices.ops.size();
    for (std::size_t op = 0; op < n; ++op) made_.push_back(std::make_unique<LazyOp[]>(candidates(op)));
    for (std::size_t op = 0; op < n; ++op) {
        kinds_.push_back(cache.number(kind_text(op)));
        std::string key = fmt::format("{}|{}", kinds_[op], choices.ops[op].outputs);
        const Node& node = choices.graph->nodes[choices.ops[op].node];
        for (const Edge& edge : node.inputs) {
            const Node& from = choices.graph->nodes[edge.value];
            const bool outside = from.is_constant() || from.is_input();
            key += outside ? fmt::format("|{}", fmt::join(from.type.dims, "x")) + tm_text(edge.tms) : "|";
        }
        own_.push_back(&cache.own.get(key, [&] {
            std::vector<Costs> own;
            for (std::size_t i = 0; i < candidates(op); ++i) own.push_back(count_own(op, i));
            return own;
        }));
    }
    for (std::size_t e = 0; e < choices.edges.size(); ++e) {
        const std::size_t producer = choices.edges[e].producer, consumer = choices.edges[e].consumer;
        const OpEdge& detail = choices.details[e];
        const std::string key = fmt::format("{}>{}>{}>{}>{}", kinds_[producer], kinds_[consumer], detail.operand,
                                            detail.window, tm_text(choices.ops[consumer].op.tms[detail.operand].tms));
        tables_.push_back(cache.edges.get(
            key, [&] { return std::make_shared<EdgeTable>(candidates(producer), candidates(consumer)); }));
        table_numbers_.push_back(cache.number(key));
    }
}

/// Key of an op and its candidates.
std::string EdgeCosts::kind_text(std::size_t op) const {
    const OpChoices& item = choices_.ops[op];
    std::string text = fmt::format("{} {} {}", shape_text(item.op.cfg), item.choice.usable_bytes,
                                   static_cast<const void*>(item.pattern.get()));
    if (item.user) text += " of the user: " + item.op.name();
    for (const Candidate& c : item.choice.fitting) {
        const Blocking& b = c.blocking;
        text += fmt::format(";{}x{}.{}x{}.{}x{}.{}.{}.{}.{}", b.grid_r, b.grid_c, b.mblock_m, b.mblock_n, b.ublock_rt,
                            b.ublock_ct, b.t, static_cast<int>(b.order), c.u_kt, c.l1_bytes);
        for (const bool resident : c.resident) text += resident ? '+' : '-';
        for (const auto& [operand, tiles] : c.broadcasts) text += fmt::format(",{}:{}", operand, tiles);
    }
    return text;
}

const Op& EdgeCosts::candidate_op(std::size_t op, std::size_t i) const {
    return made_[op][i].get([&] {
        const OpChoices& item = choices_.ops[op];
        Op made = item.op;
        if (item.user) set_buffers(*item.user, made);
        apply(item.choice.fitting[i], item.pattern.get(), *budget_.chip, made);
        return made;
    });
}

Costs EdgeCosts::cost(std::size_t edge, bool direct, std::size_t i, std::size_t j) const {
    const EdgeUse use = tables_[edge]->use(i, j, [&] { return count(edge, i, j); });
    Costs costs{};
    at(costs, Limit::ConsumerPhases) = use.consumer_phases;
    if (direct) {
        at(costs, Limit::FanOut) = use.fan_out;
        at(costs, Limit::ProducerPhases) = use.producer_phases;
        at(costs, Limit::SliceBuffer) = use.slice_bytes;
    } else {
        at(costs, Limit::DramInputs) = use.sources;
    }
    return costs;
}

EdgeUse EdgeCosts::count(std::size_t number, std::size_t i, std::size_t j) const {
    const SolverEdge& edge = choices_.edges[number];
    const OpEdge& detail = choices_.details[number];
    const Op& consumer = candidate_op(edge.consumer, j);
    const Candidate& from = choices_.ops[edge.producer].choice.fitting[i];
    const StreamUse use = stream_use(consumer.cfg, detail.operand, consumer.tms[detail.operand], from.blocking);
    EdgeUse all{static_cast<std::int32_t>(use.fan_out), static_cast<std::int32_t>(use.producer_phases),
                static_cast<std::int32_t>(use.consumer_phases), static_cast<std::int32_t>(use.sources), 0};
    if (detail.window > 1) {
        Op producer = candidate_op(edge.producer, i);
        // plus the slice in production
        producer.buf_size_mb =
            std::max(producer.buf_size_mb, whole_blocks_buffer(detail.window + 1, producer.cfg.out.t));
        const std::int64_t bytes = l1_bytes(producer, from.resident);
        all.slice_bytes = std::max<std::int64_t>(0, bytes - choices_.ops[edge.producer].choice.usable_bytes);
    }
    return all;
}

OutputStreamingCost EdgeCosts::output_streaming_cost(std::size_t op, std::size_t i, std::int64_t buffer,
                                                     const std::vector<Reader>& readers) const {
    std::vector<std::int64_t> key{kinds_[op], static_cast<std::int64_t>(i), buffer};
    for (const auto& [edge, candidate] : readers)
        key.insert(key.end(), {table_numbers_[edge], static_cast<std::int64_t>(candidate)});
    return cache_.output_streaming_costs.get(key, [&] {
        std::vector<DirectReader> seen;
        for (const auto& [edge, candidate] : readers)
            seen.push_back({&candidate_op(choices_.edges[edge].consumer, candidate), choices_.details[edge].operand});
        Op longer = candidate_op(op, i);
        longer.buf_size_mb = buffer;
        const std::vector<OutputReader> outputs = direct_readers(longer, seen);
        const OutputStreaming made = output_streaming(longer, budget_.microbatch, outputs);
        const double block =
            static_cast<double>(made.held_together) / static_cast<double>(longer.cfg.out.mblock_tiles());
        const PipeConstants& constants = pipe_constants(budget_.chip->files.noc);
        return OutputStreamingCost{made.scatter(), made.scatter() ? block : 0,
                                   output_streaming_cycles(made, longer, constants),
                                   constants.block + constants.block_fork * static_cast<double>(made.starts),
                                   made.scatter() && has_circular_wait(longer, outputs)};
    });
}

EdgeTime EdgeCosts::count_time(std::size_t edge, std::size_t i, std::size_t j) const {
    const std::size_t producer = choices_.edges[edge].producer;
    constexpr std::int64_t double_buffer = 2;
    const OutputStreamingCost over = output_streaming_cost(producer, i, double_buffer, {{edge, j}});
    if (!over.in_blocks) return {over.cycles, 0, 0};
    const double slices = static_cast<double>(choices_.ops[producer].op.cfg.out.t);
    return {over.cycles, over.begun, over.cycles / std::max(1.0, slices / over.block)};
}

std::optional<Rejection> EdgeCosts::impossible(std::size_t edge) const {
    const auto [producer, consumer] = choices_.edges[edge];
    std::optional<Rejection> nearest;
    for (std::size_t i = 0; i < candidates(producer); ++i)
        for (std::size_t j = 0; j < candidates(consumer); ++j)
            for (const bool direct : {true, false}) {
                const Costs costs = cost(edge, direct, i, j);
                std::optional<Rejection> why;
                for (std::size_t l = 0; l < limit_count && !why; ++l)
                    if (costs[l] > limits_[l]) why = Rejection{static_cast<Limit>(l), costs[l], limits_[l], edge};
                if (!why) return std::nullopt;
                if (!nearest || why->needs - why->available < nearest->needs - nearest->available) nearest = why;
            }
    return nearest;
}

/// Costs of operands that always come from queues, and of output queues.
Costs EdgeCosts::count_own(std::size_t op, std::size_t i) const {
    const OpChoices& item = choices_.ops[op];
    const Candidate& candidate = item.choice.fitting[i];
    const Node& node = choices_.graph->nodes[item.node];
    const auto operands = operands_of(node);
    const auto channels = static_cast<std::int64_t>(budget_.chip->dram.size());
    Costs costs{};
    at(costs, Limit::DramOutputs) = static_cast<std::int64_t>(item.outputs) + 1;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const Op& one = candidate_op(op, i);
        Dims tiles;
        if (operands[k].kind == OperandSource::Kind::Input) {
            const Node& from = choices_.graph->nodes[node.inputs[operands[k].input].value];
            if (!from.is_constant() && !from.is_input()) continue;
            tiles = from.type.dims;
        } else {
            tiles = {one.cfg.in[k].z, one.cfg.in[k].rt, one.cfg.in[k].ct};
        }
        if (candidate.resident[k]) continue;  // loaded before the epoch's streams start
        const StreamUse use = stream_use(one.cfg, k, one.tms[k], spread(tiles, channels));
        at(costs, Limit::ConsumerPhases) += use.consumer_phases;
        at(costs, Limit::DramInputs) += use.sources;
    }
    return costs;
}

}  // namespace ttsim::impl::ir
