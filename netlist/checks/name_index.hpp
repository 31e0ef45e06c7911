// An index of a netlist: names of queues, ops and graphs.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

/// Suggesting similar names is slow: files with more problems get no suggestions.
inline constexpr std::size_t max_problems_for_guesses = 100;

/// Holds pointers into the netlist, which must outlive the index unchanged.
class NameIndex {
public:
    struct OpPlace {
        const Op* op = nullptr;
        const Graph* graph = nullptr;
    };
    explicit NameIndex(const Netlist& netlist) {
        for (const Queue& queue : netlist.queues) queues_.emplace(queue.name, &queue);
        for (const Graph& graph : netlist.graphs) {
            graphs_.emplace(graph.name, &graph);
            for (const Op& op : graph.ops) ops_.emplace(op.cfg.name, OpPlace{&op, &graph});
        }
    }
    const Queue* queue(std::string_view name) const {
        const auto found = queues_.find(name);
        return found == queues_.end() ? nullptr : found->second;
    }
    OpPlace op(std::string_view name) const {
        const auto found = ops_.find(name);
        return found == ops_.end() ? OpPlace{} : found->second;
    }
    const Graph* graph(std::string_view name) const {
        const auto found = graphs_.find(name);
        return found == graphs_.end() ? nullptr : found->second;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& [name, queue] : queues_) all.emplace_back(name);
        for (const auto& [name, place] : ops_) all.emplace_back(name);
        std::sort(all.begin(), all.end());
        return all;
    }

private:
    std::unordered_map<std::string_view, const Queue*> queues_;
    std::unordered_map<std::string_view, OpPlace> ops_;
    std::unordered_map<std::string_view, const Graph*> graphs_;
};

}  // namespace ttsim::impl
