#include "sim/checks/non_finite_ops.hpp"

#include <algorithm>
#include <set>

#include "netlist/checks/name_index.hpp"
#include "sim/checks/non_finite.hpp"

namespace ttsim::impl::sim {

NonFiniteOps::NonFiniteOps(const Netlist& resolved) : netlist_(resolved) {
    for (const Graph& graph : netlist_.graphs)
        for (const Op& op : graph.ops) made_[&op] = false;
}

void NonFiniteOps::see(const Op& op, const Tensor& result) {
    std::atomic<bool>& made = made_.at(&op);
    if (!made && !all_finite(result)) made = true;
}

const Op* NonFiniteOps::first_before(const Queue& queue) const {
    const NameIndex index(netlist_);
    const auto maker = [&](const std::string& name) {
        const Queue* between = index.queue(name);
        return index.op(between ? between->input : name).op;
    };
    std::set<const Op*> seen, first;
    std::vector<const Op*> open{maker(queue.name)};
    while (!open.empty()) {
        const Op* op = open.back();
        open.pop_back();
        if (!op || !made_.at(op) || !seen.insert(op).second) continue;
        bool finite = true;
        for (const std::string& name : op->inputs) {
            const Op* before = maker(name);
            finite = finite && !(before && made_.at(before));
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
