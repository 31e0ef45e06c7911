#include "sim/timed/machine.hpp"

#include <chrono>
#include <optional>

#include "kernels/ops/integer_bits.hpp"
#include "sim/machine/sequencer.hpp"
#include "sim/machine/watch.hpp"
#include "sim/trace/recorder.hpp"

namespace ttsim::impl::sim {

namespace {

/// The trace of a run, if requested. It is finished however the run ends.
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
            state_.report.trace_failure = error;  // the report of the run stays valid
        }
        recorder_.reset();
    }
    Error failed(const Error& error, Cycle now) {
        if (!recorder_) return error;
        const bool hang = error.fault() == Fault::Hang, stop = error.fault() == Fault::Interrupted;
        try {
            recorder_->finish(hang ? "hang" : stop ? "interrupted" : "failed", error.message(), now);
        } catch (const Error& lost) {
            return {error.fault(), fmt::format("{}\n{}", error.what(), lost.what()), error.problems()};
        }
        return {error.fault(), fmt::format("{}\n{}: contains the run so far", error.what(), state_.settings.trace.file),
                error.problems()};
    }

private:
    RunState& state_;
    std::optional<Recorder> recorder_;
};

}  // namespace

struct LiveMachine::Parts {
    Tracing tracing;
    Clock clock;
    Board board;
    Context context;
    Sequencer sequencer;

    explicit Parts(RunState& state, Watch* watch)
        : tracing(state),
          board(state.machine, clock, state.settings.idealized),
          context{state, traced(board, watch), clock.now(), false, probe(watch), {}},
          sequencer(context, EpochStream(state.netlist, {}, state.settings.inputs_count)) {
        clock.stop_when(state.settings.stop);
    }
    Probe* probe(Watch* watch) {
        Recorder* const recorder = tracing.recorder();
        return recorder ? static_cast<Probe*>(recorder) : watch;
    }
    Board& traced(Board& board_to_trace, Watch* watch) {
        if (Probe* p = probe(watch)) board_to_trace.trace(*p);
        return board_to_trace;
    }
};

LiveMachine::LiveMachine(RunState& state, Watch* watch)
    : state_(state), watch_(watch), parts_(std::make_unique<Parts>(state, watch)) {}

LiveMachine::~LiveMachine() = default;

void LiveMachine::call(const ProgramCall& call) { parts_->sequencer.call(call); }

bool LiveMachine::advance(const Until& until, std::uint64_t deadline) { return advance(until, deadline, nullptr); }

bool LiveMachine::finish_calls(const std::function<void()>& at_intervals) {
    const auto until = [&] {
        if (parts_->clock.at_interval()) at_intervals();
        return idle();
    };
    return advance(until, no_deadline, &parts_->context.attention);
}

/// `needed`: as for Clock::set_between().
bool LiveMachine::advance(const Until& until, std::uint64_t deadline, const bool* needed) {
    Clock& clock = parts_->clock;
    clock.failure().rethrow();
    if (until()) return true;
    clock.set_between(
        [&] {
            parts_->sequencer.between_cycles();
            if (until()) clock.pause();
        },
        needed);
    clock.run_to(deadline);
    clock.set_between({});
    clock.failure().rethrow();
    return until();
}

bool LiveMachine::idle() const { return parts_->sequencer.finished(); }
std::uint64_t LiveMachine::now() const { return parts_->clock.now(); }
std::uint64_t LiveMachine::dram_busy() const { return parts_->board.dram_busy(); }
std::int64_t LiveMachine::pushed(const Queue& queue) const { return parts_->sequencer.host(queue).cursor().pushed(); }
std::int64_t LiveMachine::room(const Queue& queue) const { return parts_->sequencer.host(queue).cursor().room(); }
std::int64_t LiveMachine::popped(const Queue& queue) const { return parts_->sequencer.host(queue).cursor().popped(); }
std::int64_t LiveMachine::ready(const Queue& queue) const { return parts_->sequencer.host(queue).cursor().ready(); }

void LiveMachine::push(const Queue& queue, EntryPtr entry) {
    HostPort& host = parts_->sequencer.host(queue);
    if (state_.values()) state_.store.put(queue, host.cursor().pushed(), std::move(entry));
    host.push();
    parts_->sequencer.host_acted();
}

void LiveMachine::pop(const Queue& queue, std::int64_t count) {
    parts_->sequencer.host(queue).pop(count);
    parts_->sequencer.host_acted();
}

Tensor LiveMachine::read(const Queue& queue, std::int64_t n) { return state_.read(queue, n); }

