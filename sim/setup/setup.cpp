#include "sim/setup/setup.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error_codes.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "kernels/kernel_shape.hpp"
#include "netlist/checks/validate.hpp"
#include "netlist/stimulus/stimulus_choice.hpp"
#include "netlist/text/reader.hpp"
#include "sim/checks/performance.hpp"
#include "sim/inputs/sparse_counts.hpp"

namespace ttsim::impl::sim {

std::int64_t chips_named(const Netlist& netlist) {
    std::int64_t highest = 0;
    const auto update = [&](std::int64_t id) { highest = std::max(highest, id); };
    for (const Queue& queue : netlist.queues) update(queue.device());
    for (const Graph& graph : netlist.graphs) {
        update(graph.device());
        for (const Op& op : graph.ops) update(op.cfg.attr.dest_device);
    }
    return highest + 1;
}

ProgramCall make_call(const Netlist& netlist, const std::string& name,
                      const std::map<std::string, std::int64_t>& params, RunReport& report) {
    const Program* program = netlist.find_program(name);
    std::vector<std::string> names;
    for (const Program& p : netlist.programs) names.push_back(p.name);
    if (!program)
        fail(Fault::Input, {{netlist.file, 0, 0}, error_code::unknown_name, {name}},
             "the netlist has no program '{}'{}", name, did_you_mean(name, names));
    ProgramCall call{program, {}};
    for (const ChosenParameter& chosen : choose_parameters(netlist, *program, params)) {
        call.params[chosen.name] = chosen.value;
        const bool known = std::any_of(report.params.begin(), report.params.end(),
                                       [&](const ChosenParameter& p) { return p.name == chosen.name; });
        if (!known) report.params.push_back(chosen);
    }
    return call;
}

static std::vector<ProgramCall> choose_calls(const Netlist& netlist, const RunOptions& options, RunReport& report) {
    report.programs = options.programs;
    if (report.programs.empty())
        for (const Program& program : netlist.programs) report.programs.push_back(program.name);
    std::vector<ProgramCall> calls;
    for (const std::string& name : report.programs) calls.push_back(make_call(netlist, name, options.params, report));
    return calls;
}

void refuse_trace_without_clock(const MachineSettings& settings) {
    if (!settings.trace.file.empty() && settings.mode == Mode::Functional)
        fail_input({settings.trace.file, 0, 0}, "cannot be written: functional mode has no clock; use full or timing");
}

void check_on(Netlist& netlist, const Machine& machine) {
    set_chip(netlist, machine.chips.front().params.features);
    Diagnostics problems;
    validate(netlist, machine.chips.front().params, machine.grid(machine.chips.front().id), machine.chips.back().id + 1,
             problems);
    problems.throw_if_any();
}

/// Completes the options from the manifest: programs, parameters, inputs_count and architecture. Options set by the
/// caller win.
static RunOptions with_manifest(RunOptions options, const Manifest& manifest) {
    if (options.programs.empty()) options.programs = manifest.programs;
    for (const auto& [name, value] : manifest.params) options.params.try_emplace(name, value);
    if (!options.inputs_count) options.inputs_count = manifest.inputs_count;
    if (options.arch.empty()) options.arch = manifest.arch;
    return options;
}

/// Adds one note that lists the functions --math exact computes as --math fast does.
static void note_fast_parts(const Netlist& netlist, RunReport& report) {
    std::set<std::string> parts;
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops)
            for (const std::string& part : non_bit_true_parts(op.cfg)) parts.insert(part);
    if (!parts.empty())
        report.notes.push_back(fmt::format(
            "--math exact: {} computed as with --math fast, their algorithms are not public", fmt::join(parts, ", ")));
}

/// Settings of the machine; its progress reports name the stage after the simulation.
static MachineSettings settings_of(const RunOptions& options) {
    MachineSettings settings = options;
    if (options.progress && options.check && options.mode != Mode::Timing)
        settings.progress = [tell = options.progress](RunProgress progress) {
            progress.next = "computing golden";
            tell(progress);
        };
    return settings;
}

