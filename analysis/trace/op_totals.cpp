#include "analysis/trace/op_totals.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/figures.hpp"

namespace ttsim::impl::trace {

namespace {

/// Sum over the launches of an op, weighted by their inputs.
struct LaunchSum {
    OpTotal total;
    double kernel = 0, cycles = 0, wait_source = 0, wait_room = 0, math = 0, most = -1;

    void describe(const OpUse& use) {
        total.name = use.name;
        total.type = use.type;
        total.graph = use.graph;
        total.chip = use.chip;
        total.grid_r = use.grid_r;
        total.grid_c = use.grid_c;
    }

    void add(const OpUse& use) {
        const auto inputs = static_cast<double>(use.inputs);
        const double own = use.bw_kernel_cycles * inputs;
        total.launches += 1;
        total.inputs += use.inputs;
        total.tiles += use.tiles;
        total.own_cycles += own;
        kernel += use.kernel_cycles * inputs;
        cycles += use.cycles * inputs;
        wait_source += use.wait_source_cycles * inputs;
        wait_room += use.wait_room_cycles * inputs;
        math += use.math_utilization * inputs;
        if (own <= most) return;
        most = own;
        total.limit = use.limit;
    }

    OpTotal mean(double run_cycles) const {
        OpTotal op = total;
        const auto inputs = static_cast<double>(op.inputs);
        op.run_share = share_of(op.own_cycles, run_cycles);
        op.kernel_cycles = share_of(kernel, inputs);
        op.bw_kernel_cycles = share_of(op.own_cycles, inputs);
        op.cycles = share_of(cycles, inputs);
        op.wait_source_cycles = share_of(wait_source, inputs);
        op.wait_room_cycles = share_of(wait_room, inputs);
        op.wait_source_share = share_of(wait_source, cycles);
        op.wait_room_share = share_of(wait_room, cycles);
        op.math_utilization = share_of(math, inputs);
        return op;
    }
};

}  // namespace

std::vector<OpTotal> op_totals(Reader& trace) {
    std::map<std::pair<std::string, std::string>, LaunchSum> sums;  // by graph and name
    for (const EpochOps& epoch : epochs_with_ops(trace))
        for (const OpUse& use : *epoch.ops) {
            if (use.inputs == 0) continue;
            const auto [found, fresh] = sums.try_emplace({use.graph, use.name});
            LaunchSum& sum = found->second;
            if (fresh) sum.describe(use);
            sum.add(use);
        }
    std::vector<OpTotal> totals;
    for (const auto& [_, sum] : sums) totals.push_back(sum.mean(static_cast<double>(trace.run().cycles)));
    std::stable_sort(totals.begin(), totals.end(),
                     [](const OpTotal& a, const OpTotal& b) { return a.own_cycles > b.own_cycles; });
    return totals;
}

}  // namespace ttsim::impl::trace
