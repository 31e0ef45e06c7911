#include "analysis/trace/advice.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/trace/repeated_causes.hpp"

namespace ttsim::impl::trace {

namespace {

/// From this number of launches on, the first load of each plan counts as a cause, not as start-up cost.
constexpr std::int64_t many_launches = 4;
/// Smaller shares are not reported.
constexpr double least_share = 0.01;

double cycles_of(const Reason& cause) {
    double cycles = 0;
    for (const Root& member : cause.members) cycles += member.cycles;
    return cycles;
}

class RunRoots {
public:
    explicit RunRoots(Reader& trace) : trace_(trace), graphs_of_(trace), launches_(epochs(trace)) {}

    Advice advice() {
        for (const EpochUse& epoch : launches_) add(epoch);
        Advice all{trace_.run(), cycles_, first_load_, after_last(), {}};
        for (Reason& cause : joined(trace_, std::move(causes_))) {
            cause.share = cycles_of(cause) / std::max(1.0, cycles_);
            cause.gain = std::min(cause.share, 1 - busiest_other(cause));
            if (cause.share >= least_share) all.causes.push_back(std::move(cause));
        }
        std::stable_sort(all.causes.begin(), all.causes.end(),
                         [](const Reason& x, const Reason& y) { return x.share > y.share; });
        return all;
    }

private:
    void add(const EpochUse& epoch) {
        // launches of a plan are counted to find its first load
        const auto [found, fresh] = graphs_.try_emplace(epoch.plan);
        const WaitGraph graph = graphs_of_.of(epoch);
        const double load =
            graph.nodes.empty() ? 0 : std::max(0.0, graph.first - static_cast<double>(epoch.start_cycle));
        const bool counts = !fresh || static_cast<std::int64_t>(launches_.size()) >= many_launches;
        found->second += 1;
        if (counts)
            add({RootKind::Load, "loading of epochs", "", "", load, 0, false, ""}, epoch);
        else
            first_load_ += load;
        cycles_ += graph.window() + (counts ? load : 0);
        for (const Root& root : roots(graph)) add(root, epoch);
        for (const auto& [_, node] : graph.nodes) work_[node.name] += node.work;
    }

    void add(const Root& root, const EpochUse& epoch) {
        const auto found = std::find_if(causes_.begin(), causes_.end(), [&](const Reason& known) {
            return known.root.kind == root.kind && known.root.place == root.place;
        });
        if (found == causes_.end()) {
            causes_.push_back({root, root.op, root.other, {root}, 0, 0, 1, epoch.id});
            worst_.push_back(root.cycles);
            return;
        }
        double& worst = worst_[static_cast<std::size_t>(found - causes_.begin())];
        found->root.cycles += root.cycles;
        found->root.busy = std::max(found->root.busy, root.busy);
        found->members = {found->root};
        found->epochs += 1;
        if (root.cycles <= worst) return;
        worst = root.cycles;
        found->worst_epoch = epoch.id;
    }

    /// Fraction of the time that the busiest op outside the cause needs; it limits the gain.
    double busiest_other(const Reason& cause) const {
        std::set<std::string> own;
        if (cause.root.kind == RootKind::Op)
            for (const Root& member : cause.members) own.insert(member.op);
        double most = 0;
        for (const auto& [name, work] : work_)
            if (!own.contains(name)) most = std::max(most, work);
        return std::min(1.0, most / std::max(1.0, cycles_));
    }

    double after_last() const {
        double end = 0;
        for (const EpochUse& epoch : launches_)
            end = std::max(end, static_cast<double>(epoch.start_cycle + epoch.cycles));
        return std::max(0.0, static_cast<double>(trace_.run().cycles) - end);
    }

    Reader& trace_;
    WaitGraphs graphs_of_;
    std::vector<EpochUse> launches_;
    std::map<std::int64_t, int> graphs_;  ///< plan -> launches so far
    std::vector<Reason> causes_;
    std::vector<double> worst_;           ///< by cause
    std::map<std::string, double> work_;  ///< by op
    double cycles_ = 0, first_load_ = 0;
};

}  // namespace

Advice advise(Reader& trace) { return RunRoots(trace).advice(); }

}  // namespace ttsim::impl::trace
