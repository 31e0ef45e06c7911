#include "sim/watched_run.hpp"

#include <algorithm>
#include <mutex>

#include "sim/checks/op_check.hpp"
#include "sim/machine/watch.hpp"
#include "sim/setup/setup.hpp"
#include "sim/timed/machine.hpp"
#include "sim/untimed/golden_engine.hpp"
#include "sim/values/non_finite.hpp"

namespace ttsim::impl::sim {

namespace {

bool listed(const std::vector<std::string>& list, const std::string& op) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& name) { return name == "*" || name == op; });
}

/// Golden results of selected ops for all inputs.
using GoldenResults = std::map<std::pair<const Op*, std::int64_t>, Tensor>;

GoldenResults golden_results(RunState& state, const std::vector<std::string>& wanted) {
    GoldenResults results;
    std::mutex mutex;
    GoldenOptions options = golden_options(state);
    options.host_entry = [&state](const Queue& queue, std::int64_t n) {
        const EntryPtr entry = state.host.entry(queue, n);
        TT_CHECK(entry, "host entry {} of '{}' was forecast", n, queue.name);
        return unpack_exactly({{entry}, queue.shape().z});
    };
    options.op_result = [&](const Op& op, std::int64_t n, const GoldenPart& part) {
        if (!listed(wanted, op.name())) return;
        const std::scoped_lock lock(mutex);
        Tensor& whole = results[{&op, n}];
        if (part.first == 0) {
            whole = part.slices;
            return;
        }
        whole.data.insert(whole.data.end(), part.slices.data.begin(), part.slices.data.end());
        whole.z += part.slices.z;
    };
    options.sink = [](const Queue&, std::int64_t, const GoldenPart&) {};
    Golden golden(state.netlist, state.forecast, std::move(options), state.pool);
    golden.run(state.calls);
    state.pool.wait_all();
    return results;
}

RunOptions debug_options(RunOptions options, const WatchedRun::Checks& checks) {
    if (options.mode == Mode::Functional)
        throw Error(Fault::Input, {options.netlist, 0, 0}, "functional mode has no clock to stop; use full or timing");
    if (checks.any() && options.mode == Mode::Timing)
        throw Error(Fault::Input, {options.netlist, 0, 0}, "timing mode computes no values; use --mode full");
    options.extrapolate = false;
    options.check = options.check_ops = checks.any();  // makes the machine keep the results of ops
    return options;
}

}  // namespace

struct WatchedRun::Parts {
    Checks checks;
    std::unique_ptr<Setup> setup;
    Watch watch;
    std::unique_ptr<LiveMachine> machine;
    GoldenResults golden;
    std::map<const Op*, std::int64_t> checked_inputs;  // number of checked inputs of an op
    std::vector<CheckFinding> found;
    bool finished = false, hangs = false;

    RunState& state() const { return *setup->state; }
    void check_new_results();
    void check_result(const Op& op, std::int64_t n);
};

WatchedRun::WatchedRun(const RunOptions& options, Checks checks) : parts_(std::make_unique<Parts>()) {
    Parts& p = *parts_;
    p.setup = set_up(debug_options(options, checks));
    p.checks = std::move(checks);
    if (p.state().values()) fill_host(*p.setup);
    if (!p.checks.golden.empty()) p.golden = golden_results(p.state(), p.checks.golden);
    p.machine = std::make_unique<LiveMachine>(p.state(), &p.watch);
    for (const ProgramCall& call : p.state().calls) p.machine->call(call);
}

/// Waits for the tasks first, since they refer to the machine and the state.
WatchedRun::~WatchedRun() {
    try {
        parts_->setup->pool->wait_all();
    } catch (const std::exception&) {  // errors were reported by advance()
    }
    parts_->machine.reset();
}

void WatchedRun::Parts::check_new_results() {
    for (const Graph& graph : state().netlist.graphs)
        for (const Op& op : graph.ops) {
            if (!listed(checks.nan, op.name()) && !listed(checks.golden, op.name())) continue;
            for (std::int64_t& n = checked_inputs[&op]; n < machine->view().inputs_packed(op); ++n) check_result(op, n);
        }
}

