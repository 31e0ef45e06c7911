// The rates of packets that share ports and memories: max-min fairness by progressive filling.
#include <algorithm>

#include "sim/noc/network.hpp"

namespace tt::noc {

/// All flows whose rate may change with those in dirty_, and the shares they meet in.
void Network::collect(std::vector<Id>& flows, std::vector<Share>& shares) {
    flows.clear();
    shares.clear();
    for (const Id id : dirty_) {
        flows_[id].dirty = false;
        if (flows_[id].moving && !flows_[id].marked) {
            flows_[id].marked = true;
            flows.push_back(id);
        }
    }
    dirty_.clear();
    for (std::size_t i = 0; i < flows.size(); ++i)
        each_share(flows_[flows[i]], [&](Share share, double, std::uint16_t) {
            ShareState& state = shares_[share];
            if (state.flows.size() < 2 || state.marked) return;
            state.marked = true;
            shares.push_back(share);
            for (const Id other : state.flows)
                if (!flows_[other].marked) {
                    flows_[other].marked = true;
                    flows.push_back(other);
                }
        });
}

/// All rates rise together until a share is full or a flow reaches what it could do alone; those stay, the rest go on.
void Network::fill(std::vector<Id>& flows, std::vector<Share>& shares) {
    for (const Share share : shares) {
        shares_[share].room = shares_[share].capacity;
        shares_[share].weight = 0;
    }
    for (const Id id : flows) {
        flows_[id].fixed = false;
        each_share(flows_[id], [&](Share share, double cost, std::uint16_t) { shares_[share].weight += cost; });
    }
    std::size_t open = flows.size();
    while (open > 0) {
        double level = 1e9;
        for (const Share share : shares)
            if (shares_[share].weight > 1e-9) level = std::min(level, shares_[share].room / shares_[share].weight);
        for (const Id id : flows)
            if (!flows_[id].fixed) level = std::min(level, flows_[id].ceiling);
        const double reached = level * (1 + 1e-9);
        const std::size_t before = open;
        for (const Id id : flows) {
            Flow& flow = flows_[id];
            if (flow.fixed) continue;
            bool full = flow.ceiling <= reached;
            std::uint16_t narrow = flow.ceiling_at;
            if (!full)
                each_share(flow, [&](Share share, double, std::uint16_t hop) {
                    const ShareState& state = shares_[share];
                    if (full || !state.marked || state.room > reached * state.weight) return;
                    full = true;
                    narrow = hop;
                });
            if (!full) continue;
            flow.fixed = true;
            --open;
            set_rate(id, std::max(level, 1e-6), narrow);
        }
        if (open == before) break;
        for (const Share share : shares) shares_[share].weight = 0, shares_[share].room = shares_[share].capacity;
        for (const Id id : flows)
            each_share(flows_[id], [&](Share share, double cost, std::uint16_t) {
                if (flows_[id].fixed)
                    shares_[share].room -= cost * flows_[id].rate;
                else
                    shares_[share].weight += cost;
            });
    }
}

void Network::compute_rates() {
    collect(work_flows_, work_shares_);
    fill(work_flows_, work_shares_);
    for (const Id id : work_flows_) flows_[id].marked = false;
    for (const Share share : work_shares_) shares_[share].marked = false;
}

}  // namespace tt::noc
