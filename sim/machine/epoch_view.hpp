// The interfaces between an epoch and its components: the machine as they see it, and the events they report.
#pragma once

#include <cstdint>

#include "sim/machine/chip.hpp"
#include "sim/state/run_state.hpp"

namespace ttsim::impl::sim {

class Core;

/// Events that the components of an epoch report to it.
class EpochEvents {
public:
    virtual void core_packed(const Core& core) = 0;
    virtual void core_finished() = 0;
    virtual void writer_finished() = 0;
    virtual void entry_written(std::int64_t input) = 0;

protected:
    ~EpochEvents() = default;
};

/// Access of the components to values.
struct EpochValues {
    RunState& state;
    const Compute& compute;
    bool wanted() const { return state.values(); }
    /// Results of ops for --check ops; nullptr: not recorded.
    OpResults* op_results() const { return state.op_results.get(); }
    EntryStore& store() const { return state.store; }
    void close(const EntrySpan& entry, const Queue& queue) const {
        state.store.close(entry, state.pool, state.retained_format(queue));
    }
};

struct EpochView {
    const Cycle& now;
    Board& board;
    const PipeMechanisms& mechanisms;
    const IdealizedResources& ideal;
    std::int64_t inputs;            ///< inputs of the launch
    std::int64_t first_input;       ///< number of the first one in the run
    const StateWalk::Scope& scope;  ///< scope of a walk over the epoch's state
    EpochValues values;
    EpochEvents& events;

    Chip& chip(std::int64_t id) const { return board.chip(id); }
    /// Cycles from a packed block that may be sent to its first tile leaving. `starts`: total number of stream starts.
    Cycle block_time(std::int64_t chip_id, std::int64_t starts) const {
        if (!mechanisms.firmware) return 0;
        const PipeConstants& t = chip(chip_id).pipes();
        return static_cast<Cycle>(t.block + t.block_fork * static_cast<double>(starts));
    }
    void schedule(std::int64_t chip, Cycle when, Actor& actor, std::uint32_t what, std::uint64_t argument = 0) const {
        board.chip(chip).calendar().at(when, actor, what, argument);
    }
};

}  // namespace ttsim::impl::sim
