#include "netlist/name_places.hpp"

#include "netlist/netlist.hpp"

namespace ttsim::impl {

NamePlaces::NamePlaces(const Netlist& netlist) : queues_(netlist.queues.size()) {
    for (std::size_t i = 0; i < queues_; ++i) {
        const Queue& queue = netlist.queues[i];
        places_.try_emplace(queue.name, Place{Kind::Queue, i, 0});
        written_[queue.input].push_back(i);
    }
    for (std::size_t g = 0; g < netlist.graphs.size(); ++g) {
        const Graph& graph = netlist.graphs[g];
        graphs_.try_emplace(graph.name, g);
        for (std::size_t o = 0; o < graph.ops.size(); ++o)
            places_.try_emplace(graph.ops[o].name(), Place{Kind::Op, g, o});
    }
}

const NamePlaces::Place* NamePlaces::find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &found->second;
}

const std::size_t* NamePlaces::graph(std::string_view name) const {
    const auto found = graphs_.find(name);
    return found == graphs_.end() ? nullptr : &found->second;
}

const std::vector<std::size_t>& NamePlaces::written_by(std::string_view op) const {
    static const std::vector<std::size_t> none;
    const auto found = written_.find(op);
    return found == written_.end() ? none : found->second;
}

}  // namespace ttsim::impl
