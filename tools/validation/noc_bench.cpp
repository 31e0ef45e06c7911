#include "tools/validation/noc_bench.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace ttsim::impl::noc {

namespace {

class BenchRun : private Fabric::Client {
public:
    BenchRun(const BenchCase& what, const Topology& topology, const Constants& constants)
        : what_(what), constants_(constants), fabric_(topology, constants, *this) {
        choose_cores(topology);
        const auto packets =
            static_cast<std::uint64_t>(std::ceil(static_cast<double>(what.bytes) / constants.packet_bytes));
        packets_ = std::max<std::uint64_t>(packets, 1);
        issue_ = issue_cost();
        for (std::uint32_t i = 0; i < cores_.size(); ++i) {
            cores_[i].total = packets_ * what.count * std::max<std::size_t>(1, cores_[i].targets.size());
            fabric_.at(what.stateful ? constants.issue_state : 0, 0, i);
        }
    }

    BenchResult run() {
        if (!fabric_.run()) throw Error(Fault::Hang, {}, "packets on the NoC wait for each other's virtual channels");
        BenchResult result;
        result.cycles = end_ + constants_.barrier;
        const double bytes = static_cast<double>(cores_.front().total / packets_ * what_.bytes);
        result.bytes_per_cycle = bytes / result.cycles;
        result.links = fabric_.link_use(end_);
        result.nius = fabric_.niu_use(end_);
        result.dram = fabric_.dram_use(end_);
        result.packets = fabric_.packets();
        return result;
    }

private:
    struct Core {
        Node node = 0;
        std::vector<Node> targets;
        std::uint64_t issued = 0, departed_count = 0, total = 0;
        bool waiting = false;
    };

    bool reads() const {
        return what_.pattern == Pattern::OneFromOne || what_.pattern == Pattern::OneFromAll ||
               what_.pattern == Pattern::AllFromOne || what_.pattern == Pattern::AllFromAll;
    }

    /// The first cores of the grid, row by row.
    std::vector<Node> grid(const Topology& topology) const {
        std::vector<int> xs, ys;
        for (const Node node : topology.workers()) {
            const NocCoord at = topology.coord(node);
            if (std::find(xs.begin(), xs.end(), at.x) == xs.end()) xs.push_back(at.x);
            if (std::find(ys.begin(), ys.end(), at.y) == ys.end()) ys.push_back(at.y);
        }
        if (what_.grid_x > static_cast<int>(xs.size()) || what_.grid_y > static_cast<int>(ys.size()))
            fail_input({}, "{} columns and {} rows of cores are needed; the chip has {} and {}",
                       what_.grid_x ? what_.grid_x : static_cast<int>(xs.size()),
                       what_.grid_y ? what_.grid_y : static_cast<int>(ys.size()), xs.size(), ys.size());
        if (what_.grid_x > 0) xs.resize(static_cast<std::size_t>(what_.grid_x));
        if (what_.grid_y > 0) ys.resize(static_cast<std::size_t>(what_.grid_y));
        std::vector<Node> nodes;
        for (const int y : ys)
            for (const int x : xs) nodes.push_back(topology.node({x, y}));
        return nodes;
    }

    Node remote_node(const Topology& topology, Node core) const {
        if (what_.loopback) return core;
        const NocCoord at = topology.coord(core);
        const auto fits = [&](Node node) {
            const NocCoord to = topology.coord(node);
            return node != core && to.y != at.y && (to.x == at.x) == what_.same_axis;
        };
        if (what_.dram) {
            for (Node node = 0; node < topology.nodes(); ++node)
                if (topology.kind(node) == NodeKind::Dram && topology.coord(node).y != at.y) return node;
            fail_unsupported({}, "there is no DRAM port in another row than the core");
        }
        for (const Node node : topology.workers())
            if (fits(node)) return node;
        fail_unsupported({}, "the chip has no second core in another row");
    }

