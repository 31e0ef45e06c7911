// Replay of workloads: phases in sequence, each transfer's packets at its rate.
#include <algorithm>
#include <deque>

#include "sim/noc/replay.hpp"

namespace ttsim::impl::noc {

namespace {

class PhasePlayer : private Fabric::Client {
public:
    PhasePlayer(const Workload& workload, const Topology& topology, const Constants& constants)
        : workload_(workload), fabric_(topology, constants, *this) {
        begin_phase();
    }

    ReplayResult run() {
        if (!fabric_.run()) throw Error(Fault::Hang, {}, "packets on the NoC wait for each other's virtual channels");
        ReplayResult result;
        result.total_cycles = phase_end_;
        result.golden_cycles = workload_.golden;
        result.links = fabric_.link_use(phase_end_);
        result.nius = fabric_.niu_use(phase_end_);
        result.dram = fabric_.dram_use(phase_end_);
        result.packets = fabric_.packets();
        result.events = fabric_.events();
        return result;
    }

private:
    /// A source sends the next packet of a transfer while the previous one is in flight.
    static constexpr std::uint32_t packets_at_once = 2;
    enum : std::uint32_t { issue_event, phase_event };
    struct State {
        const Transfer* transfer = nullptr;
        const Topology::Tree* tree = nullptr;
        std::uint32_t issued = 0, left_source = 0, complete = 0;
        Time earliest = 0;  ///< earliest time of the next packet
        bool scheduled = false;
    };

    void begin_phase() {
        while (phase_ < workload_.phases.size() && workload_.phases[phase_].empty()) ++phase_;
        if (phase_ == workload_.phases.size()) return;
        states_.clear();
        trees_.clear();
        for (const Transfer& transfer : workload_.phases[phase_]) {
            State state;
            state.transfer = &transfer;
            if (transfer.multicast) {
                trees_.push_back(fabric_.topology().tree(transfer.noc, transfer.source, transfer.first, transfer.last));
                state.tree = &trees_.back();
            }
            state.earliest = phase_end_ + transfer.offset;
            states_.push_back(state);
        }
        unfinished_ = states_.size();
        ++phase_;
        for (std::uint32_t i = 0; i < states_.size(); ++i) schedule(i);
    }

    void schedule(std::uint32_t index) {
        State& state = states_[index];
        if (state.scheduled || state.issued == state.transfer->packets ||
            state.issued - state.left_source >= packets_at_once)
            return;
        state.scheduled = true;
        fabric_.at(std::max(state.earliest, fabric_.now()), issue_event, index);
    }

    void timer(std::uint32_t what, std::uint32_t index, Time now) override {
        if (what == phase_event) return begin_phase();
        State& state = states_[index];
        const Transfer& transfer = *state.transfer;
        Transaction t;
        t.kind = transfer.multicast ? Kind::PostedMulticast : Kind::PostedWrite;
        t.noc = transfer.noc;
        t.from = transfer.source;
        t.to = transfer.target;
        t.tree = state.tree;
        t.bytes = transfer.bytes;
        t.tag = index;
        const double issue = fabric_.constants().issue_write;
        state.earliest =
            now + (transfer.rate > 0 ? std::max(issue, static_cast<double>(transfer.bytes) / transfer.rate) : issue);
        ++state.issued;
        state.scheduled = false;
        fabric_.issue(t);
        schedule(index);
    }

    void departed(std::uint32_t index, Time) override {
        ++states_[index].left_source;
        schedule(index);
    }

    void completed(std::uint32_t index, Time, Time when) override {
        phase_end_ = std::max(phase_end_, when);
        State& state = states_[index];
        if (++state.complete == state.transfer->packets && --unfinished_ == 0)
            fabric_.at(std::max(phase_end_, fabric_.now()), phase_event, 0);
    }

    const Workload& workload_;
    Fabric fabric_;
    std::vector<State> states_;
    std::deque<Topology::Tree> trees_;
    std::size_t phase_ = 0, unfinished_ = 0;
    Time phase_end_ = 0;
};

}  // namespace

ReplayResult replay(const Workload& workload, const Topology& topology, const Constants& constants) {
    return PhasePlayer(workload, topology, constants).run();
}

}  // namespace ttsim::impl::noc
