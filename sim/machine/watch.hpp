// The probe for debugger and telemetry: counters of the epochs in flight and of all links.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>

#include "netlist/netlist.hpp"
#include "sim/machine/probe.hpp"

namespace ttsim::impl::sim {

class Watch : public Probe {
public:
    Watch();
    ~Watch() override;
    Load* resource(const ResourceName& name) override;
    EpochProbe* launch(const Plan& plan, const EpochLaunch& launch, Cycle now) override;
    void walk(StateWalk& walk) override;
    void over(EpochProbe* epoch, Cycle now, double inputs_per_second) override;

    struct Link {
        ResourceName name;
        Load load;
    };
    const std::deque<Link>& links() const { return links_; }
    std::int64_t epochs_begun() const { return epochs_; }
    /// The counters of a core of an epoch in flight; nullptr: the epoch was not launched with this probe.
    const CoreProbe* core(const EpochProbe* epoch, std::size_t op, std::size_t core) const;
    std::int64_t number(const EpochProbe* epoch) const;  ///< in order of their start
    /// FPU and SFPU cycles of all cores of a chip in epochs that have ended.
    Cycle math_of_ended(std::int64_t chip) const;

    /// Inputs of the finished launches of a graph.
    std::int64_t inputs_before(const Graph& graph) const;

private:
    class Launched;
    const Launched* find(const EpochProbe* epoch) const;
    std::deque<Link> links_;
    std::list<std::unique_ptr<Launched>> in_flight_;
    std::map<const Graph*, std::int64_t> ended_;  // inputs
    std::int64_t epochs_ = 0;
    std::map<std::int64_t, Cycle> math_of_ended_;  // by chip
};

}  // namespace ttsim::impl::sim
