// The netlist part of a page: ops with placement, queues with addresses.
#include "analysis/page/page_parts.hpp"
#include "netlist/checks/instances.hpp"
#include "netlist/program/training_step.hpp"

namespace ttsim::impl::report {

namespace {

Json blocking_json(const Blocking& b) {
    return {{"grid", {b.grid_r, b.grid_c}},
            {"t", b.t},
            {"mblock", {b.mblock_m, b.mblock_n}},
            {"ublock", {b.ublock_rt, b.ublock_ct}},
            {"order", b.order == UblockOrder::Row ? "r" : "c"}};
}

std::string tms_text(const OperandTms& tms) {
    std::string text;
    const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
    if (tms.unpad_rt != 0 || tms.unpad_ct != 0) add(fmt::format("unpad: {}, {}", tms.unpad_rt, tms.unpad_ct));
    for (const Tm& tm : tms.tms) add(to_string(tm));
    if (tms.pad_rt != 0 || tms.pad_ct != 0) add(fmt::format("pad: {}, {}", tms.pad_rt, tms.pad_ct));
    return text;
}

Json op_entry(const Op& op, const Graph& graph) {
    const OpConfig& cfg = op.cfg;
    Json json{{"name", op.name()}, {"type", cfg.type}, {"graph", graph.name}, {"chip", graph.device()}};
    json.update(blocking_json(cfg.out));
    if (op.has_grid_loc) json["at"] = {op.grid_loc_r, op.grid_loc_c};
    if (op.grid_transpose) json["transposed"] = true;
    Json inputs = Json::array();
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
        Json input{{"from", op.inputs[k]}};
        const std::string tms = k < op.tms.size() ? tms_text(op.tms[k]) : "";
        if (!tms.empty()) input["tms"] = tms;
        if (k < cfg.in_df.size()) input["df"] = to_string(cfg.in_df[k]);
        inputs.push_back(std::move(input));
    }
    json["inputs"] = std::move(inputs);
    json["df"] = to_string(cfg.out_df);
    json["intermed_df"] = to_string(cfg.intermed_df);
    json["acc_df"] = to_string(cfg.acc_df);
    json["fidelity"] = to_string(cfg.fidelity);
    if (cfg.attr.m_k > 0) json["m_k"] = cfg.attr.m_k;
    if (cfg.attr.u_kt > 0) json["u_kt"] = cfg.attr.u_kt;
    json["line"] = cfg.loc.line;
    return json;
}

Json queue_entry(const Queue& queue) {
    Json json{{"name", queue.name},
              {"input", queue.input},
              {"type", queue.type == QueueType::Queue ? "queue" : "ram"},
              {"entries", queue.entries},
              {"chip", queue.device()},
              {"place", queue.where == QueueLoc::Dram ? "dram" : "host"},
              {"df", to_string(queue.df)}};
    json.update(blocking_json(queue.blocking));
    Json buffers = Json::array();
    for (const BufferAddress& at : queue.buffers) buffers.push_back({at.channel, at.address});
    json["buffers"] = std::move(buffers);
    // an alias of another ram has no memory of its own
    json["buffer_bytes"] = queue.alias.empty() ? queue_buffer_bytes(queue) : 0;
    if (!queue.alias.empty()) json["alias"] = queue.alias;
    json["line"] = queue.loc.line;
    return json;
}

}  // namespace

Json page_ops(const Netlist& netlist) {
    const TrainingStep training = training_step(netlist);
    Json ops = Json::array();
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops) {
            ops.push_back(op_entry(op, graph));
            if (training.any()) ops.back()["epoch_type"] = to_string(training.types.at(graph.name));
        }
    return ops;
}

Json page_queues(const Netlist& netlist) {
    Json queues = Json::array();
    for (const Queue& queue : netlist.queues) queues.push_back(queue_entry(queue));
    return queues;
}

Json page_counts(const Netlist& netlist) {
    std::size_t ops = 0;
    std::int64_t dram_bytes = 0;
    for (const Graph& graph : netlist.graphs) ops += graph.ops.size();
    for (const Queue& queue : netlist.queues)
        if (queue.where == QueueLoc::Dram && queue.alias.empty())
            dram_bytes += std::ssize(queue.buffers) * queue_buffer_bytes(queue);
    return {{"graphs", netlist.graphs.size()},
            {"ops", ops},
            {"queues", netlist.queues.size()},
            {"dram_queue_bytes", dram_bytes}};
}

}  // namespace ttsim::impl::report
