#include "sim/run.hpp"

#include <malloc.h>

#include <algorithm>
#include <filesystem>

#include "netlist/golden.hpp"
#include "sim/setup.hpp"

namespace tt::sim {

bool RunReport::pass() const {
    return std::all_of(outputs.begin(), outputs.end(),
                       [](const OutputReport& o) { return o.result.pass || !o.result.judged; });
}

static std::int64_t entries_of(const RunState& state, const Queue& queue) {
    const auto it = state.forecast.queues.find(&queue);
    const std::int64_t touched = it == state.forecast.queues.end() ? 0 : it->second.entries;
    return queue.type == QueueType::Ram ? queue.entries : touched;
}

static void dump_io(Setup& setup) {
    RunState& state = *setup.state;
    const std::filesystem::path folder = state.options.dump_dir;
    std::error_code failed;
    std::filesystem::create_directories(folder / "inputs", failed);
    if (!failed) std::filesystem::create_directories(folder / "outputs", failed);
    if (failed) fail_input({folder.string(), 0, 0}, "cannot make the folder: {}", failed.message());
    Manifest manifest;
    manifest.netlist = std::filesystem::path(setup.netlist.file).filename().string();
    manifest.arch = setup.arch;
    manifest.programs = state.report.programs;
    for (const ChosenParameter& p : state.report.params) manifest.params[p.name] = p.value;
    manifest.inputs_count = state.options.inputs_count;
    for (const Queue& queue : setup.netlist.queues) {
        if (!state.host.all().contains(&queue)) continue;
        std::map<std::int64_t, EntrySpan> entries;
        for (const auto& [n, entry] : state.host.all().at(&queue)) entries[n] = {{entry}, queue.shape().z};
        const std::string file = "inputs/" + npy_name(queue.name);
        dump_queue((folder / file).string(), queue, entries, entries.rbegin()->first + 1);
        manifest.inputs.push_back({queue.name, file, 0});
    }
    for (const Queue* queue : judged_outputs(setup.netlist)) {
        const std::int64_t count = entries_of(state, *queue);
        std::map<std::int64_t, EntrySpan> entries;
        for (std::int64_t n = 0; n < count; ++n)
            if (state.store.has(*queue, n)) entries[n] = state.store.read(*queue, n);
        const std::string file = "outputs/" + npy_name(queue->name);
        dump_queue((folder / file).string(), *queue, entries, count);
        manifest.outputs.push_back({queue->name, file, 0});
    }
    write_manifest(folder.string(), manifest);
}

static OutputReport judge(RunState& state, Golden& golden, const Queue& queue) {
    const bool exact_numbers = state.options.numerics == Numerics::Float32;
    const ComparisonRule rule = comparison_for(state.netlist, queue, state.options.strict);
    OutputReport report;
    report.queue = queue.name;
    report.comparison = exact_numbers ? float32_comparison() : rule.comparison;
    report.rule = exact_numbers ? "--numerics float32" : rule.source;
    QueueComparison comparison(report.comparison, queue.tile, judged_part(state.netlist, queue));
    for (std::int64_t n = 0; n < entries_of(state, queue); ++n) {
        const std::shared_ptr<const Tensor> expected = golden.entry(queue, n);
        if (!expected || !state.store.has(queue, n)) continue;
        comparison.add(*expected, unpack_entry(state.store.read(queue, n)));
    }
    report.result = comparison.result();
    if (report.result.judged && rule.strict_pcc > 0 && report.result.pcc < rule.strict_pcc) {
        report.result.pass = false;
        if (report.result.first_failure.empty())
            report.result.first_failure = fmt::format("--strict: pcc {:.6f} < {}", report.result.pcc, rule.strict_pcc);
    }
    return report;
}

static void check_outputs(RunState& state) {
    GoldenOptions options;
    options.numerics = state.options.numerics;
    options.tf32 = state.machine.chips.front().params.features.fp32_dest;
    options.inputs_count = state.options.inputs_count;
    options.host_entry = [&state](const Queue& queue, std::int64_t n) {
        const EntryPtr entry = state.host.entry(queue, n);
        TT_CHECK(entry, "host entry {} of '{}' was forecast", n, queue.name);
        return unpack_entry({{entry}, queue.shape().z});
    };
    if (state.options.progress) options.progress = [&state](double share) { state.options.progress(share, "golden"); };
    Golden golden(state.netlist, state.forecast, std::move(options), state.pool);
    golden.run(state.calls);
    const std::vector<const Queue*> outputs = judged_outputs(state.netlist);
    std::vector<OutputReport> reports(outputs.size());
    state.pool.parallel_for(outputs.size(), [&](std::size_t i) { reports[i] = judge(state, golden, *outputs[i]); });
    for (OutputReport& report : reports)
        if (report.result.entries > 0) state.report.outputs.push_back(std::move(report));
}

RunReport run(const RunOptions& options) {
    // Blocks of some hundred KiB come and go all the time: keep their memory instead of returning it to the system.
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    const std::unique_ptr<Setup> setup = set_up(options);
    RunState& state = *setup->state;
    // (1) what the host will push
    if (state.values()) {
        state.host = setup->manifest
                         ? HostInputs::load(setup->netlist, state.forecast, state.options.inputs_dir, *setup->manifest,
                                            *setup->pool)
                         : HostInputs::generate(setup->netlist, state.forecast, state.options.seed,
                                                state.options.stimulus, *setup->pool);
    }
    // (2) the machine
    if (state.options.mode == Mode::Functional) {
        for (const auto& [queue, entries] : state.host.all())
            for (const auto& [n, entry] : entries) state.store.put(*queue, n, entry);
        run_functional(state);
    } else {
        run_machine(state);
    }
    // (3) what it left, against golden
    if (state.values() && !state.options.dump_dir.empty()) dump_io(*setup);
    if (state.values() && state.options.check) check_outputs(state);
    return std::move(state.report);
}

std::string check(const RunOptions& options) { return set_up(options)->arch; }

std::string explain(const RunOptions& options) {
    const std::unique_ptr<Setup> setup = set_up(options);
    std::string text;
    for (const auto& [_, prepared] : setup->state->plans) text += print_plan(*prepared.plan);
    return text;
}

}  // namespace tt::sim