/// A manifest may give the first entries of rams that ops write, such as trained parameters. They are in memory before
/// the run.
static void forecast_given_rams(const Manifest& manifest, RunState& state) {
    for (const ManifestEntry& item : manifest.inputs) {
        const Queue* queue = state.netlist.find_queue(item.queue);
        if (!queue || !queue->is_op_fed_ram()) continue;
        const auto found = state.forecast.queues.find(queue);
        if (found == state.forecast.queues.end()) continue;
        found->second.host.resize(static_cast<std::size_t>(found->second.entries));
        std::iota(found->second.host.begin(), found->second.host.end(), std::int64_t{0});
    }
}

/// Sparse products whose encodings neither the netlist nor the user gives.
static void note_made_up_encodings(const Netlist& netlist, RunReport& report) {
    constexpr std::size_t encoding = 2;  // operand
    std::vector<const Queue*> made_up;
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops)
            if (op.cfg.attr.identity && op.inputs.size() > encoding)
                if (const Queue* queue = netlist.find_queue(op.inputs[encoding]); queue && queue->host_fed())
                    made_up.push_back(queue);
    if (made_up.empty()) return;
    const StimulusChooser chooser(netlist);
    const auto count = std::count_if(made_up.begin(), made_up.end(), [&](const Queue* queue) {
        return chooser.choose(*queue).stimulus.type == Stimulus::Type::SparseConvolution;
    });
    if (count == 0) return;
    report.notes.push_back(fmt::format(
        "the encodings of {} sparse product{} are not given and were made up like the picker of a convolution: "
        "{} sparse tiles for each row of output tiles, along the diagonal; --inputs DIR gives others",
        count, count == 1 ? "" : "s", convolution_row_tiles));
}

/// Validates and elaborates the netlist for one architecture; throws its problems.
static void try_arch(Setup& setup, const std::string& arch, const RunOptions& options, ThreadPool& pool) {
    MachineOptions wanted;
    wanted.device = options.device;
    wanted.cluster = options.cluster;
    wanted.harvested_rows = options.harvested_rows;
    wanted.chips = chips_named(setup.netlist);
    setup.machine = options.machine ? *options.machine : make_machine(arch, wanted);
    setup.arch = setup.machine.chips.front().params.name;

    check_on(setup.netlist, setup.machine);

    RunReport report;
    std::vector<ProgramCall> calls = choose_calls(setup.netlist, options, report);
    setup.state =
        std::make_unique<RunState>(setup.netlist, setup.machine, std::move(calls), settings_of(options), pool);
    if (setup.manifest) forecast_given_rams(*setup.manifest, *setup.state);
    if (options.check && options.check_ops && setup.state->values())
        setup.state->op_results = std::make_unique<OpResults>(options.numerics);
    report.netlist = setup.netlist.file;
    report.arch = setup.arch;
    report.validated = setup.machine.chips.front().params.validated;
    report.device = setup.machine.name;
    report.mode = options.mode;
    report.numerics = options.numerics;
    report.seed = options.seed;
    report.inputs_count = setup.state->forecast.most_inputs;
    report.notes = setup.netlist.notes;
    report.clock_mhz = setup.machine.chips.front().params.clock_mhz;
    if (options.numerics == Numerics::Exact && options.mode != Mode::Timing) note_fast_parts(setup.netlist, report);
    if (!setup.manifest && !options.host_values) note_made_up_encodings(setup.netlist, report);
    setup.state->report = std::move(report);
    if (options.plans == PlanPurpose::Run || setup.manifest)  // generated encodings only have times
        setup.state->sparse = known_sparse_counts(setup.netlist, setup.state->forecast, options,
                                                  setup.manifest ? &*setup.manifest : nullptr);
    setup.state->elaborate_all();
}

