#include "netlist/checks/instances.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ttsim::impl {

namespace {

std::string with_suffix(const std::string& name, std::int64_t chip) { return fmt::format("{}.{}", name, chip); }

class Expander {
public:
    explicit Expander(const Netlist& from) : from_(from), out_(from) {
        out_.queues.clear();
        out_.graphs.clear();
        out_.programs.clear();
    }
    Netlist run() {
        for (const Queue& queue : from_.queues) expand(queue);
        for (const Graph& graph : from_.graphs) collect(graph);
        for (const Graph& graph : from_.graphs) expand(graph);
        for (Queue& queue : out_.queues)
            if (!queue.from_host()) queue.input = on_chip(queue.input, chip_of_.at(queue.name));
        for (const Program& program : from_.programs) expand(program);
        return std::move(out_);
    }

private:
    void expand(const Queue& queue) {
        const auto& chips = queue.target_devices;
        if (chips.size() > 1) instances_[queue.name] = chips;
        for (std::size_t k = 0; k < chips.size(); ++k) {
            Queue copy = queue;
            copy.target_devices = {chips[k]};
            if (chips.size() > 1) copy.name = with_suffix(queue.name, chips[k]);
            if (queue.where == QueueLoc::Host && k > 0) {
                // All host buffers are on the first chip of the list, one after the other.
                copy.target_devices = {chips.front()};
                const auto step = static_cast<std::uint64_t>(queue_buffer_bytes(queue) * queue.blocking.cores());
                for (BufferAddress& buffer : copy.buffers) buffer.address += step * k;
            }
            names_.insert(copy.name);
            chip_of_.emplace(copy.name, chips[k]);
            out_.queues.push_back(std::move(copy));
        }
    }
    void collect(const Graph& graph) {
        for (const Op& op : graph.ops) {
            if (graph.target_devices.size() < 2) names_.insert(op.cfg.name);
            for (const std::int64_t chip : graph.target_devices)
                if (graph.target_devices.size() > 1) names_.insert(with_suffix(op.cfg.name, chip));
        }
    }
    /// The instance of `name` on that chip, or the name itself if there is none.
    std::string on_chip(const std::string& name, std::int64_t chip) const {
        if (names_.contains(name)) return name;
        std::string copy = with_suffix(name, chip);
        return names_.contains(copy) ? copy : name;
    }
    void expand(const Graph& graph) {
        const bool multiple = graph.target_devices.size() > 1;
        if (multiple) graph_instances_[graph.name] = graph.target_devices;
        for (const std::int64_t chip : graph.target_devices) {
            Graph copy = graph;
            copy.target_devices = {chip};
            if (multiple) copy.name = with_suffix(graph.name, chip);
            for (Op& op : copy.ops) {
                if (multiple) op.cfg.name = with_suffix(op.cfg.name, chip);
                for (std::string& input : op.inputs) input = on_chip(input, chip);
                for (auto& [queue, reader] : op.forked_dram_inputs) {
                    queue = on_chip(queue, chip);
                    reader = on_chip(reader, chip);
                }
            }
            record_uses(copy);
            out_.graphs.push_back(std::move(copy));
        }
    }
    /// Records the queue instances that a graph reads or writes, to assign settings to them.
    void record_uses(const Graph& graph) {
        if (instances_.empty()) return;
        std::unordered_set<std::string>& uses = uses_[graph.name];
        std::unordered_set<std::string_view> ops;
        for (const Op& op : graph.ops) {
            uses.insert(op.inputs.begin(), op.inputs.end());
            ops.insert(op.cfg.name);
        }
        for (const Queue& queue : out_.queues)
            if (ops.contains(on_chip(queue.input, chip_of_.at(queue.name)))) uses.insert(queue.name);
    }
    Instruction on_graph(const Instruction& execute, const std::string& graph, std::int64_t chip, bool copied) const {
        Instruction copy_of = execute;
        copy_of.graph = graph;
        copy_of.settings.clear();
        for (const QueueSetting& setting : execute.settings) {
            const auto copies = instances_.find(setting.queue);
            QueueSetting renamed = setting;
            if (copied || copies == instances_.end()) {
                renamed.queue = on_chip(setting.queue, chip);
                copy_of.settings.push_back(std::move(renamed));
                continue;
            }
            const auto uses = uses_.find(graph);
            for (const std::int64_t instance : copies->second) {
                renamed.queue = with_suffix(setting.queue, instance);
                if (uses != uses_.end() && uses->second.contains(renamed.queue)) copy_of.settings.push_back(renamed);
            }
        }
        return copy_of;
    }
    void expand(const Program& program) {
        Program copy{program.name, program.loc, {}};
        for (const Instruction& instruction : program.instructions) {
            if (instruction.kind == Instruction::Kind::Execute) {
                const auto multiple = graph_instances_.find(instruction.graph);
                if (multiple == graph_instances_.end()) {
                    copy.instructions.push_back(on_graph(instruction, instruction.graph, 0, false));
                } else {
                    for (const std::int64_t chip : multiple->second)
                        copy.instructions.push_back(
                            on_graph(instruction, with_suffix(instruction.graph, chip), chip, true));
                }
                continue;
            }
            Instruction copy_of = instruction;
            copy_of.queues.clear();
            for (const std::string& queue : instruction.queues) {
                const auto copies = instances_.find(queue);
                if (copies == instances_.end()) {
                    copy_of.queues.push_back(queue);
                } else {
                    for (const std::int64_t chip : copies->second) copy_of.queues.push_back(with_suffix(queue, chip));
                }
            }
            copy.instructions.push_back(std::move(copy_of));
        }
        out_.programs.push_back(std::move(copy));
    }

    const Netlist& from_;
    Netlist out_;
    std::unordered_set<std::string> names_;  ///< queues and ops after expansion
    std::unordered_map<std::string, std::int64_t>
        chip_of_;  ///< of queue instances; a host instance has the chip of its suffix
    std::unordered_map<std::string, std::vector<std::int64_t>> instances_, graph_instances_;
    std::unordered_map<std::string, std::unordered_set<std::string>> uses_;
};

}  // namespace

std::string without_instance_suffix(const std::string& name) {
    const auto dot = name.rfind('.');
    const bool number = dot != std::string::npos && dot + 1 < name.size() &&
                        name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
    return number ? name.substr(0, dot) : name;
}

std::int64_t queue_buffer_bytes(const Queue& queue) {
    const Blocking& b = queue.blocking;
    const std::int64_t tiles = queue.entries * b.t * b.mblock_tiles();
    if (queue.layout == QueueLayout::Flat)
        return queue.alignment + tiles * queue.tile.elements() * element_bytes(queue.df);
    return queue.alignment + tiles * queue.tile_bytes();
}

Netlist expand_instances(const Netlist& netlist) {
    const auto single = [](const auto& item) { return item.target_devices.size() < 2; };
    if (std::all_of(netlist.queues.begin(), netlist.queues.end(), single) &&
        std::all_of(netlist.graphs.begin(), netlist.graphs.end(), single))
        return netlist;
    return Expander(netlist).run();
}

}  // namespace ttsim::impl
