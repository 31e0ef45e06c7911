#include "compiler/backend/schedule_key.hpp"

#include <fmt/format.h>

namespace ttsim::impl::ir {

namespace {

template <class Number>
void add_bytes(std::string& key, Number number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

std::string schedule_key(const Choices& choices, const OpBudget& budget) {
    std::string key = fmt::format("{} {};", budget.overlay_size, budget.use_kernel_broadcasts);
    for (const Node& node : choices.graph->nodes) {
        key += fmt::format("{} {} {} {} {}", node.name, node.op, to_string(node.type), static_cast<int>(node.phase),
                           node.origin);
        for (const auto& [name, attr] : node.attrs) key += fmt::format(" {}={}", name, to_string(attr));
        for (const Edge& edge : node.inputs) {
            key += fmt::format(" {}", edge.value);
            for (const Tm& tm : edge.tms)
                key += fmt::format(",{}:{}:{}:{}:{}", static_cast<int>(tm.kind), tm.n, tm.rt, tm.ct, tm.value);
        }
        key += ';';
    }
    for (const Output& output : choices.graph->outputs) key += fmt::format("{} {};", output.name, output.value);
    for (const OpChoices& op : choices.ops) {
        key += fmt::format("{} {};", op.node, static_cast<const void*>(op.pattern.get()));
        for (const Candidate& c : op.choice.fitting) {
            const Blocking& b = c.blocking;
            for (const std::int64_t number : {b.grid_r, b.grid_c, b.mblock_m, b.mblock_n, b.ublock_rt, b.ublock_ct, b.t,
                                              static_cast<std::int64_t>(b.order), c.u_kt, c.m_k, c.l1_bytes})
                add_bytes(key, number);
            for (const double number : {c.cycles, c.kernel_cycles, c.dram_cycles, c.pipe_cycles, c.filling_cycles,
                                        c.resident_cycles, c.dram_bytes})
                add_bytes(key, number);
            for (const bool resident : c.resident) key += resident ? '+' : '-';
            for (const auto& [operand, tiles] : c.broadcasts) key += fmt::format(",{}:{}", operand, tiles);
        }
    }
    return key;
}

std::string schedule_key(const ScheduleOptions& options) {
    std::string key =
        fmt::format(" {} {} {} {} {} {} {} {} {};", static_cast<int>(options.policy),
                    static_cast<int>(options.self_cut), options.seed, options.edges, static_cast<int>(options.aim),
                    options.paced, options.training_chips, options.column_order, options.t_streaming);
    for (const double number : {options.packing, options.stages, options.dram}) add_bytes(key, number);
    return key;
}

}  // namespace ttsim::impl::ir
