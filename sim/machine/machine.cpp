#include "sim/machine/machine.hpp"

#include <optional>

#include "sim/machine/sequencer.hpp"
#include "sim/machine/systemc_context.hpp"
#include "sim/trace/recorder.hpp"

namespace tt::sim {

namespace {

/// The trace of a run, when one is wanted: finished whatever the end of the run.
class Tracing {
public:
    explicit Tracing(RunState& state) : state_(state) {
        if (!state.settings.trace.file.empty()) recorder_.emplace(state);
    }
    Recorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }
    void complete(Cycle now) {
        if (!recorder_) return;
        try {
            recorder_->finish("complete", "", now);
        } catch (const Error& error) {
            state_.report.trace_failure = error;  // the report of the run is none the worse
        }
        recorder_.reset();
    }
    Error failed(const Error& error, Cycle now) {
        if (!recorder_) return error;
        const bool hang = error.fault() == Fault::Hang, stop = error.fault() == Fault::Interrupted;
        try {
            recorder_->finish(hang ? "hang" : stop ? "interrupted" : "failed", error.message(), now);
        } catch (const Error& lost) {
            return {error.fault(), fmt::format("{}\n{}", error.what(), lost.what())};
        }
        return {error.fault(), fmt::format("{}\n{}: holds what was done", error.what(), state_.settings.trace.file)};
    }

private:
    RunState& state_;
    std::optional<Recorder> recorder_;
};

}  // namespace

struct LiveMachine::Parts {
    Tracing tracing;
    Clock clock{"clock"};
    Board board;
    Context context;
    Sequencer sequencer;

    explicit Parts(RunState& state)
        : tracing(state),
          board("board", state.machine, clock),
          context{state, traced(board), clock.now(), false, tracing.recorder(), {}},
          sequencer(context, EpochStream(state.netlist, {}, state.settings.inputs_count)) {
        clock.stop_when(state.settings.stop);
    }
    Board& traced(Board& made) {
        if (Recorder* recorder = tracing.recorder()) made.trace(*recorder);
        return made;
    }
};

/// SystemC modules live and die inside the context they were made in.
LiveMachine::LiveMachine(RunState& state) : state_(state), systemc_(std::make_unique<SystemcContext>()) {
    const auto turn = systemc_->turn();
    parts_ = std::make_unique<Parts>(state);
}

LiveMachine::~LiveMachine() {
    const auto turn = systemc_->turn();
    parts_.reset();
}

void LiveMachine::call(const ProgramCall& call) {
    const auto turn = systemc_->turn();
    parts_->sequencer.call(call);
}

bool LiveMachine::advance(const Until& until, std::uint64_t deadline) {
    const auto turn = systemc_->turn();
    Clock& clock = parts_->clock;
    clock.failure().rethrow();
    if (until()) return true;
    clock.set_between([&] {
        parts_->sequencer.between_cycles();
        if (until()) sc_core::sc_pause();
    });
    clock.run_to(deadline);
    clock.set_between({});
    clock.failure().rethrow();
    return until();
}

bool LiveMachine::idle() const { return parts_->sequencer.finished(); }
std::uint64_t LiveMachine::now() const { return parts_->clock.now(); }
std::int64_t LiveMachine::pushed(const Queue& queue) const { return parts_->sequencer.host(queue).end().pushed(); }
std::int64_t LiveMachine::room(const Queue& queue) const { return parts_->sequencer.host(queue).end().room(); }
std::int64_t LiveMachine::popped(const Queue& queue) const { return parts_->sequencer.host(queue).end().popped(); }
std::int64_t LiveMachine::ready(const Queue& queue) const { return parts_->sequencer.host(queue).end().ready(); }

void LiveMachine::push(const Queue& queue, EntryPtr entry) {
    const auto turn = systemc_->turn();
    HostPort& host = parts_->sequencer.host(queue);
    if (state_.values()) state_.store.put(queue, host.end().pushed(), std::move(entry));
    host.push();
    parts_->sequencer.host_acted();
}

void LiveMachine::pop(const Queue& queue, std::int64_t count) {
    const auto turn = systemc_->turn();
    parts_->sequencer.host(queue).pop(count);
    parts_->sequencer.host_acted();
}

Tensor LiveMachine::read(const Queue& queue, std::int64_t n) { return state_.read(queue, n); }

void LiveMachine::write(const Queue& ram, std::int64_t slot, EntryPtr entry) {
    const auto turn = systemc_->turn();
    parts_->clock.pass_to(parts_->sequencer.write_ram(ram));
    parts_->sequencer.host_acted();
    parts_->clock.failure().rethrow();
    if (state_.values()) state_.store.put(ram, slot, std::move(entry));
}

std::string LiveMachine::waits() const { return wait_chain(parts_->sequencer.unfinished()).text; }
std::vector<Room> LiveMachine::short_of() const { return wait_chain(parts_->sequencer.unfinished()).short_of; }
Error LiveMachine::failed(const Error& error) { return parts_->tracing.failed(error, now()); }
void LiveMachine::complete() { parts_->tracing.complete(now()); }

void run_machine(RunState& state) {
    LiveMachine machine(state);
    try {
        for (const ProgramCall& call : state.calls) machine.call(call);
        if (!machine.advance([&] { return machine.idle(); })) {
            state.short_of = machine.short_of();
            throw Error(Fault::Hang, {state.netlist.file, 0, 0},
                        fmt::format("nothing can move at cycle {}:{}", machine.now(), machine.waits()));
        }
        machine.advance([] { return false; });  // the host's last transfers
    } catch (const Error& error) {
        throw machine.failed(error);
    }
    machine.complete();
    state.pool.wait_all();
    state.report.cycles = machine.now();
}

}  // namespace tt::sim
