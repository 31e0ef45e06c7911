// Writes the counters of the probes to the tables of a trace (docs/trace.md).
//
//   machine --probes--> Recorder --rows at the end of each epoch--> trace::Writer --> FILE.ttperf
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "sim/machine/probe.hpp"
#include "sim/noc/topology.hpp"
#include "sim/state/run_state.hpp"
#include "sim/trace/plan_rows.hpp"

namespace ttsim::impl::sim {

class Recorder : public Probe {
public:
    /// Throws Error(Input) when the file cannot be written.
    explicit Recorder(const RunState& state);
    ~Recorder() override;

    Load* resource(const ResourceName& name) override;
    EpochProbe* launch(const Plan& plan, const EpochLaunch& launch, Cycle now) override;
    void walk(StateWalk& walk) override;
    void over(EpochProbe* epoch, Cycle now, double inputs_per_second) override;

    /// Finishes the trace of a machine that stopped at `now`. `status`: "complete" or the kind of failure, with its
    /// message. Epochs in flight are recorded as far as they ran. Throws Error(Input) when the trace, or an earlier
    /// part of it, could not be written.
    void finish(const std::string& status, const std::string& message, Cycle now);

private:
    class Launched;
    struct LastWritten {  ///< the last epoch of a plan that was written with its own rows
        std::int64_t epoch = 0;
        std::unique_ptr<Launched> launched;
    };
    /// Runs `work` unless writing has failed before. After a failure the run continues without trace; finish() reports
    /// it.
    template <class Work>
    void guarded(Work&& work);
    void add_run(const std::string& status, const std::string& message, Cycle now, unsigned bucket_shift);
    void add_setup();
    struct EpochRow {
        const Plan* plan;
        std::int64_t id, inputs;
        Cycle start, cycles;
        double inputs_per_second;
        std::optional<std::int64_t> same_as;
    };
    void add_epoch(const EpochRow& row, const std::string& status);
    void repeat_epochs(std::size_t count, std::int64_t rounds, Cycle shift);
    void move_in_flight(std::int64_t launches, Cycle cycles);
    void add_rows(const Launched& epoch);
    void add_core(std::int64_t epoch, std::int64_t core, const CoreProbe& probe);
    void add_routes(std::int64_t flow, const std::vector<RoutePart>& parts);
    std::int64_t route(const NocLeg& leg);
    void add_resources(unsigned bucket_shift, Cycle now);
    void close_epoch(std::unique_ptr<Launched> epoch, Cycle now, const std::string& status, double inputs_per_second);
    std::optional<std::int64_t> pattern(const Events& events, int numbers);

    const RunState& state_;
    std::unique_ptr<trace::Writer> writer_;
    std::optional<Error> failure_;
    PlanWriter plans_;
    std::map<const Plan*, PlanRows> rows_of_;
    std::map<const Plan*, LastWritten> written_;
    std::deque<ResourceName> names_;
    std::deque<Load> loads_;  // loads_[i] belongs to names_[i]
    std::list<std::unique_ptr<Launched>> in_flight_;
    std::unordered_map<std::string, std::int64_t> patterns_;
    std::map<std::int64_t, noc::Topology> topologies_;  // topologies of the chips on the routes
    std::map<std::array<std::int64_t, 8>, std::int64_t> routes_;
    std::set<std::int64_t> routed_;     // flows whose routes are written
    std::vector<EpochRow> epoch_rows_;  // epochs that have ended
    std::int64_t epochs_ = 0, most_times_ = 1;
};

}  // namespace ttsim::impl::sim
