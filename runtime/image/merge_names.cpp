// Joins the models of several images, with a name prefix for each.
#include <algorithm>

#include "base/error.hpp"
#include "runtime/image/merge.hpp"

namespace ttsim::impl::image {

namespace {

class PrefixedNames {
public:
    PrefixedNames(const ir::CompiledModel& model, std::string prefix, std::size_t fused_before)
        : model_(model), prefix_(std::move(prefix)), fused_(fused_before) {}

    Netlist netlist() {
        Netlist n = model_.netlist;
        for (const auto& definition : n.fused_ops) rename_fused(*definition);
        n.fused_ops = fused_definitions_;
        for (Queue& queue : n.queues) {
            rename(queue.name);
            if (queue.input != "HOST") rename(queue.input);
            if (!queue.alias.empty()) rename(queue.alias);
        }
        for (Graph& graph : n.graphs) rename(graph);
        for (Program& program : n.programs) rename(program);
        return n;
    }

    void rename(std::string& name) const { name = prefix_ + name; }
    std::string renamed(const std::string& name) const { return prefix_ + name; }

private:
    void rename_fused(const FusedDefinition& definition) {
        FusedDefinition changed = definition;
        changed.id = std::to_string(fused_++);
        for (auto& schedule : changed.schedules)
            for (FusedSubOp& sub : schedule) rename(sub.name);
        fused_ids_[definition.id] = changed.id;
        fused_definitions_.push_back(std::make_shared<const FusedDefinition>(std::move(changed)));
    }
    void rename(Graph& graph) const {
        rename(graph.name);
        for (Op& op : graph.ops) {
            rename(op.cfg.name);
            for (std::string& input : op.inputs) rename(input);
            for (auto& [queue, input] : op.forked_dram_inputs) rename(queue);
            if (const auto id = fused_ids_.find(op.cfg.attr.fused_op_id); id != fused_ids_.end())
                op.cfg.attr.fused_op_id = id->second;
            op.cfg.fused = nullptr;  // set when the netlist is resolved, by its new id
        }
    }
    void rename(Program& program) const {
        rename(program.name);
        for (Instruction& step : program.instructions) {
            if (step.kind == Instruction::Kind::Execute) rename(step.graph);
            for (QueueSetting& setting : step.settings) rename(setting.queue);
            for (std::string& queue : step.queues) rename(queue);
        }
    }

    const ir::CompiledModel& model_;
    std::string prefix_;
    std::size_t fused_;
    std::map<std::string, std::string> fused_ids_;
    std::vector<std::shared_ptr<const FusedDefinition>> fused_definitions_;
};

/// Appends the nodes and outputs of a graph to another.
void append(ir::Graph& all, const ir::Graph& graph, const PrefixedNames& names) {
    const std::size_t before = all.nodes.size();
    for (ir::Node node : graph.nodes) {
        names.rename(node.name);
        if (!node.origin.empty() || node.is_input())
            node.origin = names.renamed(node.is_input() ? ir::boundary_name(graph.nodes[all.nodes.size() - before])
                                                        : node.origin);
        for (ir::Edge& edge : node.inputs) edge.value += before;
        all.nodes.push_back(std::move(node));
    }
    for (ir::Output output : graph.outputs) {
        names.rename(output.name);
        output.value += before;
        all.outputs.push_back(std::move(output));
    }
}

void append(ir::HostSteps& all, const ir::HostSteps& steps, const PrefixedNames& names) {
    const std::size_t before = all.program.graph.nodes.size();
    append(all.program.graph, steps.program.graph, names);
    for (ir::HostProgram::BoundaryValue boundary : steps.program.to_device) {
        names.rename(boundary.name);
        boundary.value += before;
        all.program.to_device.push_back(std::move(boundary));
    }
    const auto bound = [&](std::vector<ir::BoundTensor>& to, const std::vector<ir::BoundTensor>& from) {
        for (ir::BoundTensor tensor : from) {
            names.rename(tensor.name);
            names.rename(tensor.queue);
            to.push_back(std::move(tensor));
        }
    };
    bound(all.to_device, steps.to_device);
    bound(all.from_device, steps.from_device);
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

void append(ir::CompiledModel& all, const ir::CompiledModel& model, const std::string& prefix) {
    PrefixedNames names(model, prefix, all.netlist.fused_ops.size());
    const Netlist netlist = names.netlist();
    append(all.netlist.queues, netlist.queues);
    append(all.netlist.graphs, netlist.graphs);
    append(all.netlist.programs, netlist.programs);
    append(all.netlist.fused_ops, netlist.fused_ops);
    append(all.host, model.host, names);
    for (ir::ModelProgram program : model.programs) {
        names.rename(program.name);
        all.programs.push_back(std::move(program));
    }
    for (ir::QueueConstant constant : model.constants) {
        names.rename(constant.queue);
        all.constants.push_back(std::move(constant));
    }
    for (const auto& [name, value] : model.inputs) all.inputs.emplace(names.renamed(name), value);
    if (all.reference && model.reference)
        append(*all.reference, *model.reference, names);
    else
        all.reference.reset();
}

}  // namespace

ir::CompiledModel joined(const std::vector<ir::CompiledModel>& models) {
    ir::CompiledModel all;
    const ir::CompiledModel& first = models.front();
    all.netlist.archs = first.netlist.archs;
    all.netlist.file = "merged_netlist.yaml";
    all.host.device = first.host.device;
    all.host.microbatch = first.host.microbatch;
    all.report.arch = first.report.arch;
    all.reference.emplace();
    for (std::size_t i = 0; i < models.size(); ++i) append(all, models[i], fmt::format("model_{}_", i));
    return all;
}

}  // namespace ttsim::impl::image
