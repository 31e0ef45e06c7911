#include "sim/checks/non_finite_ops.hpp"

#include <algorithm>
#include <set>

#include "netlist/checks/name_index.hpp"
#include "sim/values/non_finite.hpp"

namespace ttsim::impl::sim {

NonFiniteOps::NonFiniteOps(const Netlist& resolved) : netlist_(resolved) {
    for (const Graph& graph : netlist_.graphs)
        for (const Op& op : graph.ops) non_finite_[&op] = false;
}

void NonFiniteOps::record(const Op& op, const Tensor& result) {
    std::atomic<bool>& flag = non_finite_.at(&op);
    if (!flag && !all_finite(result)) flag = true;
}

const Op* NonFiniteOps::first_origin(const Queue& queue) const {
    const NameIndex index(netlist_);
    const auto producer = [&](const std::string& name) {
        const Queue* between = index.queue(name);
        return index.op(between ? between->input : name).op;
    };
    std::set<const Op*> seen, first;
    std::vector<const Op*> open{producer(queue.name)};
    while (!open.empty()) {
        const Op* op = open.back();
        open.pop_back();
        if (!op || !non_finite_.at(op) || !seen.insert(op).second) continue;
        bool finite = true;
        for (const std::string& name : op->inputs) {
            const Op* before = producer(name);
            finite = finite && !(before && non_finite_.at(before));
            open.push_back(before);
        }
        if (finite) first.insert(op);
    }
    for (const Graph& graph : netlist_.graphs)
        for (const Op& op : graph.ops)
            if (first.contains(&op)) return &op;
    return nullptr;
}

}  // namespace ttsim::impl::sim
