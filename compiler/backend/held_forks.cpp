#include "compiler/backend/held_forks.hpp"

#include <algorithm>
#include <set>

#include "compiler/ir/builder.hpp"

namespace tt::ir {

HandOver direct_hand_over(const Op& producer, const std::vector<DirectReader>& readers, std::int64_t microbatch) {
    std::vector<OutputReader> seen;
    for (const auto& [to, k] : readers)
        seen.push_back({to->name(), tile_orders(to->cfg, k, to->tms[k], producer.cfg.out), 1, false});
    return hand_over(producer, microbatch, seen);
}

bool forks_in_blocks(const Op& producer, const std::vector<DirectReader>& readers, std::int64_t microbatch) {
    return readers.size() > 1 && direct_hand_over(producer, readers, microbatch).scatter();
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
