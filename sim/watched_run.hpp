// A run that somebody drives: it goes on piece by piece, can be looked at in between, and is the same every time, so
// that going back is running again.
//
//   WatchedRun run(options);  run.advance(until, cycle);  run.view(), run.entry(), run.departures()
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/machine/machine_view.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::sim {

/// Where the result of an op is no number, or leaves golden.
struct Departure {
    std::string op;
    std::int64_t input = 0;  ///< of the run
    std::string what;        ///< "3 values ... are NaN", "pcc 0.81 < 0.99: ..."
};

class WatchedRun {
public:
    /// What to look for in results of ops, as each input of them is packed; empty lists: nothing. "*": every op.
    struct Checks {
        std::vector<std::string> nan, golden;
        bool any() const { return !nan.empty() || !golden.empty(); }
    };
    enum class State : std::uint8_t { Going, Over, Hangs };

    /// Reads and lays out; nothing has moved yet. In Timing mode nothing is skipped. Throws Error as run() does, and
    /// for Functional mode, which has no clock.
    explicit WatchedRun(const RunOptions& options, Checks checks = {});
    ~WatchedRun();
    WatchedRun(const WatchedRun&) = delete;
    WatchedRun& operator=(const WatchedRun&) = delete;

    /// Goes on until `until` holds after an instant in which something happened, what happens at cycle `deadline` has,
    /// or the run is over or hangs. Returns whether `until` held.
    bool advance(const std::function<bool()>& until, std::uint64_t deadline);
    State state() const;
    MachineView view() const;
    const Netlist& netlist() const;
    const Machine& machine() const;
    const RunOptions& options() const;
    std::string arch() const;
    std::vector<std::shared_ptr<const Plan>> plans() const;  ///< of all epochs of the run
    bool values() const;                                     ///< not in Timing mode
    /// An entry of a queue or slot of a ram; nothing when it was never written, or has been dropped.
    std::optional<Tensor> entry(const Queue& queue, std::int64_t n) const;
    /// The bytes of the same, tiles in the order [z][r][c] (kernels/formats/tile_codec.hpp). Null: as above.
    std::shared_ptr<const std::vector<std::uint8_t>> packed_entry(const Queue& queue, std::int64_t n) const;
    /// With checks: what was found since the last call.
    std::vector<Departure> departures();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace ttsim::impl::sim
