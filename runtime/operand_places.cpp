#include "runtime/operand_places.hpp"

#include <algorithm>
#include <set>

#include "netlist/checks/instances.hpp"
#include "runtime/model.hpp"

namespace ttsim::impl::runtime {

namespace {

constexpr std::uint64_t l1_alignment = 32;

bool is_in_l1(const BufferSpec& spec) { return spec.memory == MemoryKind::L1; }

/// Adds the L1 of every working core as a channel of its own.
void add_l1_channels(PlacedMachine& made) {
    ChipParams& chip = made.machine.chips.front().params;
    for (const int y : chip.worker_y)
        for (const int x : chip.worker_x) {
            made.resources.l1_channels.insert(std::ssize(chip.dram));
            chip.dram.push_back({NocCoord{x, y}});
        }
}

/// For part k of `count` of an operand that is dealt over all cores: a core without other buffers, if there is one. The
/// parts are far from each other, since neighbours would share the links of their row.
std::size_t dealt_core(std::size_t k, std::size_t count, const std::vector<bool>& used) {
    const std::size_t wanted = k * used.size() / count;
    for (std::size_t step = 0; step < used.size(); ++step)
        if (const std::size_t core = (wanted + step) % used.size(); !used[core]) return core;
    return wanted;
}

/// Adds the names of model inputs and device results from which the host computes a value.
void collect_sources(const ir::Graph& graph, ir::ValueId value, std::set<std::string>& names) {
    const ir::Node& node = graph.nodes[value];
    if (node.is_input()) names.insert(ir::boundary_name(node));
    for (const ir::Edge& edge : node.inputs) collect_sources(graph, edge.value, names);
}

using Places = std::map<std::string, const BufferSpec*>;  // by queue

/// Buffers in L1 by the queue that the device reads or writes in their place.
Places queue_places(const ir::CompiledModel& model, std::span<const BufferSpec> inputs,
                    std::span<const BufferSpec> outputs) {
    Places places;
    const ir::Graph& host = model.host.program.graph;
    const std::vector<ModelTensor> names = inputs_of(model);
    for (const ir::HostProgram::BoundaryValue& value : model.host.program.to_device) {
        std::set<std::string> sources;
        collect_sources(host, value.value, sources);
        for (std::size_t k = 0; k < std::min(names.size(), inputs.size()); ++k)
            for (const ir::BoundTensor& bound : model.host.to_device)
                if (bound.name == value.name && sources.contains(names[k].name) && is_in_l1(inputs[k]))
                    places[bound.queue] = &inputs[k];
    }
    for (std::size_t k = 0; k < std::min(host.outputs.size(), outputs.size()); ++k) {
        std::set<std::string> sources;
        collect_sources(host, host.outputs[k].value, sources);
        for (const ir::BoundTensor& bound : model.host.from_device)
            if (sources.contains(bound.name) && is_in_l1(outputs[k])) places[bound.queue] = &outputs[k];
    }
    return places;
}

}  // namespace

PlacedMachine with_operands_in_l1(const Machine& machine, ir::CompiledModel& model, std::span<const BufferSpec> inputs,
                                  std::span<const BufferSpec> outputs) {
    PlacedMachine made{machine, {}};
    if (std::none_of(inputs.begin(), inputs.end(), is_in_l1) && std::none_of(outputs.begin(), outputs.end(), is_in_l1))
        return made;
    const Places places = queue_places(model, inputs, outputs);
    add_l1_channels(made);
    const std::int64_t first = *made.resources.l1_channels.begin();
    std::map<std::int64_t, std::uint64_t> next;                 // free address by channel
    std::vector<bool> used(made.resources.l1_channels.size());  // by core: it has a buffer of a dealt operand
    std::size_t operand = 0;                                    // operands that were placed
    for (Queue& queue : model.netlist.queues) {
        const auto place = places.find(queue.name);
        if (place == places.end() || queue.where != QueueLoc::Dram) continue;
        const std::vector<std::int64_t>& cores = place->second->cores;
        const bool dealt = cores.empty();  // over all cores
        const std::size_t count = queue.buffers.size();
        const auto bytes = static_cast<std::uint64_t>(queue_buffer_bytes(queue));
        for (std::size_t k = 0; k < count; ++k) {
            BufferAddress& at = queue.buffers[k];
            if (dealt) {
                const std::size_t core = dealt_core(k, count, used);
                used[core] = true;
                at.channel = first + static_cast<std::int64_t>(core);
            } else {
                // a part of several shards is where one of them is, other operands' parts beside it
                const std::size_t begin = k * cores.size() / count, end = (k + 1) * cores.size() / count;
                at.channel = first + cores[begin + operand % std::max<std::size_t>(1, end - begin)];
            }
            at.address = next[at.channel];
            next[at.channel] += (bytes + l1_alignment - 1) / l1_alignment * l1_alignment;
        }
        ++operand;
    }
    return made;
}

}  // namespace ttsim::impl::runtime
