#include "compiler/backend/edge_limits.hpp"

#include "base/yaml_map.hpp"
#include "compiler/backend/dram.hpp"
#include "isa/config_dir.hpp"
#include "netlist/output_buffer.hpp"
#include "netlist/plan/stream_use.hpp"

namespace tt::ir {

namespace {

std::int64_t& at(Costs& costs, Limit limit) { return costs[static_cast<std::size_t>(limit)]; }

/// What the figures of stream_use() depend on besides the blockings.
std::string shape_text(const OpConfig& cfg) {
    std::string text =
        fmt::format("{}/{}/{}/{}/{}/{}/{}", cfg.type, cfg.attr.fused_op_id, cfg.attr.identity, cfg.attr.bias,
                    cfg.attr.accumulate, cfg.attr.z, static_cast<int>(cfg.attr.reduce_dim));
    for (const TileShape& in : cfg.in) text += fmt::format(" {}x{}x{}", in.z, in.rt, in.ct);
    return text;
}

std::string tm_text(const std::vector<Tm>& tms) {
    std::string text;
    for (const Tm& tm : tms) text += fmt::format("{}:{}:{}:{},", static_cast<int>(tm.kind), tm.n, tm.rt, tm.ct);
    return text;
}

}  // namespace

std::int64_t overlay_bytes() { return YamlMap::from_file(config_file("edges.yaml")).whole("blob_bytes", {1, 1 << 24}); }

Costs read_edge_limits(std::int64_t overlay_size) {
    YamlMap map = YamlMap::from_file(config_file("edges.yaml"));
    Costs limits{};
    const IntRange positive{1, 1 << 24};
    at(limits, Limit::FanOut) = map.whole("fan_out", positive);
    const std::int64_t phases = (map.whole("blob_bytes", positive) + overlay_size) /
                                map.whole("phase_bytes", positive) / map.whole("blob_shares", positive);
    at(limits, Limit::ProducerPhases) = at(limits, Limit::ConsumerPhases) = phases;
    at(limits, Limit::DramInputs) = map.whole("dram_inputs", positive);
    at(limits, Limit::DramOutputs) = map.whole("dram_outputs", positive);
    map.done();
    return limits;
}

EdgeCosts::EdgeCosts(const Choices& choices, const OpBudget& budget, Costs limits)
    : choices_(choices), budget_(budget), limits_(limits) {
    const std::size_t n = choices.ops.size();
    made_.resize(n);
    own_.resize(n);
    std::vector<std::string> signatures;
    for (std::size_t op = 0; op < n; ++op) {
        made_[op].resize(candidates(op));
        signatures.push_back(signature(op));
    }
    std::map<std::string, std::size_t> same;  // ops alike: the first of them
    for (std::size_t op = 0; op < n; ++op) {
        std::string key = signatures[op] + fmt::format("|{}", choices.ops[op].outputs);
        const Node& node = choices.graph->nodes[choices.ops[op].node];
        for (const Edge& edge : node.inputs) {
            const Node& from = choices.graph->nodes[edge.value];
            const bool outside = from.is_constant() || from.is_input();
            key += outside ? fmt::format("|{}", fmt::join(from.type.dims, "x")) + tm_text(edge.tms) : "|";
        }
        const auto [first, fresh] = same.emplace(key, op);
        if (!fresh) {
            own_[op] = own_[first->second];
            continue;
        }
        for (std::size_t i = 0; i < candidates(op); ++i) own_[op].push_back(count_own(op, i));
    }
    std::map<std::string, std::shared_ptr<Table>> known;
    for (std::size_t e = 0; e < choices.edges.size(); ++e) {
        const SolverEdge& edge = choices.edges[e];
        const OpEdge& detail = choices.details[e];
        const std::string key =
            fmt::format("{}>{}>{}>{}>{}", signatures[edge.producer], signatures[edge.consumer], detail.operand,
                        detail.window, tm_text(choices.ops[edge.consumer].op.tms[detail.operand].tms));
        auto& table = known[key];
        if (!table) {
            table = std::make_shared<Table>();
            table->consumers = candidates(edge.consumer);
            table->pairs.resize(candidates(edge.producer) * candidates(edge.consumer));
        }
        tables_.push_back(table);
    }
}

std::string EdgeCosts::signature(std::size_t op) const {
    const OpChoices& item = choices_.ops[op];
    std::string text = shape_text(item.op.cfg);
    for (const Candidate& c : item.choice.fitting) {
        const Blocking& b = c.blocking;
        text += fmt::format(";{}x{}.{}x{}.{}x{}.{}.{}.{}.{}", b.grid_r, b.grid_c, b.mblock_m, b.mblock_n, b.ublock_rt,
                            b.ublock_ct, b.t, static_cast<int>(b.order), c.u_kt, c.l1_bytes);
    }
    return text;
}

const Op& EdgeCosts::made(std::size_t op, std::size_t i) const {
    std::unique_ptr<Op>& known = made_[op][i];
    if (!known) {
        const OpChoices& item = choices_.ops[op];
        known = std::make_unique<Op>(item.op);
        if (item.user) set_buffers(*item.user, *known);
        apply(item.choice.fitting[i], item.pattern.get(), *budget_.chip, *known);
    }
    return *known;
}

Costs EdgeCosts::cost(std::size_t edge, bool direct, std::size_t i, std::size_t j) const {
    Table& table = *tables_[edge];
    auto& pair = table.pairs[i * table.consumers + j];
    if (!pair) pair = count(edge, i, j);
    return (*pair)[direct ? 1 : 0];
}

std::array<Costs, 2> EdgeCosts::count(std::size_t number, std::size_t i, std::size_t j) const {
    const SolverEdge& edge = choices_.edges[number];
    const OpEdge& detail = choices_.details[number];
    const Op& consumer = made(edge.consumer, j);
    const Candidate& from = choices_.ops[edge.producer].choice.fitting[i];
    const StreamUse use = stream_use(consumer.cfg, detail.operand, consumer.tms[detail.operand], from.blocking);
    Costs direct{}, through_dram{};
    at(direct, Limit::FanOut) = use.fan_out;
    at(direct, Limit::ProducerPhases) = use.producer_phases;
    at(direct, Limit::ConsumerPhases) = at(through_dram, Limit::ConsumerPhases) = use.consumer_phases;
    at(through_dram, Limit::DramInputs) = use.sources;
    Op producer = made(edge.producer, i);
    if (detail.window > 1) {
        // one is being made
        producer.buf_size_mb =
            std::max(producer.buf_size_mb, whole_blocks_buffer(detail.window + 1, producer.cfg.out.t));
        const std::int64_t bytes = l1_bytes(producer, from.resident);
        at(direct, Limit::SliceBuffer) =
            std::max<std::int64_t>(0, bytes - choices_.ops[edge.producer].choice.usable_bytes);
    }
    return {through_dram, direct};
}

/// Operands that come from queues in any case, and the queues of outputs.
Costs EdgeCosts::count_own(std::size_t op, std::size_t i) const {
    const OpChoices& item = choices_.ops[op];
    const Candidate& candidate = item.choice.fitting[i];
    const Node& node = choices_.graph->nodes[item.node];
    const auto operands = operands_of(node);
    const auto channels = static_cast<std::int64_t>(budget_.chip->dram.size());
    Costs costs{};
    at(costs, Limit::DramOutputs) = static_cast<std::int64_t>(item.outputs) + 1;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const Op& one = made(op, i);
        Dims tiles;
        if (operands[k].kind == OperandSource::Kind::Input) {
            const Node& from = choices_.graph->nodes[node.inputs[operands[k].input].value];
            if (!from.is_constant() && !from.is_input()) continue;
            tiles = from.type.dims;
        } else {
            tiles = {one.cfg.in[k].z, one.cfg.in[k].rt, one.cfg.in[k].ct};
        }
        if (candidate.resident[k]) continue;  // brought before the epoch's streams begin
        const StreamUse use = stream_use(one.cfg, k, one.tms[k], spread(tiles, channels));
        at(costs, Limit::ConsumerPhases) += use.consumer_phases;
        at(costs, Limit::DramInputs) += use.sources;
    }
    return costs;
}

}  // namespace tt::ir