    void choose_cores(const Topology& topology) {
        const std::vector<Node> all = grid(topology);
        const Node first = all.front();
        const bool one_pair = what_.pattern == Pattern::OneFromOne || what_.pattern == Pattern::OneToOne;
        if ((what_.dram || what_.loopback || what_.same_axis) && !one_pair)
            fail_unsupported({}, "DRAM, loopback and 'same axis' apply to one_from_one and one_to_one only");
        switch (what_.pattern) {
            case Pattern::OneFromOne:
            case Pattern::OneToOne:
                cores_ = {{first, {remote_node(topology, first)}}};
                return;
            case Pattern::OneFromAll:
            case Pattern::OneToAll:
                cores_ = {{first, all}};
                return;
            case Pattern::AllToOne:
            case Pattern::AllFromOne:
                for (const Node node : all) cores_.push_back({node, {first}});
                return;
            case Pattern::AllToAll:
            case Pattern::AllFromAll:
                for (std::size_t i = 0; i < all.size(); ++i) {
                    // each core starts with itself, so that they do not all address the same core
                    std::vector<Node> targets(all.begin() + static_cast<std::ptrdiff_t>(i), all.end());
                    targets.insert(targets.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i));
                    cores_.push_back({all[i], targets});
                }
                return;
            case Pattern::Multicast:
                if (all.size() < 2) fail_unsupported({}, "a multicast needs a rectangle of at least two cores");
                cores_ = {{first, {}}};
                NocCoord start = topology.coord(all.front()), end = topology.coord(all.back());
                if (what_.noc == 1) std::swap(start, end);
                tree_ = topology.tree(what_.noc, first, start, end);
                return;
        }
    }

    double issue_cost() const {
        if (what_.stateful) return reads() ? constants_.issue_read_stateful : constants_.issue_write_stateful;
        if (what_.dram) return reads() ? constants_.issue_dram_read : constants_.issue_dram_write;
        if (!reads()) return constants_.issue_write;
        const auto transactions = static_cast<double>(cores_.front().targets.size() * what_.count);
        return transactions <= constants_.short_loop ? constants_.issue_read_short : constants_.issue_read;
    }

    void timer(std::uint32_t, std::uint32_t index, Time now) override {
        Core& core = cores_[index];
        if (!reads() && static_cast<double>(core.issued - core.departed_count) >= constants_.request_slots) {
            core.waiting = true;
            return;
        }
        const std::uint64_t part = core.issued % packets_, transaction = core.issued / packets_;
        const auto most = static_cast<std::uint64_t>(constants_.packet_bytes);
        Transaction t;
        t.kind = reads() ? Kind::Read : what_.pattern == Pattern::Multicast ? Kind::Multicast : Kind::Write;
        t.noc = what_.noc;
        t.from = core.node;
        if (core.targets.empty())
            t.tree = &tree_;
        else
            t.to = core.targets[transaction / what_.count];
        t.bytes = std::min(most, what_.bytes - part * most);
        t.linked = what_.linked && core.issued > 0;
        t.tag = index;
        fabric_.issue(t);
        if (++core.issued < core.total) fabric_.at(now + issue_, 0, index);
    }

    void departed(std::uint32_t index, Time now) override {
        Core& core = cores_[index];
        ++core.departed_count;
        if (!core.waiting) return;
        core.waiting = false;
        fabric_.at(now, 0, index);
    }

    void completed(std::uint32_t, Time, Time when) override { end_ = std::max(end_, when); }

    const BenchCase& what_;
    const Constants& constants_;
    Fabric fabric_;
    std::vector<Core> cores_;
    Topology::Tree tree_;
    std::uint64_t packets_ = 1;
    double issue_ = 0;
    Time end_ = 0;
};

}  // namespace

const std::vector<std::string>& pattern_names() {
    static const std::vector<std::string> names = {"one_from_one", "one_to_one",   "one_from_all",
                                                   "one_to_all",   "all_to_one",   "all_from_one",
                                                   "all_to_all",   "all_from_all", "multicast"};
    return names;
}

BenchResult bench(const BenchCase& what, const Topology& topology, const Constants& constants) {
    return BenchRun(what, topology, constants).run();
}

}  // namespace ttsim::impl::noc
