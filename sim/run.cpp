#include "sim/run.hpp"

#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/new_file.hpp"
#include "netlist/golden.hpp"
#include "sim/decoupled.hpp"
#include "sim/setup.hpp"

namespace tt::sim {

bool RunReport::pass() const {
    return std::all_of(outputs.begin(), outputs.end(),
                       [](const OutputReport& o) { return o.result.pass || !o.result.judged; });
}

bool RunReport::fast_enough() const {
    return std::all_of(performance.begin(), performance.end(),
                       [](const PerformanceFigure& f) { return f.met() || !f.judged(); });
}

static std::int64_t entries_of(const RunState& state, const Queue& queue) {
    const auto it = state.forecast.queues.find(&queue);
    const std::int64_t touched = it == state.forecast.queues.end() ? 0 : it->second.entries;
    return queue.type == QueueType::Ram ? queue.entries : touched;
}

namespace {
/// The folder of --dump-io. Unless done() was reached, what was written is taken away again.
class DumpFolder {
public:
    explicit DumpFolder(std::filesystem::path path) : path_(std::move(path)), existed_(std::filesystem::exists(path_)) {
        std::error_code failed;
        std::filesystem::create_directories(path_ / "inputs", failed);
        if (!failed) std::filesystem::create_directories(path_ / "outputs", failed);
        if (!failed) return;
        clean();
        fail_input({path_.string(), 0, 0}, "cannot make the folder: {}", failed.message());
    }
    ~DumpFolder() {
        if (!done_) clean();
    }
    DumpFolder(const DumpFolder&) = delete;
    DumpFolder& operator=(const DumpFolder&) = delete;
    std::string file(const std::string& name) {
        written_.push_back(path_ / name);
        return written_.back().string();
    }
    std::string path() const { return path_.string(); }
    void done() { done_ = true; }

private:
    void clean() {
        std::error_code ignored;  // nothing more can be done about a folder that resists
        for (const auto& file : written_) std::filesystem::remove(file, ignored);
        if (existed_) return;
        for (const char* part : {"inputs", "outputs", ""}) std::filesystem::remove(path_ / part, ignored);
    }
    std::filesystem::path path_;
    bool existed_, done_ = false;
    std::vector<std::filesystem::path> written_;
};
}  // namespace

static void give_outputs(RunState& state) {
    for (const Queue* queue : judged_outputs(state.netlist))
        for (std::int64_t n = 0; n < entries_of(state, *queue); ++n)
            if (state.store.has(*queue, n))
                state.options.sink(queue->name, n, unpack_entry(state.store.read(*queue, n)));
}

static void dump_io(Setup& setup) {
    RunState& state = *setup.state;
    DumpFolder folder(state.options.dump_dir);
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
        dump_queue(folder.file(file), queue, entries, entries.rbegin()->first + 1);
        manifest.inputs.push_back({queue.name, file, 0});
    }
    for (const Queue* queue : judged_outputs(setup.netlist)) {
        const std::int64_t count = entries_of(state, *queue);
        std::map<std::int64_t, EntrySpan> entries;
        for (std::int64_t n = 0; n < count; ++n)
            if (state.store.has(*queue, n)) entries[n] = state.store.read(*queue, n);
        const std::string file = "outputs/" + npy_name(queue->name);
        dump_queue(folder.file(file), *queue, entries, count);
        manifest.outputs.push_back({queue->name, file, 0});
    }
    write_manifest(folder.path(), manifest);
    folder.done();
}