/// Chooses the error of the chip with the fewest problems, the first of several. Other chips add limits of their own,
/// which would hide the errors of the file.
static Error nearest_refusal(const std::vector<std::pair<std::string, Error>>& refusals, const std::string& file) {
    const auto problems = [](const std::pair<std::string, Error>& refusal) {
        const std::string_view lines = refusal.second.what();
        return std::count(lines.begin(), lines.end(), '\n');
    };
    const auto nearest = std::min_element(refusals.begin(), refusals.end(),
                                          [&](const auto& a, const auto& b) { return problems(a) < problems(b); });
    const auto alike = [&](const auto& refusal) {  // the error does not depend on the chip
        return std::string_view(refusal.second.what()) == nearest->second.what();
    };
    if (std::all_of(refusals.begin(), refusals.end(), alike)) return nearest->second;
    std::string tried;
    for (const auto& [arch, error] : refusals) tried += (tried.empty() ? "" : ", ") + arch;
    return {nearest->second.fault(),
            fmt::format("{}\n{}: note: valid on none of {}; these are the problems on {}", nearest->second.what(), file,
                        tried, nearest->first),
            nearest->second.problems()};
}

void fill_host(Setup& setup) {
    RunState& state = *setup.state;
    const RunOptions& options = setup.options;
    state.host = setup.manifest || options.host_values
                     ? HostInputs::load(setup.netlist, state.forecast, options, setup.manifest, *setup.pool)
                     : HostInputs::generate(setup.netlist, state.forecast, options.seed, options.stimulus, *setup.pool);
    for (const std::string& note : state.host.notes()) state.report.notes.push_back(note);
}

/// Adds the notes on the chip to the report, for runs and for checks.
static void add_chip_notes(Setup& setup) {
    for (const std::string& note : chip_notes(setup.machine.chips.front().params)) {
        setup.netlist.notes.push_back(note);
        setup.state->report.notes.push_back(note);
    }
}

std::unique_ptr<Setup> set_up(const RunOptions& given, const std::function<void(Netlist&)>& amend) {
    auto setup = std::make_unique<Setup>();
    RunOptions& options = setup->options;
    options = given;
    if (!options.perf_op.empty()) options.mode = Mode::Timing;
    if (!options.inputs_dir.empty()) {
        setup->manifest = read_manifest(options.inputs_dir);
        options = with_manifest(options, *setup->manifest);
    }
    const std::string of_device = device_chip(options.device);  // also registers a chip that is given by its path
    if (!options.arch.empty()) (void)chip(options.arch);
    setup->netlist = resolve(options.value ? *options.value : read_netlist(options.netlist));
    if (amend) amend(setup->netlist);
    check_names(options.idealized, setup->netlist);
    for (std::string& note : check_performance_names(setup->netlist)) setup->netlist.notes.push_back(std::move(note));
    // its tasks compute values, which timing mode does not
    setup->pool = std::make_unique<ThreadPool>(options.mode == Mode::Timing ? 1 : resolve_threads(options.threads));

    std::vector<std::string> archs;
    if (!options.arch.empty()) {
        archs = {options.arch};
    } else if (!of_device.empty()) {
        archs = {of_device};
    } else {
        const std::vector<std::string> known = chip_names();
        for (const std::string& arch : setup->netlist.archs)
            if (std::find(known.begin(), known.end(), arch) != known.end()) archs.push_back(arch);
        if (archs.empty())
            fail_unsupported(setup->netlist.arch_loc,
                             "none of the archs of this netlist can be simulated; supported: {}",
                             fmt::join(known, ", "));
    }
    std::vector<std::pair<std::string, Error>> refusals;
    for (const std::string& arch : archs) {
        try {
            try_arch(*setup, arch, options, *setup->pool);
            add_chip_notes(*setup);
            return setup;
        } catch (const Error& error) {
            if (error.fault() != Fault::Input && error.fault() != Fault::Unsupported) throw;
            refusals.emplace_back(arch, error);
            setup->state.reset();
        }
    }
    throw nearest_refusal(refusals, options.netlist);
}

}  // namespace ttsim::impl::sim
