#include "netlist/program/training_step.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace ttsim::impl {

namespace {

bool has_word(const std::string& name, std::string_view word) {
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
        const auto edge = [&](std::size_t i) {
            return i >= name.size() || std::isalnum(static_cast<unsigned char>(name[i])) == 0;
        };
        if ((at == 0 || edge(at - 1)) && edge(at + word.size())) return true;
    }
    return false;
}

std::optional<EpochType> type_of_name(const std::string& name) {
    if (has_word(name, "fwd")) return EpochType::Forward;
    if (has_word(name, "bwd")) return EpochType::Backward;
    if (has_word(name, "opt")) return EpochType::Optimizer;
    return std::nullopt;
}

class Finder {
public:
    explicit Finder(const Netlist& netlist) : netlist_(netlist) {
        for (const Graph& graph : netlist.graphs)
            for (const Op& op : graph.ops) graph_of_[op.name()] = &graph;
        for (const Queue& queue : netlist.queues) queues_[queue.name] = &queue;
        for (const Graph& graph : netlist.graphs)
            for (const Op& op : graph.ops)
                if (op.cfg.gradient) summing_.insert(op.name());
    }

    TrainingStep run() {
        if (summing_.empty()) return {};
        for (const Graph& graph : netlist_.graphs) seed(graph);
        while (follow()) {
        }
        join_programs();
        TrainingStep step;
        for (const Graph& graph : netlist_.graphs) {
            const auto found = types_.find(&graph);
            step.types[graph.name] = found == types_.end() ? EpochType::Forward : found->second;
        }
        const EpochType first = step.types.begin()->second;
        if (std::all_of(step.types.begin(), step.types.end(), [&](const auto& type) { return type.second == first; }))
            return {};
        step.saved_bytes = saved_bytes(step);
        return step;
    }

private:
    void seed(const Graph& graph) {
        bool sums = false, updates = false;
        for (const Op& op : graph.ops) {
            sums = sums || op.cfg.gradient;
            for (const std::string& input : op.inputs) updates = updates || (sum_of(input) && !op.cfg.gradient);
        }
        if (updates)
            types_[&graph] = EpochType::Optimizer;
        else if (sums)
            types_[&graph] = EpochType::Backward;
        else if (const auto named = type_of_name(graph.name))
            types_[&graph] = *named;
    }

    /// Whether a queue holds summed gradients.
    bool sum_of(const std::string& name) const {
        const auto queue = queues_.find(name);
        return queue != queues_.end() && queue->second->type == QueueType::Ram &&
               summing_.contains(queue->second->input);
    }

    /// The graph that writes an operand; null: the host.
    const Graph* writer(const std::string& input) const {
        const auto queue = queues_.find(input);
        const auto found = graph_of_.find(queue == queues_.end() ? input : queue->second->input);
        return found == graph_of_.end() ? nullptr : found->second;
    }

    bool is(const Graph* graph, EpochType type) const {
        const auto found = types_.find(graph);
        return found != types_.end() && found->second == type;
    }

    /// Graphs that read results of backward graphs are backward graphs. Returns whether one was found.
    bool follow() {
        bool any = false;
        for (const Graph& graph : netlist_.graphs) {
            if (types_.contains(&graph)) continue;
            for (const Op& op : graph.ops)
                for (const std::string& input : op.inputs)
                    if (const Graph* from = writer(input); from && is(from, EpochType::Backward))
                        types_[&graph] = EpochType::Backward;
            any = any || types_.contains(&graph);
        }
        return any;
    }

    /// A program of backward graphs has nothing else, unless the netlist has no other program.
    void join_programs() {
        if (netlist_.programs.size() < 2) return;
        for (const Program& program : netlist_.programs) {
            std::vector<const Graph*> run;
            for (const Instruction& step : program.instructions)
                if (step.kind == Instruction::Kind::Execute)
                    for (const Graph& graph : netlist_.graphs)
                        if (graph.name == step.graph) run.push_back(&graph);
            const auto any = [&](EpochType type) {
                return std::any_of(run.begin(), run.end(), [&](const Graph* graph) { return is(graph, type); });
            };
            if (!any(EpochType::Backward) || any(EpochType::Forward) || any(EpochType::Optimizer)) continue;
            for (const Graph* graph : run) types_.emplace(graph, EpochType::Backward);
        }
    }

    std::int64_t saved_bytes(const TrainingStep& step) const {
        std::set<const Queue*> saved;
        for (const Graph& graph : netlist_.graphs) {
            if (step.types.at(graph.name) != EpochType::Backward) continue;
            for (const Op& op : graph.ops)
                for (const std::string& input : op.inputs) {
                    const auto queue = queues_.find(input);
                    const Graph* from = writer(input);
                    if (queue == queues_.end() || queue->second->type != QueueType::Queue || !from) continue;
                    if (step.types.at(from->name) == EpochType::Forward) saved.insert(queue->second);
                }
        }
        std::int64_t bytes = 0;
        for (const Queue* queue : saved) bytes += queue->entries * queue->shape().tiles() * queue->tile_bytes();
        return bytes;
    }

    const Netlist& netlist_;
    std::map<std::string, const Graph*> graph_of_;  // by op
    std::map<std::string, const Queue*> queues_;
    std::set<std::string> summing_;  // ops that sum gradients
    std::map<const Graph*, EpochType> types_;
};

}  // namespace

TrainingStep training_step(const Netlist& netlist) { return Finder(netlist).run(); }

}  // namespace ttsim::impl