namespace {
/// The verdict over one output queue, entry by entry.
class Judge {
public:
    Judge(RunState& state, const Queue& queue)
        : state_(state), queue_(queue), rule_(comparison_for(state.netlist, queue, state.options.strict)) {
        const bool exact_numbers = state.options.numerics == Numerics::Float32;
        report_.queue = queue.name;
        report_.comparison = exact_numbers ? float32_comparison() : rule_.comparison;
        report_.rule = exact_numbers ? "--numerics float32" : rule_.source;
        comparison_ =
            std::make_unique<QueueComparison>(report_.comparison, queue.tile, judged_part(state.netlist, queue));
    }
    void add(std::int64_t n, const Tensor& expected) {
        if (state_.store.has(queue_, n)) comparison_->add(expected, unpack_entry(state_.store.read(queue_, n)));
    }
    OutputReport finish() {
        report_.result = comparison_->result();
        if (report_.result.judged && rule_.strict_pcc > 0 && report_.result.pcc < rule_.strict_pcc) {
            report_.result.pass = false;
            if (report_.result.first_failure.empty())
                report_.result.first_failure =
                    fmt::format("--strict: pcc {:.6f} < {}", report_.result.pcc, rule_.strict_pcc);
        }
        return report_;
    }

private:
    RunState& state_;
    const Queue& queue_;
    ComparisonRule rule_;
    OutputReport report_;
    std::unique_ptr<QueueComparison> comparison_;
};
}  // namespace

static void check_outputs(RunState& state) {
    const std::vector<const Queue*> outputs = judged_outputs(state.netlist);
    std::map<const Queue*, Judge> judges;
    for (const Queue* queue : outputs) judges.try_emplace(queue, state, *queue);
    GoldenOptions options;
    options.numerics = state.options.numerics;
    options.tf32 = state.machine.chips.front().params.features.fp32_dest;
    options.inputs_count = state.options.inputs_count;
    options.host_entry = [&state](const Queue& queue, std::int64_t n) {
        const EntryPtr entry = state.host.entry(queue, n);
        TT_CHECK(entry, "host entry {} of '{}' was forecast", n, queue.name);
        return unpack_entry({{entry}, queue.shape().z});
    };
    options.sink = [&judges](const Queue& queue, std::int64_t n, const Tensor& value) {
        judges.at(&queue).add(n, value);
    };
    if (state.options.progress) options.progress = [&state](double share) { state.options.progress(share, "golden"); };
    Golden golden(state.netlist, state.forecast, std::move(options), state.pool);
    golden.run(state.calls);
    for (const Queue* queue : outputs) {
        Judge& judge = judges.at(queue);
        if (queue->type == QueueType::Ram)
            for (std::int64_t n = 0; n < entries_of(state, *queue); ++n)
                if (const auto expected = golden.entry(*queue, n)) judge.add(n, *expected);
        OutputReport report = judge.finish();
        if (report.result.entries > 0) state.report.outputs.push_back(std::move(report));
    }
}

RunReport run(const RunOptions& options) {
    // Blocks of some hundred KiB come and go all the time: keep their memory instead of returning it to the system.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_ARENA_MAX, 1);
    if (!options.trace.file.empty()) {
        if (options.mode == Mode::Functional)
            fail_input({options.trace.file, 0, 0},
                       "cannot be written: functional mode has no clock; use full or timing");
        const NewFile probe(options.trace.file);  // before any work
    }
    const std::unique_ptr<Setup> setup = set_up(options);
    RunState& state = *setup->state;
    // (1) what the host will push
    if (state.values()) {
        state.host = setup->manifest ? HostInputs::load(setup->netlist, state.forecast, state.options.inputs_dir,
                                                        *setup->manifest, state.options.host_values, *setup->pool)
                                     : HostInputs::generate(setup->netlist, state.forecast, state.options.seed,
                                                            state.options.stimulus, *setup->pool);
    }
    // (2) the machine
    if (!state.options.perf_op.empty()) {
        run_decoupled(state);
    } else if (state.options.mode == Mode::Functional) {
        for (const auto& [queue, entries] : state.host.all())
            for (const auto& [n, entry] : entries) state.store.put(*queue, n, entry);
        run_functional(state);
    } else {
        run_machine(state);
    }
    if (state.options.mode != Mode::Functional && state.options.perf_op.empty())
        state.report.performance = measure(state.netlist, state.report, state.input_record);
    // (3) what it left, against golden
    if (state.values() && state.options.sink) give_outputs(state);
    if (state.values() && !state.options.dump_dir.empty()) dump_io(*setup);
    if (state.values() && state.options.check) check_outputs(state);
    for (std::string& note : state.saturations.notes()) state.report.notes.push_back(std::move(note));
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
