#include "compiler/backend/choices.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error_codes.hpp"
#include "base/phase_times.hpp"
#include "compiler/backend/choice_cache.hpp"
#include "compiler/backend/estimate.hpp"
#include "compiler/backend/slices.hpp"
#include "compiler/backend/training_chips.hpp"
#include "compiler/ir/device_parts.hpp"
#include "compiler/ir/legalization_error.hpp"
#include "compiler/ir/training.hpp"

namespace ttsim::impl::ir {

namespace {

std::shared_ptr<const SparsePattern> pattern_of(const Graph& graph, const Node& node, const OpBudget& budget) {
    if (node.op != op::buda::sparse) return nullptr;
    const auto literal = [&](std::size_t k) { return graph.nodes[node.inputs[k].value].literal; };
    const Dims& dims = graph.type(node.inputs[0].value).dims;
    TileShape x{dims[0], dims[1], dims[2]};
    for (const Tm& tm : node.inputs[0].tms) x = shape_after(x, tm);
    const LiteralPtr weights = node.inputs.size() > 2 ? literal(2) : nullptr;
    if (budget.cache) return budget.cache->pattern(literal(1), weights, x.rt);
    return std::make_shared<SparsePattern>(make_pattern(*literal(1), weights.get(), x.rt));
}

/// The limit that an op exceeds, and the excess.
std::string limit(const Choice& choice) {
    if (choice.least_bytes == 0)
        return "the numbers of its sparse encoding do not fit their 16 bits with any block size";
    return fmt::format("it needs at least {} B of L1 per core, {} B are there, {} B too much", choice.least_bytes,
                       choice.usable_bytes, choice.least_bytes - choice.usable_bytes);
}

Origin origin_of(const Graph& graph, const Node& node, const OperandSource& source) {
    if (source.kind != OperandSource::Kind::Input) return Origin::Constant;
    const Node& from = graph.nodes[node.inputs[source.input].value];
    const bool held = from.is_constant() || (from.is_parameter() && node.phase != Phase::Optimizer);
    return held ? Origin::Constant : from.is_input() ? Origin::Input : Origin::Op;
}

std::vector<Origin> origins_of(const Graph& graph, const Node& node) {
    std::vector<Origin> origins;
    for (const OperandSource& source : operands_of(node)) origins.push_back(origin_of(graph, node, source));
    return origins;
}

/// Whether the op would fit on a grid with operands and result in 8-bit block floats.
bool fits_in_8_bits(const Graph& graph, const Node& node, const OpChoices& item, const OpBudget& budget) {
    Op op = item.op;
    const auto narrow = [](DataFormat& df) {
        if (df != DataFormat::RawUInt32 && !is_block_float(df))
            df = info(df).family == FormatFamily::A ? DataFormat::Bfp8 : DataFormat::Bfp8_b;
    };
    narrow(op.cfg.out_df);
    for (DataFormat& df : op.cfg.in_df) narrow(df);
    return !choose_blocking(op, origins_of(graph, node), budget, item.pattern.get(), item.user).fitting.empty();
}

std::string advice(const Graph& graph, const Node& node, const OpChoices& item, const OpBudget& budget,
                   const ScheduleOptions& options) {
    std::vector<std::string> hints;
    const auto prime = [](std::int64_t n, std::int64_t most) {
        for (std::int64_t d = 2; d <= most; ++d)
            if (n % d == 0) return false;
        return n > most;
    };
    if (item.user &&
        (item.user->size || item.user->u_kt || !item.user->input_buffers.empty() || !item.user->input_blocks.empty()))
        hints.push_back("drop the override of its size, u_kt or input buffers");
    if (!options.t_streaming) hints.push_back("enable t-streaming (leave out --no-t-streaming)");
    if (!is_block_float(item.op.cfg.out_df) && fits_in_8_bits(graph, node, item, budget))
        hints.push_back(fmt::format("lower the precision of '{}' (a format rule, or --default-df Bfp8_b)", node.name));
    if (prime(node.type.dims[1], budget.rows) || prime(node.type.dims[2], budget.cols))
        hints.push_back(fmt::format("change a size of its tensor: {}x{} tiles have no divisor that a grid could use",
                                    node.type.dims[1], node.type.dims[2]));
    for (const Output& output : graph.outputs)  // a core adds to its part of the sum in L1
        if (node.has(attr::gradient) && output.value == item.node && output.name.starts_with(gradient_prefix)) {
            const std::string parameter = output.name.substr(gradient_prefix.size());
            hints.push_back(
                fmt::format("do not train '{}', whose summed gradient it holds (--freeze {})", parameter, parameter));
        }
    if (hints.empty()) hints.push_back("split the tensor");
    return "what would help: " + fmt::format("{}", fmt::join(hints, "; or "));
}

Choice choice_of(const Graph& graph, const OpChoices& item, const OpBudget& budget) {
    const Node& node = graph.nodes[item.node];
    const auto choose = [&] {
        return choose_blocking(item.op, origins_of(graph, node), budget, item.pattern.get(), item.user);
    };
    if (!budget.cache || item.user) return choose();
    return budget.cache->choices.get(choice_key(graph, node, budget, item.pattern.get()), choose);
}

std::vector<OpChoices> choices_of(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options,
                                  Diagnostics& problems) {
    std::vector<OpChoices> all;
    std::vector<std::size_t> outputs(graph.nodes.size(), 0);
    for (const Output& output : graph.outputs) ++outputs[output.value];
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (!node.op.on_device()) continue;
        const auto pattern = pattern_of(graph, node, budget);
        const auto user = options.overrides.find(node.name);
        OpChoices item{id,
                       make_op(graph, node, budget, pattern.get()),
                       {},
                       pattern,
                       user == options.overrides.end() ? nullptr : &user->second,
                       outputs[id]};
        item.first_share = first_share(item.op.cfg, pattern != nullptr);
        item.choice = choice_of(graph, item, budget);
        if (item.choice.fitting.empty())
            problems.add(make_problem(
                Fault::Unsupported,
                {node.loc, error_code::no_fitting_grid, {node.name}, advice(graph, node, item, budget, options)},
                fmt::format("op '{}' ({}, {} tiles, of '{}') fits on no grid up to {}x{}: {}", node.name,
                            item.op.cfg.type, to_string(node.type), node.origin, budget.rows, budget.cols,
                            limit(item.choice))));
        all.push_back(std::move(item));
    }
    return all;
}

/// Origins of ops that fit on no grid.
std::vector<std::string> refused(const std::vector<OpChoices>& ops, const Graph& graph) {
    std::vector<std::string> origins;
    for (const OpChoices& op : ops)
        if (op.choice.fitting.empty()) origins.push_back(graph.nodes[op.node].origin);
    return origins;
}

/// Each device part is a program, so its ops are contiguous and have their own epochs.
void begin_parts(std::vector<OpChoices>& ops, const Graph& graph, std::int64_t microbatch,
                 std::int64_t training_chips) {
    const std::vector<std::int64_t> parts = device_parts(graph);
    for (OpChoices& op : ops) {
        op.part = parts[op.node];
        op.inputs = graph.nodes[op.node].phase == Phase::Optimizer ? 1 : microbatch;
    }
    std::stable_sort(ops.begin(), ops.end(), [](const auto& a, const auto& b) { return a.part < b.part; });
    if (training_chips > 1) assign_training_chips(ops, graph, training_chips);
    for (std::size_t i = 1; i < ops.size(); ++i) {
        ops[i].first_of_part = ops[i].part != ops[i - 1].part;
        ops[i].other_chip = ops[i].chip() != ops[i - 1].chip();
    }
}

/// The optimizer reads a parameter's old value after the op that replaces it, in the difference that compensated
/// updates keep. A later epoch would read the new value.
void keep_updates_together(std::vector<OpChoices>& ops, const Graph& graph) {
    std::map<std::string, std::size_t> last_reader;  // of a state, by index in `ops`
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const Node& node = graph.nodes[ops[i].node];
        if (node.phase != Phase::Optimizer) continue;
        for (const Edge& input : node.inputs)
            if (const Node& from = graph.nodes[input.value]; from.is_input() && from.has(attr::state))
                last_reader[from.get(attr::state)] = i;
    }
    std::map<ValueId, std::size_t> index;
    for (std::size_t i = 0; i < ops.size(); ++i) index[ops[i].node] = i;
    for (const Output& output : graph.outputs) {
        const auto reader = last_reader.find(output.name);
        const auto writer = index.find(output.value);
        if (reader == last_reader.end() || writer == index.end()) continue;
        if (graph.nodes[output.value].phase != Phase::Optimizer) continue;
        for (std::size_t i = writer->second + 1; i <= reader->second; ++i) ops[i].with_previous = !ops[i].begins();
    }
}

