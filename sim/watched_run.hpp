// A run that a debugger drives: it advances in steps and can be inspected between them. Runs are deterministic, so
// going back means running again from the start.
//
//   WatchedRun run(options);  run.advance(until, cycle);  run.view(), run.entry(), run.check_findings()
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/machine/machine_view.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::sim {

/// A result of an op that contains NaNs or infinities, or differs from golden.
struct CheckFinding {
    std::string op;
    std::int64_t input = 0;  ///< index of the input within the run
    std::string what;        ///< "3 values ... are NaN", "pcc 0.81 < 0.99: ..."
};

class WatchedRun {
public:
    /// Ops whose results are checked after each packed input: for NaNs and infinities, and against golden. "*": every
    /// op.
    struct Checks {
        std::vector<std::string> nan, golden;
        bool any() const { return !nan.empty() || !golden.empty(); }
    };
    enum class State : std::uint8_t { Running, Finished, Hangs };

    /// Reads and elaborates the netlist; simulation has not started. Extrapolation is off in Timing mode. Throws Error
    /// as run() does, and for Functional mode, which has no clock.
    explicit WatchedRun(const RunOptions& options, Checks checks = {});
    ~WatchedRun();
    WatchedRun(const WatchedRun&) = delete;
    WatchedRun& operator=(const WatchedRun&) = delete;

    /// Advances until `until` holds after an instant with events, all events at cycle `deadline` have happened, or the
    /// run has finished or hangs. Returns whether `until` held.
    bool advance(const std::function<bool()>& until, std::uint64_t deadline);
    State state() const;
    MachineView view() const;
    const Netlist& netlist() const;
    const Machine& machine() const;
    const RunOptions& options() const;
    std::string arch() const;
    std::vector<std::shared_ptr<const Plan>> plans() const;  ///< of all epochs of the run
    bool values() const;                                     ///< not in Timing mode
    /// An entry of a queue or slot of a ram; no value when it was never written, or has been dropped.
    std::optional<Tensor> entry(const Queue& queue, std::int64_t n) const;
    /// The encoded bytes of the entry, tiles in the order [z][r][c] (kernels/formats/tile_codec.hpp). Null when entry()
    /// has no value.
    std::shared_ptr<const std::vector<std::uint8_t>> packed_entry(const Queue& queue, std::int64_t n) const;
    /// With checks: the findings since the last call.
    std::vector<CheckFinding> check_findings();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace ttsim::impl::sim