void LiveMachine::write(const Queue& ram, std::int64_t slot, EntryPtr entry) {
    parts_->clock.pass_to(parts_->sequencer.write_ram(ram));
    parts_->sequencer.host_acted();
    parts_->clock.failure().rethrow();
    if (state_.values()) state_.store.put(ram, slot, std::move(entry));
}

std::uint64_t LiveMachine::next_event() const { return parts_->clock.next(); }

std::string LiveMachine::waits() const { return wait_chain(parts_->sequencer.unfinished()).text; }
std::vector<Room> LiveMachine::exhausted_buffers() const {
    return wait_chain(parts_->sequencer.unfinished()).exhausted_buffers;
}
Error LiveMachine::failed(const Error& error) { return parts_->tracing.failed(error, now()); }
void LiveMachine::complete() { parts_->tracing.complete(now()); }

// --- view for a debugger -------------------------------------------------------------------------------------------

const Netlist& MachineView::netlist() const { return machine_.state_.netlist; }
const Machine& MachineView::machine() const { return machine_.state_.machine; }
Cycle MachineView::now() const { return machine_.now(); }
std::string MachineView::waits() const { return machine_.waits(); }

std::int64_t MachineView::epochs_begun() const { return machine_.watch_ ? machine_.watch_->epochs_begun() : 0; }

std::vector<EpochState> MachineView::epochs() const {
    std::vector<EpochState> states;
    for (const Epoch* epoch : machine_.parts_->sequencer.epochs()) {
        EpochState state{.plan = &epoch->plan(),
                         .inputs = epoch->inputs(),
                         .over = epoch->inputs_over(),
                         .started = epoch->started(),
                         .share = epoch->done_fraction()};
        if (machine_.watch_) state.number = machine_.watch_->number(epoch->probe());
        for (const Graph* graph : epoch->plan().graphs) state.graphs += (state.graphs.empty() ? "" : ",") + graph->name;
        states.push_back(std::move(state));
    }
    return states;
}

static CoreCounters counters_of(const CoreProbe& probe) {
    const CoreProbe::Input sum = probe.totals();
    const auto& s = sum.spent;
    return {.math = sum.math,
            .math_bound = s[CoreProbe::MathBound],
            .unpack_bound = s[CoreProbe::UnpackBound],
            .wait_source = s[CoreProbe::Source],
            .wait_noc = s[CoreProbe::Noc],
            .wait_dram = s[CoreProbe::Dram],
            .wait_room = s[CoreProbe::Room],
            .wait_output = s[CoreProbe::Output],
            .wait_dst = s[CoreProbe::Dst],
            .wait_pack = s[CoreProbe::Pack],
            .steps = sum.steps,
            .tiles = sum.tiles};
}

std::vector<CoreState> MachineView::cores(const Op* op) const {
    std::vector<CoreState> states;
    for (const Epoch* epoch : machine_.parts_->sequencer.epochs())
        for (std::size_t o = 0; o < epoch->cores().size(); ++o)
            for (const auto& core : epoch->cores()[o]) {
                if (op && core->op().op != op) continue;
                CoreState& state = states.emplace_back(core->state());
                if (!epoch->loaded()) state.activity = CoreActivity::Loading, state.waits.clear();
                const CoreProbe* probe =
                    machine_.watch_ ? machine_.watch_->core(epoch->probe(), o, core->index()) : nullptr;
                if (!probe) continue;
                state.counters = counters_of(*probe);
                (probe->since() > now() ? state.until : state.since) = probe->since();
            }
    return states;
}

std::vector<FlowState> MachineView::flows(const Op* op) const {
    std::vector<FlowState> states;
    for (const Epoch* epoch : machine_.parts_->sequencer.epochs()) {
        for (const auto& pipe : epoch->pipes())
            if (FlowState state = pipe->state(); !op || state.op->op == op) states.push_back(std::move(state));
        for (const auto& writer : epoch->writers())
            if (FlowState state = writer->state(); !op || state.op->op == op) states.push_back(std::move(state));
    }
    return states;
}

QueueState MachineView::queue(const Queue& queue) const {
    const auto& known = machine_.parts_->context.queues;
    const auto memory = known.find(&queue);
    QueueState state = memory == known.end() ? QueueState{} : memory->second->state();
    state.queue = &queue;
    return state;
}

