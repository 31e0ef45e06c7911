#include "sim/live.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "netlist/checks/validate.hpp"
#include "sim/checks/performance.hpp"
#include "sim/figures/memory_use.hpp"
#include "sim/figures/steady.hpp"
#include "sim/inputs/sparse_counts.hpp"
#include "sim/setup/setup.hpp"
#include "sim/timed/machine.hpp"
#include "sim/untimed/functional_engine.hpp"
#include "sim/untimed/golden_engine.hpp"

namespace ttsim::impl::sim {

static std::unique_ptr<Engine> make_engine(RunState& state, Evaluator evaluator) {
    if (evaluator == Evaluator::Golden) return std::make_unique<GoldenEngine>(state);
    if (state.settings.mode == Mode::Functional) return std::make_unique<FunctionalEngine>(state);
    return std::make_unique<LiveMachine>(state);
}

LiveNetlist::LiveNetlist(Netlist netlist, Machine machine, MachineSettings settings, Evaluator evaluator)
    : netlist_(resolve(netlist)),
      machine_(std::move(machine)),
      pool_(std::make_unique<ThreadPool>(resolve_threads(settings.threads))) {
    if (evaluator == Evaluator::Golden) settings.mode = Mode::Functional;
    refuse_trace_without_clock(settings);
    check_on(netlist_, machine_);
    state_ = std::make_unique<RunState>(netlist_, machine_, std::vector<ProgramCall>{}, std::move(settings), *pool_);
    state_->live = true;
    RunReport& report = state_->report;
    report.netlist = netlist_.file;
    report.arch = machine_.chips.front().params.name;
    report.validated = machine_.chips.front().params.validated;
    report.notes = chip_notes(machine_.chips.front().params);
    report.device = machine_.name;
    report.mode = state_->settings.mode;
    report.numerics = state_->settings.numerics;
    report.clock_mhz = machine_.chips.front().params.clock_mhz;
    for (const Graph& graph : netlist_.graphs)
        for (const Op& op : graph.ops) sparse_ops_ += op.cfg.attr.identity ? 1 : 0;
    engine_ = make_engine(*state_, evaluator);
}

LiveNetlist::~LiveNetlist() {
    try {
        engine_->complete();
    } catch (const std::exception&) {  // a trace that cannot be finished is dropped
    }
    pool_.reset();  // tasks in flight refer to the engine and the state
    engine_.reset();
}

bool LiveNetlist::read_by_graph(const Queue& queue) const {
    const auto it = state_->read_by_graph.find(&queue);
    return it != state_->read_by_graph.end() && it->second;
}

/// Counts the encodings that were pushed since the last call.
void LiveNetlist::update_sparse_counts() {
    if (state_->sparse.size() == sparse_ops_) return;
    const auto known = sparse_counts(netlist_, [this](const Queue& queue) -> std::optional<Tensor> {
        const std::int64_t n = queue.type == QueueType::Ram ? 0 : engine_->pushed(queue) - 1;
        if (!state_->store.has(queue, n)) return {};
        return engine_->read(queue, n);
    });
    state_->sparse.insert(known.begin(), known.end());
}

void LiveNetlist::call(const std::string& program, const std::map<std::string, std::int64_t>& params,
                       std::optional<std::int64_t> first_input) {
    ProgramCall call = make_call(netlist_, program, params, state_->report);
    call.first_input = first_input;
    std::vector<std::string>& programs = state_->report.programs;
    if (std::find(programs.begin(), programs.end(), program) == programs.end()) programs.push_back(program);
    update_sparse_counts();
    engine_->call(call);
}

RunReport LiveNetlist::report() const {
    pool_->wait_all();  // saturation counts are complete only when all values are computed
    RunReport report = state_->report;
    report.cycles = engine_->now();
    report.memory.dram_busy_cycles = engine_->dram_busy();
    report_memory(*state_, report);
    summarize(report);
    for (std::string& note : state_->saturations.notes()) report.notes.push_back(std::move(note));
    report.performance = measure(netlist_, report, state_->input_record);
    return report;
}

void LiveNetlist::finish_trace() {
    engine_->complete();
    if (state_->report.trace_failure) throw *state_->report.trace_failure;
}

}  // namespace ttsim::impl::sim
