#include "netlist/netlist.hpp"

#include <ttsim/netlist.hpp>

#include "api/library/internal.hpp"
#include "base/error_codes.hpp"
#include "base/text.hpp"
#include "isa/data_format.hpp"
#include "netlist/checks/validate.hpp"
#include "netlist/text/reader.hpp"

namespace ttsim {

namespace {

bool read_by_graph(const impl::Netlist& netlist, const std::string& queue) {
    for (const impl::Graph& graph : netlist.graphs)
        for (const impl::Op& op : graph.ops)
            if (std::find(op.inputs.begin(), op.inputs.end(), queue) != op.inputs.end()) return true;
    return false;
}

QueueInfo describe(const impl::Netlist& netlist, const impl::Queue& queue) {
    QueueInfo info;
    info.name = queue.name;
    info.ram = queue.type == impl::QueueType::Ram;
    info.host_fills = queue.host_fed();
    info.host_empties = !info.ram && !info.host_fills && !read_by_graph(netlist, queue.name);
    info.filled_by = queue.from_host() ? "" : queue.input;
    info.entries = queue.entries;
    const impl::Tensor entry(impl::TileShape{0, queue.shape().rt, queue.shape().ct}, queue.tile);
    info.z = queue.shape().z;
    info.rows = entry.rows;
    info.columns = entry.cols;
    info.format = std::string(impl::to_string(queue.df));
    info.chip = queue.device();
    info.on_host = queue.where == impl::QueueLoc::Host;
    for (const impl::BufferAddress& buffer : queue.buffers) info.buffers.push_back({buffer.channel, buffer.address});
    return info;
}

std::string name_of(impl::DataFormat format) { return std::string(impl::to_string(format)); }

PlacedOp describe(const impl::Graph& graph, std::int64_t epoch, const impl::Op& op) {
    PlacedOp placed;
    placed.name = op.name();
    placed.type = op.cfg.type;
    placed.graph = graph.name;
    placed.epoch = epoch;
    placed.chip = graph.device();
    placed.row = op.grid_loc_r;
    placed.column = op.grid_loc_c;
    placed.transposed = op.grid_transpose;
    placed.rows = op.grid_transpose ? op.cfg.out.grid_c : op.cfg.out.grid_r;
    placed.columns = op.grid_transpose ? op.cfg.out.grid_r : op.cfg.out.grid_c;
    placed.operands = op.inputs;
    for (const impl::DataFormat format : op.cfg.in_df) placed.operand_formats.push_back(name_of(format));
    placed.format = name_of(op.cfg.out_df);
    placed.intermediate_format = name_of(op.cfg.intermed_df);
    placed.dest_format = name_of(op.cfg.acc_df);
    placed.fidelity = std::string(impl::to_string(op.cfg.fidelity));
    placed.fused = op.cfg.attr.fused_op_id;
    return placed;
}

FusedInfo describe(const impl::FusedDefinition& fused) {
    FusedInfo info{fused.id, fused.inputs, {}};
    for (const auto& schedule : fused.schedules) {
        std::vector<FusedMember> members;
        for (const impl::FusedSubOp& step : schedule) members.push_back({step.name, step.type});
        info.schedules.push_back(std::move(members));
    }
    return info;
}

ProgramInfo describe(const impl::Program& program) {
    ProgramInfo info{program.name, {}, {}};
    for (const impl::Instruction& step : program.instructions) {
        if (step.kind == impl::Instruction::Kind::Param)
            for (const auto& [name, initial] : step.variables) info.parameters.push_back(name);
        if (step.kind == impl::Instruction::Kind::Execute) info.graphs.push_back(step.graph);
    }
    return info;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& list) {
    std::vector<std::string> names;
    for (const Named& item : list) names.push_back(item.name);
    return names;
}

Netlist make(impl::Netlist&& read) {
    return Netlist(std::make_shared<const Netlist::Impl>(Netlist::Impl{impl::resolve(std::move(read))}));
}

}  // namespace

Netlist::Netlist(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Netlist Netlist::from_file(const std::string& path) {
    return guarded([&] { return make(impl::read_netlist(path)); });
}

Netlist Netlist::from_text(const std::string& text, const std::string& name) {
    return guarded([&] { return make(impl::read_netlist_text(text, name)); });
}

std::vector<QueueInfo> Netlist::queues() const {
    std::vector<QueueInfo> list;
    for (const impl::Queue& queue : impl_->netlist.queues) list.push_back(describe(impl_->netlist, queue));
    return list;
}

QueueInfo Netlist::queue(const std::string& name) const {
    return guarded([&] {
        if (const impl::Queue* queue = impl_->netlist.find_queue(name)) return describe(impl_->netlist, *queue);
        impl::fail(impl::Fault::Input, {{impl_->netlist.file, 0, 0}, impl::error_code::unknown_name, {name}},
                   "the netlist has no queue '{}'{}", name, impl::did_you_mean(name, names_of(impl_->netlist.queues)));
    });
}

std::vector<PlacedOp> Netlist::ops() const {
    std::vector<PlacedOp> list;
    std::int64_t epoch = 0;
    for (const impl::Graph& graph : impl_->netlist.graphs) {
        for (const impl::Op& op : graph.ops) list.push_back(describe(graph, epoch, op));
        ++epoch;
    }
    return list;
}

PlacedOp Netlist::op(const std::string& name) const {
    return guarded([&] {
        std::vector<std::string> names;
        for (PlacedOp& op : ops()) {
            if (op.name == name) return std::move(op);
            names.push_back(std::move(op.name));
        }
        impl::fail(impl::Fault::Input, {{impl_->netlist.file, 0, 0}, impl::error_code::unknown_name, {name}},
                   "the netlist has no op '{}'{}", name, impl::did_you_mean(name, names));
    });
}

std::vector<FusedInfo> Netlist::fused_ops() const {
    std::vector<FusedInfo> list;
    for (const auto& fused : impl_->netlist.fused_ops) list.push_back(describe(*fused));
    return list;
}

std::vector<GraphInfo> Netlist::graph_infos() const {
    std::vector<GraphInfo> list;
    for (const impl::Graph& graph : impl_->netlist.graphs) {
        GraphInfo info{graph.name, static_cast<std::int64_t>(list.size()), graph.device(), graph.input_count, {}};
        for (const impl::Op& op : graph.ops) info.ops.push_back(op.name());
        list.push_back(std::move(info));
    }
    return list;
}

std::vector<ProgramInfo> Netlist::program_infos() const {
    std::vector<ProgramInfo> list;
    for (const impl::Program& program : impl_->netlist.programs) list.push_back(describe(program));
    return list;
}

std::vector<std::string> Netlist::programs() const { return names_of(impl_->netlist.programs); }
std::vector<std::string> Netlist::graphs() const { return names_of(impl_->netlist.graphs); }
std::vector<std::string> Netlist::chips() const { return impl_->netlist.archs; }
std::vector<std::string> Netlist::notes() const { return impl_->netlist.notes; }

}  // namespace ttsim