void WatchedRun::Parts::check_result(const Op& op, std::int64_t n) {
    const std::optional<EntrySpan> result = state().op_results->at(op, n);
    if (!result) return;
    for (const EntryPtr& part : result->parts)
        for (const Task& task : part->writers) state().pool.wait(task);
    const Tensor values = unpack_entry(*result);
    if (listed(checks.nan, op.name())) {
        NonFinite bad;
        bad.scan(values, n);
        if (bad.count > 0) found.push_back({op.name(), n, bad.text("op '" + op.name() + "'")});
    }
    const auto golden_value = golden.find({&op, n});
    if (golden_value == golden.end()) return;
    QueueComparison comparison(op_rule(state(), op).comparison, op.cfg.tile, compared_part_of(op.cfg));
    comparison.add(golden_value->second, values);
    const QueueComparison::Result verdict = comparison.result();
    if (verdict.judged && !verdict.pass)
        found.push_back(
            {op.name(), n, fmt::format("op '{}' differs from golden: {}", op.name(), verdict.first_failure)});
}

bool WatchedRun::advance(const std::function<bool()>& until, std::uint64_t deadline) {
    Parts& p = *parts_;
    if (p.finished || p.hangs || deadline <= p.machine->now()) return false;
    bool held = false, first = true;
    const auto stop = [&] {
        if (std::exchange(first, false)) return false;  // no event has happened yet in this call
        if (p.checks.any()) p.check_new_results();
        held = held || until();
        return held;
    };
    p.machine->advance(stop, deadline);
    if (!held && p.machine->now() == deadline && p.machine->next_event() == deadline) {
        first = true;  // only the events at the deadline itself
        p.machine->advance(
            [&, at_end = false]() mutable {
                held = stop();
                return std::exchange(at_end, true);
            },
            deadline + 1);
    }
    const bool ended = !held && p.machine->now() < deadline;  // no event is left, including the host's last transfers
    p.finished = ended && p.machine->idle();
    p.hangs = ended && !p.finished;
    return held;
}

WatchedRun::State WatchedRun::state() const {
    return parts_->finished ? State::Finished : parts_->hangs ? State::Hangs : State::Running;
}

MachineView WatchedRun::view() const { return parts_->machine->view(); }
const Netlist& WatchedRun::netlist() const { return parts_->setup->netlist; }
const Machine& WatchedRun::machine() const { return parts_->setup->machine; }
const RunOptions& WatchedRun::options() const { return parts_->setup->options; }
std::string WatchedRun::arch() const { return parts_->setup->arch; }
bool WatchedRun::values() const { return parts_->state().values(); }

std::vector<std::shared_ptr<const Plan>> WatchedRun::plans() const {
    std::vector<std::shared_ptr<const Plan>> plans;
    for (const auto& [_, prepared] : parts_->state().plans) plans.push_back(prepared.plan);
    return plans;
}

/// The entry as far as it is written now; no value when it does not exist.
static std::optional<EntrySpan> stored_entry(RunState& state, const Queue& queue, std::int64_t n) {
    if (!state.values() || !state.store.has(queue, n)) return std::nullopt;
    EntrySpan span = state.store.read(queue, n);
    for (const EntryPtr& part : span.parts)
        for (const Task& task : part->writers) state.pool.wait(task);
    for (const Task& task : span.ready())
        if (task.valid()) state.pool.wait(task);
    return span;
}

std::optional<Tensor> WatchedRun::entry(const Queue& queue, std::int64_t n) const {
    const std::optional<EntrySpan> span = stored_entry(parts_->state(), queue, n);
    return span ? std::optional(unpack_entry(*span)) : std::nullopt;
}

std::shared_ptr<const std::vector<std::uint8_t>> WatchedRun::packed_entry(const Queue& queue, std::int64_t n) const {
    const std::optional<EntrySpan> span = stored_entry(parts_->state(), queue, n);
    if (!span) return nullptr;
    auto bytes = std::make_shared<std::vector<std::uint8_t>>();
    for (const EntryPtr& part : span->parts) bytes->insert(bytes->end(), part->bytes.begin(), part->bytes.end());
    return bytes;
}

std::vector<CheckFinding> WatchedRun::check_findings() { return std::exchange(parts_->found, {}); }

}  // namespace ttsim::impl::sim
