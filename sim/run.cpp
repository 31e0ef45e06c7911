#include "sim/run.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/new_file.hpp"
#include "sim/checks/output_check.hpp"
#include "sim/checks/performance.hpp"
#include "sim/figures/decoupled.hpp"
#include "sim/figures/memory_use.hpp"
#include "sim/figures/steady.hpp"
#include "sim/hang/remedy.hpp"
#include "sim/setup/setup.hpp"
#include "sim/systemc/systemc_functions.hpp"
#include "sim/timed/machine.hpp"
#include "sim/untimed/functional_engine.hpp"

namespace ttsim::impl::sim {

static void send_outputs_to_sink(RunState& state, const RunOptions& options) {
    for (const Queue* queue : reported_outputs(state.netlist))
        for (std::int64_t n = 0; n < entries_of(state, *queue); ++n)
            if (state.store.has(*queue, n)) options.sink(queue->name, n, unpack_entry(state.store.read(*queue, n)));
}

static void dump_io(Setup& setup) {
    RunState& state = *setup.state;
    const RunOptions& options = setup.options;
    NewFolder folder(options.dump_dir, dump_folder());
    const std::filesystem::path folder_path(folder.temporary());
    for (const char* part : {"inputs", "outputs"}) {
        std::error_code failed;
        if (!std::filesystem::create_directory(folder_path / part, failed))
            fail_input({options.dump_dir, 0, 0}, "cannot make the folder: {}", failed.message());
    }
    Manifest manifest;
    manifest.netlist = std::filesystem::path(setup.netlist.file).filename().string();
    manifest.arch = setup.arch;
    manifest.programs = state.report.programs;
    for (const ChosenParameter& p : state.report.params) manifest.params[p.name] = p.value;
    manifest.inputs_count = options.inputs_count;
    for (const Queue& queue : setup.netlist.queues) {
        if (!state.host.all().contains(&queue)) continue;
        std::map<std::int64_t, EntrySpan> entries;
        for (const auto& [n, entry] : state.host.all().at(&queue)) entries[n] = {{entry}, queue.shape().z};
        const std::string file = "inputs/" + npy_name(queue.name);
        dump_queue((folder_path / file).string(), queue, entries, entries.rbegin()->first + 1);
        manifest.inputs.push_back({queue.name, file, 0});
    }
    for (const Queue* queue : reported_outputs(setup.netlist)) {
        const std::int64_t count = entries_of(state, *queue);
        std::map<std::int64_t, EntrySpan> entries;
        for (std::int64_t n = 0; n < count; ++n)
            if (state.store.has(*queue, n)) entries[n] = state.store.read(*queue, n);
        const std::string file = "outputs/" + npy_name(queue->name);
        dump_queue((folder_path / file).string(), *queue, entries, count);
        manifest.outputs.push_back({queue->name, file, 0});
    }
    write_manifest(folder_path.string(), manifest);
    folder.commit();
}

namespace {
/// Reports stages that come before the first input.
void report_stage(const RunOptions& options, std::string_view stage, std::string_view next) {
    if (options.progress) options.progress({.stage = stage, .next = next});
}

/// Adds a remedy to the error of a hang. The search is limited to the time of the run, at least 5 s.
Error with_remedy(const Error& hang, const RunOptions& options, const std::vector<Room>& exhausted_buffers,
                  std::chrono::milliseconds run) {
    if (exhausted_buffers.empty()) return hang;
    report_stage(options, "looking for a buffer to enlarge", "");
    const std::string what = remedy(options, exhausted_buffers, std::max(run, std::chrono::milliseconds{5000}));
    const std::string advice =
        what.empty() ? "no larger buffer or queue of these was found to help" : "it runs with " + what;
    return {Fault::Hang, fmt::format("{}\n  {}", hang.what(), advice), hang.problems()};
}
}  // namespace

static RunReport run_once(const RunOptions& requested, std::vector<Room>& exhausted_buffers) {
    refuse_trace_without_clock(requested);
    if (!requested.trace.file.empty())
        const NewFile probe(requested.trace.file, FileKind::Trace);  // fails early when the file cannot be written
    if (!requested.dump_dir.empty()) const NewFolder probe(requested.dump_dir, dump_folder());
    report_stage(requested, "reading and laying out", "simulating");
    std::optional<SystemcLoading> loading;
    if (requested.mode != Mode::Functional) loading.emplace();
    const std::unique_ptr<Setup> setup = set_up(requested);
    const RunOptions& options = setup->options;
    RunState& state = *setup->state;
    // (1) host inputs
    if (state.values()) {
        report_stage(options, "filling queues", "simulating");
        fill_host(*setup);
    }
    // (2) the machine
    if (!options.perf_op.empty()) {
        run_decoupled(state, options.perf_op);
    } else if (options.mode == Mode::Functional) {
        for (const auto& [queue, entries] : state.host.all())
            for (const auto& [n, entry] : entries) state.store.put(*queue, n, entry);
        run_functional(state);
    } else {
        try {
            run_machine(state);
        } catch (const Error&) {
            exhausted_buffers = std::move(state.exhausted_buffers);
            throw;
        }
    }
    report_memory(state, state.report);
    summarize(state.report);
    if (options.mode != Mode::Functional && options.perf_op.empty())
        state.report.performance = measure(state.netlist, state.report, state.input_record);
    // (3) outputs: sink, dump, comparison with golden
    if (state.values() && options.sink) send_outputs_to_sink(state, options);
    if (state.values() && !options.dump_dir.empty()) dump_io(*setup);
    if (state.values() && options.check) check_outputs(state, options);
    if (state.values() && !options.check) scan_outputs(state);
    for (std::string& note : state.saturations.notes()) state.report.notes.push_back(std::move(note));
    return std::move(state.report);
}

RunReport run(const RunOptions& options) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begun = Clock::now();
    std::vector<Room> exhausted_buffers;
    try {
        return run_once(options, exhausted_buffers);
    } catch (const Error& error) {
        if (error.fault() != Fault::Hang) throw;
        throw with_remedy(error, options, exhausted_buffers,
                          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun));
    }
}

CheckReport check(const RunOptions& options) {
    RunOptions checked = options;
    checked.plans = PlanPurpose::Check;
    const std::unique_ptr<Setup> setup = set_up(checked);
    return {setup->arch, setup->machine.chips.front().params.validated, setup->netlist.notes};
}

std::string explain(const RunOptions& options) {
    const std::unique_ptr<Setup> setup = set_up(options);
    std::string text;
    for (const auto& [_, prepared] : setup->state->plans) text += print_plan(*prepared.plan);
    return text;
}

}  // namespace ttsim::impl::sim
