// The rates of packets that share ports and memories: max-min fairness by progressive filling.
#include <algorithm>

#include "base/error.hpp"
#include "sim/noc/network.hpp"

namespace ttsim::impl::noc {

namespace {
constexpr double slowest = 1e-6;  // flits per cycle; rounding must not stop a packet for good
}

/// Collects all flows whose rate may change with those in dirty_, and the shares that they use.
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

/// Progressive filling: all rates rise together until a share is full or a flow reaches its ceiling. Those flows are
/// fixed, the others continue.
void Network::fill(std::vector<Id>& flows, std::vector<Share>& shares) {
    for (const Share share : shares) {
        ShareState& state = shares_[share];
        state.room = state.capacity;
        state.weight = 0;
        state.open = 0;
    }
    for (const Id id : flows)
        each_share(flows_[id], [&](Share share, double cost, std::uint16_t) {
            shares_[share].weight += cost;
            ++shares_[share].open;
        });
    std::size_t open = flows.size();
    while (open > 0) {
        double level = flows_[flows.front()].ceiling;
        for (std::size_t i = 1; i < open; ++i) level = std::min(level, flows_[flows[i]].ceiling);
        for (const Share share : shares)
            if (shares_[share].open > 0) level = std::min(level, shares_[share].room / shares_[share].weight);
        level = std::max(level, slowest);
        const double reached = level * (1 + 1e-9);
        // fixed flows move to the back, in their order
        const auto stays = [&](Id id) {
            Flow& flow = flows_[id];
            std::uint16_t bottleneck = flow.ceiling_at;
            bool full = flow.ceiling <= reached;
            if (!full)
                each_share(flow, [&](Share share, double, std::uint16_t hop) {
                    const ShareState& state = shares_[share];
                    if (full || !state.marked || state.room > reached * state.weight) return;
                    full = true;
                    bottleneck = hop;
                });
            if (!full) return false;
            each_share(flow, [&](Share share, double cost, std::uint16_t) {
                ShareState& state = shares_[share];
                state.room -= cost * level;
                state.weight -= cost;
                --state.open;
            });
            set_rate(id, level, bottleneck);
            return true;
        };
        std::size_t kept = 0;
        for (std::size_t i = 0; i < open; ++i)
            if (!stays(flows[i])) std::swap(flows[kept++], flows[i]);
        TT_CHECK(kept < open, "{} packets share {} ports, and none is limited", open, shares.size());
        open = kept;
    }
}

void Network::compute_rates() {
    collect(work_flows_, work_shares_);
    fill(work_flows_, work_shares_);
    for (const Id id : work_flows_) flows_[id].marked = false;
    for (const Share share : work_shares_) shares_[share].marked = false;
}

}  // namespace ttsim::impl::noc
