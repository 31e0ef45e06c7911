#include "tools/ttsim/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/result_folder.hpp"
#include "tools/ttsim/commands.hpp"

namespace tt::cli {

void add_model_flags(CLI::App& command, ModelFlags& flags, Outputs& outputs) {
    ir::ModelRunOptions& o = flags.options;
    command
        .add_option("--input", flags.inputs,
                    "Compiled model: values of an input, .npy or .pb; repeatable. With one axis more in front, so many "
                    "samples are run. Others are those of the compile")
        ->allow_extra_args(false)
        ->type_name("NAME=FILE");
    outputs.folder_of_files("--outputs", o.outputs_dir, "Compiled model: write NAME.npy for each of its outputs there");
    command
        .add_option("--expect", o.expect_dir,
                    "Compiled model: compare its outputs with NAME.npy there; exits with 1 below --pcc")
        ->check(quiet(CLI::ExistingDirectory))
        ->type_name("DIR");
    command
        .add_option("--pcc", o.least_pcc,
                    "Least correlation with --expect (of whole numbers: share that is equal). Default: 0.99")
        ->check(quiet(CLI::Range(-1.0, 1.0)))
        ->type_name("X");
}

void refuse_model_flags(const ModelFlags& flags) {
    const auto refuse = [](const char* name) {
        throw CLI::ValidationError(name, "it is for the folder of a compiled model, and a netlist is given");
    };
    if (!flags.inputs.empty()) refuse("--input");
    if (!flags.options.outputs_dir.empty()) refuse("--outputs");
    if (!flags.options.expect_dir.empty()) refuse("--expect");
}

report::ModelReport run_compiled(const ModelFlags& flags, const sim::RunOptions& options) {
    if (options.mode == sim::Mode::Timing && !(flags.options.outputs_dir + flags.options.expect_dir).empty())
        throw CLI::ValidationError("--mode", "timing mode computes no outputs");
    report::ModelReport report;
    ir::ModelRunOptions model = flags.options;
    model.folder = options.netlist;
    model.inputs_dir = options.inputs_dir;
    model.reference = options.check && options.mode != sim::Mode::Timing;
    for (const std::string& text : flags.inputs) {
        const auto [name, file] = name_and_value("--input", text);
        if (!model.inputs.emplace(name, file).second)
            throw CLI::ValidationError("--input", fmt::format("'{}' is given twice", name));
    }
    const auto device = [&](const ir::HostSteps& steps, ir::Entries inputs, std::int64_t samples) {
        sim::RunOptions run = options;
        run.netlist = model.folder + "/netlist.yaml";
        run.inputs_dir = model.folder;
        if (run.device.empty()) run.device = steps.device;
        const ir::Executes executes = ir::fill_executes(steps.microbatch, samples, inputs);
        run.params[ir::read_programs(model.folder).front().executes] = executes.count;
        if (!run.inputs_count) run.inputs_count = executes.inputs_count;
        run.host_values = std::move(inputs);
        ir::Entries results;
        for (const ir::BoundTensor& tensor : steps.from_device) {
            const auto zero = ir::to_entry(ir::Literal(tensor.type.dtype, tensor.type.dims));
            results[tensor.queue].assign(static_cast<std::size_t>(samples), zero);
        }
        run.sink = [&](const std::string& queue, std::int64_t entry, Tensor value) {
            const auto found = results.find(queue);
            if (found != results.end() && entry < samples)
                found->second[static_cast<std::size_t>(entry)] = std::move(value);
        };
        report.device = sim::run(run);
        return results;
    };
    report.model = ir::run_model(model, device);
    if (options.mode == sim::Mode::Timing) report.model.outputs.clear();
    return report;
}

}  // namespace tt::cli