/// Computes Choices::like. Layers repeat, and policies search best grids at hundreds of targets.
std::vector<std::size_t> ops_alike(const std::vector<OpChoices>& ops) {
    using Key = std::vector<std::tuple<std::int64_t, std::int64_t, double, double>>;
    std::map<Key, std::size_t> known;
    std::vector<std::size_t> like;
    for (const OpChoices& op : ops) {
        Key key;
        for (const Candidate& c : op.choice.fitting)
            key.emplace_back(c.blocking.grid_r, c.blocking.grid_c, c.cycles, c.dram_bytes);
        like.push_back(known.emplace(std::move(key), like.size()).first->second);
    }
    return like;
}

}  // namespace

std::size_t Choices::divide(std::size_t first, std::size_t end, std::size_t op) const {
    const auto may = [&](std::size_t at) { return at > first && at < end && !ops[at].with_previous; };
    for (std::size_t by = 0; by < end - first; ++by) {
        if (op >= by && may(op - by)) return op - by;
        if (may(op + by)) return op + by;
    }
    return op;
}

Choices list_choices(const Graph& graph, const OpBudget& budget, const ScheduleOptions& options) {
    const TimedPhase timed("list candidates");
    Choices all;
    all.graph = &graph;
    Diagnostics problems;
    all.ops = choices_of(graph, budget, options, problems);
    try {
        problems.throw_if_any();
    } catch (const Error& error) {
        if (error.fault() != Fault::Unsupported) throw;
        throw LegalizationError::on_any_grid(error, refused(all.ops, graph));
    }
    begin_parts(all.ops, graph, budget.microbatch, options.training_chips);
    keep_updates_together(all.ops, graph);
    all.like = ops_alike(all.ops);
    std::map<ValueId, std::size_t> index;
    for (std::size_t i = 0; i < all.ops.size(); ++i) index[all.ops[i].node] = i;
    all.into.resize(all.ops.size());
    all.from.resize(all.ops.size());
    for (std::size_t i = 0; i < all.ops.size(); ++i) {
        const Node& node = graph.nodes[all.ops[i].node];
        const auto operands = operands_of(node);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].kind != OperandSource::Kind::Input) continue;
            const Edge& edge = node.inputs[operands[k].input];
            const auto producer = index.find(edge.value);
            if (producer == index.end()) continue;
            // a sparse product reads strips in order of arrival
            const std::int64_t window =
                all.ops[i].pattern ? 1 : slice_window(graph.type(edge.value).dims[0], edge.tms, node.get(attr::z));
            all.into[i].push_back(all.edges.size());
            all.from[producer->second].push_back(all.edges.size());
            all.edges.push_back({producer->second, i});
            all.details.push_back({k, window});
        }
    }
    all.times = OpTimes(all);
    return all;
}

std::vector<OpWithoutGrid> ops_without_grid(const Graph& graph, const OpBudget& budget,
                                            const ScheduleOptions& options) {
    const TimedPhase timed("list candidates");
    Diagnostics problems;
    std::vector<OpWithoutGrid> ops;
    for (const OpChoices& op : choices_of(graph, budget, options, problems))
        if (op.choice.fitting.empty()) ops.push_back({op.node, op.choice.least_bytes, op.choice.usable_bytes});
    return ops;
}

}  // namespace ttsim::impl::ir