std::vector<LinkState> MachineView::links() const {
    std::vector<LinkState> states;
    if (!machine_.watch_) return states;
    for (const Watch::Link& link : machine_.watch_->links())
        if (link.load.transfers > 0)
            states.push_back({kind_name(link.name.kind), resource_text(link.name), link.name.chip,
                              link.name.bytes_per_cycle, link.load.transfers, link.load.bytes_passed, link.load.busy(),
                              link.load.queueing});
    return states;
}

Cycle MachineView::math_of_ended(std::int64_t chip) const {
    return machine_.watch_ ? machine_.watch_->math_of_ended(chip) : 0;
}

/// Inputs of an op: `count` over the cores of the launch in flight, plus those of earlier launches.
template <class Count>
static std::int64_t count_inputs(const std::vector<const Epoch*>& epochs, const Watch* watch, const Netlist& netlist,
                                 const Op& op, Count&& count) {
    const Graph* graph = nullptr;
    for (const Graph& g : netlist.graphs)
        if (std::any_of(g.ops.begin(), g.ops.end(), [&](const Op& o) { return &o == &op; })) graph = &g;
    std::int64_t inputs = 0;
    for (const Epoch* epoch : epochs)
        for (const auto& cores : epoch->cores())
            if (!cores.empty() && cores.front()->op().op == &op) inputs = count(cores);
    return inputs + (watch && graph ? watch->inputs_before(*graph) : 0);
}

std::int64_t MachineView::inputs_begun(const Op& op) const {
    return count_inputs(machine_.parts_->sequencer.epochs(), machine_.watch_, machine_.state_.netlist, op,
                        [](const auto& cores) {
                            std::int64_t most = 0;
                            for (const auto& core : cores) most = std::max(most, core->inputs_begun());
                            return most;
                        });
}

std::int64_t MachineView::inputs_packed(const Op& op) const {
    return count_inputs(machine_.parts_->sequencer.epochs(), machine_.watch_, machine_.state_.netlist, op,
                        [](const auto& cores) {
                            std::int64_t least = cores.front()->produced();
                            for (const auto& core : cores) least = std::min(least, core->produced());
                            return least / cores.front()->op().input_tiles();
                        });
}

std::optional<MachineView::Values> MachineView::values(const Op& op, std::size_t core, std::int64_t slice) const {
    for (const Epoch* epoch : machine_.parts_->sequencer.epochs())
        for (const auto& cores : epoch->cores()) {
            if (cores.empty() || cores.front()->op().op != &op || core >= cores.size()) continue;
            const BlockPtr block = cores[core]->block(slice);
            if (!block || !cores[core]->submitted(slice)) return std::nullopt;
            machine_.state_.pool.wait(block->task);
            Values values{block->data, block->rows, block->cols};
            if (is_stored_as_bits(op.cfg.out_df))
                integers_to_floats(MatrixView{values.data.data(), values.rows, values.cols, values.cols});
            return values;
        }
    return std::nullopt;
}

/// Calls the telemetry callback about every 100 ms of host time.
class TelemetryReporter {
public:
    TelemetryReporter(const MachineSettings& settings, const LiveMachine& machine)
        : settings_(settings), machine_(machine) {}
    void report_if_due() {
        if (!settings_.telemetry) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_report_ < std::chrono::milliseconds{100}) return;
        settings_.telemetry(machine_.view());
        last_report_ = now;
    }
    void report() const {
        if (settings_.telemetry) settings_.telemetry(machine_.view());
    }

private:
    const MachineSettings& settings_;
    const LiveMachine& machine_;
    std::chrono::steady_clock::time_point last_report_ = std::chrono::steady_clock::now();
};

void run_machine(RunState& state) {
    Watch watch;
    LiveMachine machine(state, state.settings.telemetry ? &watch : nullptr);
    const AbandonOnFailure tasks(state.pool);
    TelemetryReporter telemetry(state.settings, machine);
    try {
        for (const ProgramCall& call : state.calls) machine.call(call);
        telemetry.report();
        if (!machine.finish_calls([&] { telemetry.report_if_due(); })) {
            state.exhausted_buffers = machine.exhausted_buffers();
            throw Error(Fault::Hang, {state.netlist.file, 0, 0},
                        fmt::format("nothing can move at cycle {}:{}", machine.now(), machine.waits()));
        }
        machine.advance([] { return false; });  // the host's last transfers
        telemetry.report();
    } catch (const Error& error) {
        throw machine.failed(error);
    }
    machine.complete();
    state.pool.wait_all();
    state.report.cycles = machine.now();
    state.report.memory.dram_busy_cycles = machine.dram_busy();
}

}  // namespace ttsim::impl::sim
