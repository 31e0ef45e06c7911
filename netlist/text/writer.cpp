#include "netlist/text/writer.hpp"

#include "netlist/text/writer_parts.hpp"

namespace ttsim::impl {

using namespace writing;

namespace {

std::string pair(std::int64_t a, std::int64_t b) { return fmt::format("[{}, {}]", a, b); }

std::string chips(const std::vector<std::int64_t>& ids) {
    return ids.size() == 1 ? std::to_string(ids.front()) : list(ids);
}

std::string tm_list(const std::vector<Tm>& tms) {
    std::string text;
    for (const Tm& tm : tms) {
        std::string one = tm.kind == Tm::Kind::Pad
                              ? fmt::format("pad: [{}, {}, {}]", tm.rt, tm.ct, number(static_cast<double>(tm.value)))
                              : to_string(tm);
        if (tm.kind != Tm::Kind::Transpose) one = "{" + one + "}";
        text += (text.empty() ? "" : ", ") + one;
    }
    return "[" + text + "]";
}

void add_blocking(FlowMap& map, const Blocking& b, TileDim tile) {
    map.add("grid_size", pair(b.grid_r, b.grid_c));
    map.add("t", b.t);
    map.add("mblock", pair(b.mblock_m, b.mblock_n));
    map.add("ublock", pair(b.ublock_rt, b.ublock_ct));
    map.add("ublock_order", b.order == UblockOrder::Row ? "r" : "c");
    if (tile != TileDim{}) map.add("tile_dim", pair(tile.h, tile.w));
}

std::string queue_text(const Queue& queue) {
    FlowMap map;
    map.add("input", yaml_scalar(queue.input));
    if (!queue.input_tms.tms.empty()) map.add("input_tms", tm_list(queue.input_tms.tms));
    map.add("type", queue.type == QueueType::Queue ? "queue" : "ram");
    map.add("entries", queue.entries);
    add_blocking(map, queue.blocking, queue.tile);
    map.add("df", std::string(to_string(queue.df)));
    map.add("target_device", chips(queue.target_devices));
    if (queue.layout == QueueLayout::Flat) map.add("layout", "flat");
    if (!queue.alias.empty()) map.add("alias", yaml_scalar(queue.alias));
    if (!queue.read_ports.empty()) map.add("read_ports", list(queue.read_ports));
    if (!queue.write_ports.empty()) map.add("write_ports", list(queue.write_ports));
    const char* where = queue.where == QueueLoc::Dram ? "dram" : "host";
    map.add("loc", where);
    std::string buffers;
    for (const BufferAddress& at : queue.buffers)
        buffers += (buffers.empty() ? "" : ", ") + fmt::format("[{}, {:#x}]", at.channel, at.address);
    map.add(where, "[" + buffers + "]");
    return map.text();
}

void add_operand_tms(FlowMap& map, const OperandTms& tms, std::size_t k) {
    if (!tms.tms.empty()) map.add(fmt::format("input_{}_tms", k), tm_list(tms.tms));
    if (tms.unpad_rt != 0 || tms.unpad_ct != 0)
        map.add(fmt::format("input_{}_unpad", k), fmt::format("{{rt: {}, ct: {}}}", tms.unpad_rt, tms.unpad_ct));
    if (tms.pad_rt != 0 || tms.pad_ct != 0 || tms.pad_value < 0 || tms.pad_value > 0)
        map.add(fmt::format("input_{}_pad", k), fmt::format("{{rt: {}, ct: {}, pad_value: {}}}", tms.pad_rt, tms.pad_ct,
                                                            number(static_cast<double>(tms.pad_value))));
}

std::string op_text(const Op& op) {
    FlowMap map;
    const OpConfig& cfg = op.cfg;
    map.add("type", yaml_scalar(cfg.type));
    if (op.has_grid_loc) map.add("grid_loc", pair(op.grid_loc_r, op.grid_loc_c));
    if (op.grid_transpose) map.add("grid_transpose", "true");
    add_blocking(map, cfg.out, cfg.tile);
    map.add("inputs", list(op.inputs));
    std::string formats;
    for (const DataFormat df : cfg.in_df) formats += (formats.empty() ? "" : ", ") + std::string(to_string(df));
    map.add("in_df", "[" + formats + "]");
    map.add("acc_df", std::string(to_string(cfg.acc_df)));
    map.add("out_df", std::string(to_string(cfg.out_df)));
    map.add("intermed_df", std::string(to_string(cfg.intermed_df)));
    map.add("math_fidelity", std::string(to_string(cfg.fidelity)));
    map.add("buf_size_mb", op.buf_size_mb);
    map.add("untilize_output", cfg.untilize ? "true" : "false");
    if (cfg.gradient) map.add("gradient_op", "true");
    for (std::size_t k = 0; k < op.tms.size(); ++k) add_operand_tms(map, op.tms[k], k);
    if (!op.input_buf_min_size_tiles.empty()) map.add("input_buf_min_size_tiles", list(op.input_buf_min_size_tiles));
    if (!op.input_dram_io_buf_size_tiles.empty())
        map.add("input_dram_io_buf_size_tiles", list(op.input_dram_io_buf_size_tiles));
    if (op.overlay_size != 0) map.add("overlay_size", op.overlay_size);
    std::string forks;
    for (const auto& [queue, reader] : op.forked_dram_inputs)
        forks += (forks.empty() ? "" : ", ") + fmt::format("{{{}: {}}}", yaml_scalar(queue), yaml_scalar(reader));
    if (!forks.empty()) map.add("forked_dram_inputs", "[" + forks + "]");
    const FlowMap attr = attributes(cfg.attr, cfg.type);
    if (!attr.empty()) map.add("attributes", attr.text());
    return map.text();
}

std::string value(const Operand& operand) {
    return operand.variable.empty() ? std::to_string(operand.literal) : yaml_scalar(operand.variable);
}

std::string setting_text(const QueueSetting& s) {
    FlowMap map;
    const auto boolean = [&](const char* key, const std::optional<Operand>& v) {
        if (v) map.add(key, v->variable.empty() ? (v->literal != 0 ? "true" : "false") : yaml_scalar(v->variable));
    };
    const auto pointer = [&](const char* key, const std::optional<Operand>& v) {
        if (v) map.add(key, value(*v));
    };
    boolean("prologue", s.prologue);
    boolean("epilogue", s.epilogue);
    boolean("zero", s.zero);
    boolean("read_only", s.read_only);
    pointer("rd_ptr_local", s.rd_ptr_local);
    pointer("rd_ptr_global", s.rd_ptr_global);
    pointer("wr_ptr_global", s.wr_ptr_global);
    pointer("rd_ptr_autoinc", s.rd_ptr_autoinc);
    pointer("global_rdptr_autoinc", s.global_rdptr_autoinc);
    pointer("global_wrptr_autoinc", s.global_wrptr_autoinc);
    return map.text();
}

std::string variables(const Instruction& i) {
    FlowMap map;
    for (const auto& [name, initial] : i.variables) map.add(yaml_scalar(name), value(initial));
    return map.text();
}

std::string instruction_text(const Instruction& i) {
    using Kind = Instruction::Kind;
    switch (i.kind) {
        case Kind::Param: {
            std::vector<std::string> names;
            for (const auto& [name, initial] : i.variables) names.push_back(name);
            return "param: " + list(names);
        }
        case Kind::Var:
            return "var: " + variables(i);
        case Kind::StaticVar:
            return "staticvar: " + variables(i);
        case Kind::VarInst: {
            std::string operands;
            for (const Operand& operand : i.operands) operands += ", " + value(operand);
            return "varinst: [" + yaml_scalar(i.out) + ", " + i.op + operands + "]";
        }
        case Kind::Loop:
            return "loop: " + value(i.operands.front());
        case Kind::EndLoop:
            return "endloop";
        case Kind::Execute: {
            FlowMap settings, map;
            for (const QueueSetting& s : i.settings) settings.add(yaml_scalar(s.queue), setting_text(s));
            map.add("graph_name", yaml_scalar(i.graph));
            if (!settings.empty()) map.add("queue_settings", settings.text());
            return "execute: " + map.text();
        }
        case Kind::Allocate:
            return "allocate_queue: " + list(i.queues);
        case Kind::Deallocate:
            return "deallocate_queue: " + list(i.queues);
        case Kind::EndProgram:
            return "endprogram";
    }
    return "";
}

std::string operand_name(const FusedOperand& operand) {
    switch (operand.kind) {
        case FusedOperand::Kind::Input:
            return fmt::format("input{}", operand.index);
        case FusedOperand::Kind::Intermed:
            return fmt::format("intermed{}", operand.index);
        case FusedOperand::Kind::Dest:
            return "dest";
        case FusedOperand::Kind::Output:
            return "output";
    }
    return "";
}

std::string operand_names(const std::vector<FusedOperand>& operands) {
    std::vector<std::string> names;
    for (const FusedOperand& operand : operands) names.push_back(operand_name(operand));
    return list(names);
}

std::string fused_tms(const std::vector<FusedTm>& tms) {
    std::string text;
    for (const FusedTm& tm : tms) {
        const bool row = tm.kind == FusedTm::Kind::BroadcastR || tm.kind == FusedTm::Kind::TileBroadcastR;
        const bool tile = tm.kind == FusedTm::Kind::TileBroadcastR || tm.kind == FusedTm::Kind::TileBroadcastC;
        const char* dim = row ? "r" : "c";
        text += (text.empty() ? "" : ", ") + (tile ? fmt::format("{{tile_broadcast: {}}}", dim)
                                                   : fmt::format("{{broadcast: {{{}: {}}}}}", dim, tm.factor));
    }
    return "[" + text + "]";
}

std::string sub_op_text(const FusedSubOp& sub) {
    FlowMap map;
    map.add("type", yaml_scalar(sub.type));
    map.add("inputs", operand_names(sub.inputs));
    for (std::size_t k = 0; k < sub.input_tms.size(); ++k)
        if (!sub.input_tms[k].empty()) map.add(fmt::format("input_{}_tms", k), fused_tms(sub.input_tms[k]));
    map.add("mblock", pair(sub.mblock_m, sub.mblock_n));
    map.add("ublock", pair(sub.ublock_rt, sub.ublock_ct));
    // zero_point is a separate field here, not an attribute
    OpAttributes attr = sub.attributes;
    if (attr.zero_point < 0 || attr.zero_point > 0) map.add("zero_point", number(attr.zero_point));
    attr.zero_point = 0;
    const FlowMap rest = attributes(attr, sub.type);
    if (!rest.empty()) map.add("attributes", rest.text());
    if (!sub.pop.empty()) map.add("pop", operand_names(sub.pop));
    if (!sub.pop_last.empty()) map.add("pop_last", operand_names(sub.pop_last));
    map.add("output", operand_name(sub.output));
    return map.text();
}

std::string fused_text(const FusedDefinition& fused) {
    std::string text =
        fmt::format("  {}:\n    inputs: {}\n    intermediates: {}\n    schedules:", yaml_scalar(fused.id), fused.inputs,
                    fused.intermediates);
    text += fused.schedules.empty() ? " []\n" : "\n";
    for (const auto& schedule : fused.schedules) {
        std::string subs;
        for (const FusedSubOp& sub : schedule)
            subs +=
                (subs.empty() ? "" : ",\n         ") + ("{" + yaml_scalar(sub.name) + ": " + sub_op_text(sub) + "}");
        text += "      - [" + subs + "]\n";
    }
    return text;
}

}  // namespace

std::string write_netlist(const Netlist& netlist) {
    std::string text = "devices: {arch: " + list(netlist.archs) + "}\n";
    text += netlist.queues.empty() ? "queues: {}\n" : "queues:\n";
    for (const Queue& queue : netlist.queues) text += "  " + yaml_scalar(queue.name) + ": " + queue_text(queue) + "\n";
    text += netlist.graphs.empty() ? "graphs: {}\n" : "graphs:\n";
    for (const Graph& graph : netlist.graphs) {
        text += fmt::format("  {}:\n    target_device: {}\n    input_count: {}\n", yaml_scalar(graph.name),
                            chips(graph.target_devices), graph.input_count);
        for (const Op& op : graph.ops) text += "    " + yaml_scalar(op.cfg.name) + ": " + op_text(op) + "\n";
    }
    text += netlist.programs.empty() ? "programs: []\n" : "programs:\n";
    for (const Program& program : netlist.programs) {
        text += "  - " + yaml_scalar(program.name) + (program.instructions.empty() ? ": []\n" : ":\n");
        for (const Instruction& i : program.instructions) text += "      - " + instruction_text(i) + "\n";
    }
    if (!netlist.fused_ops.empty()) text += "fused_ops:\n";
    for (const auto& fused : netlist.fused_ops) text += fused_text(*fused);
    return text + test_config(netlist.test) + performance_check(netlist.performance);
}

}  // namespace ttsim::impl
