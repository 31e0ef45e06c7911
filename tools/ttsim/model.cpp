#include "tools/ttsim/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/files/result_folder.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/target.hpp"
#include "runtime/part_values.hpp"
#include "sim/figures/steady.hpp"
#include "tools/common/input_kind.hpp"

namespace ttsim::impl::cli {

struct Compiled {
    ir::CompiledModel model;
    std::string constants;                   ///< folder to read constants from; "": the model has them
    std::shared_ptr<const Machine> machine;  ///< of an image; null: determined by the model's device
};

/// Reads a folder or an image; an image runs only on its own machine. `run_before`: samples or parts run before the
/// whole model, so constants are needed.
static Compiled read_compiled(const sim::RunOptions& options, bool run_before) {
    (void)device_chip(options.device);  // registers a chip given by its path, so that the netlist may name it
    if (!options.arch.empty()) (void)chip(options.arch);
    if (kind_of(options.netlist) == InputKind::CompiledModel) {
        ir::CompiledModel model = ir::read_without_constants(options.netlist);
        if (model.host.program.parts() == 1 && !run_before) return {std::move(model), options.netlist, nullptr};
        return {ir::read_folder(options.netlist), "", nullptr};
    }
    image::Image image = image::read_image(options.netlist);
    if (ir::is_trained(image.model))
        fail_unsupported(
            {options.netlist, 0, 0},
            "the image is of a model that is trained; ttsim.Trainer('{0}') in Python trains it, and 'ttsim "
            "compile --training -o FOLDER' writes a folder whose netlist runs one step",
            options.netlist);
    if (!(options.arch + options.device + options.cluster).empty() || !options.harvested_rows.empty())
        image::check_same_target(image.machine,
                                 image::requested_machine(image.machine, options.arch,
                                                          {options.device, options.cluster, options.harvested_rows, 1}),
                                 options.netlist);
    return {std::move(image.model), "", std::make_shared<const Machine>(std::move(image.machine))};
}

static ir::Entries zeros(const std::vector<ir::BoundTensor>& tensors, std::int64_t samples) {
    ir::Entries entries;
    for (const ir::BoundTensor& tensor : tensors) {
        const auto zero = ir::to_entry(ir::Literal(tensor.type.dtype, tensor.type.dims));
        entries[tensor.queue].assign(static_cast<std::size_t>(samples) * tensor.entries_per_sample(), zero);
    }
    return entries;
}

/// Values of inputs and constants; the constants are moved out of the model.
static sim::HostValues host_values(ir::CompiledModel& model, ir::Entries inputs) {
    for (ir::QueueConstant& constant : model.constants) {
        std::vector<Tensor>& entries = inputs[constant.queue];
        entries.clear();
        entries.push_back(std::move(constant.entry).take());
    }
    model.constants.clear();
    return inputs;
}

/// Runs parts and samples whose results later ones need, in a session without a clock, created on first use.
static ir::PartRun part_run(const Compiled& compiled, const sim::RunOptions& options) {
    auto values = std::make_shared<std::unique_ptr<runtime::PartValues>>();
    return [&compiled, &options, values](std::int64_t part, const ir::Entries& inputs, std::int64_t samples) {
        if (options.mode == sim::Mode::Timing) return zeros(results_of_part(compiled.model.host, part), samples);
        if (!*values) {
            runtime::SessionOptions session;
            session.numerics = options.numerics;
            session.threads = options.threads;
            session.stop = options.stop;
            Machine machine = compiled.machine ? *compiled.machine : runtime::machine_of(compiled.model);
            *values = std::make_unique<runtime::PartValues>(compiled.model, std::move(machine), session);
        }
        return (*values)->run(part, inputs, samples);
    };
}

report::ModelReport run_compiled(const ir::ModelRunValues& given, const sim::RunOptions& options,
                                 const DeviceRun& execute) {
    if (options.mode == sim::Mode::Timing && !(given.outputs_dir + given.expect_dir).empty())
        throw CLI::ValidationError("--mode", "timing mode computes no outputs");
    report::ModelReport report;
    ir::ModelRunOptions run_options;
    static_cast<ir::ModelRunValues&>(run_options) = given;
    run_options.place = options.netlist;
    run_options.inputs_dir = options.inputs_dir;
    run_options.reference = options.check && options.mode != sim::Mode::Timing;
    Compiled compiled = read_compiled(options, !run_options.feed_back.empty());
    ir::CompiledModel& model = compiled.model;
    const auto device = [&](const ir::HostSteps& steps, ir::Entries inputs, std::int64_t samples) {
        sim::RunOptions run = options;
        run.inputs_dir = compiled.constants;
        run.least_pcc = ir::least_rounded_pcc(run_options.least_pcc);
        run.value = std::make_shared<const Netlist>(model.netlist);
        if (run.arch.empty()) run.arch = model.report.arch;
        run.machine = compiled.machine;
        if (run.device.empty() && !compiled.machine) run.device = steps.device;
        if (run.programs.empty())
            for (const ir::ModelProgram& program : model.programs) run.programs.push_back(program.name);
        const ir::Executes executes = ir::fill_executes(steps.microbatch, samples, inputs);
        for (const ir::ModelProgram& program : model.programs)
            if (!program.executes.empty()) run.params[program.executes] = executes.count;
        if (!run.inputs_count) run.inputs_count = executes.inputs_count;
        run.host_values = std::make_shared<const sim::HostValues>(host_values(model, std::move(inputs)));
        ir::Entries results = zeros(steps.from_device, samples);
        run.sink = [&](const std::string& queue, std::int64_t entry, Tensor value) {
            const auto found = results.find(queue);
            if (found != results.end() && entry < std::ssize(found->second))
                found->second[static_cast<std::size_t>(entry)] = std::move(value);
        };
        report.device = execute(run);
        return results;
    };
    report.model = ir::run_model(model, run_options, device, part_run(compiled, options));
    report.model.notes.insert(report.model.notes.end(), model.report.notes.begin(), model.report.notes.end());
    sim::count_host(report.device, report.model.samples, report.model.host_seconds, report.model.all_on_host);
    if (options.mode == sim::Mode::Timing) report.model.outputs.clear();
    return report;
}

}  // namespace ttsim::impl::cli
