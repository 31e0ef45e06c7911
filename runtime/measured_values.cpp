#include "runtime/measured_values.hpp"

#include "compiler/model/model_run.hpp"
#include "runtime/model.hpp"
#include "runtime/part_values.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::runtime {

namespace {

double noise_of(const QueueComparison::Result& result) {
    constexpr double least = 1e-3, all = 1e6;
    return result.all_undefined() ? 0 : result.pcc > least ? 1 / (result.pcc * result.pcc) - 1 : all;
}

/// Runs all parts of the device at once, on the machine that the model was compiled for.
class DeviceValues {
public:
    DeviceValues(const ir::CompiledModel& model, const ir::Measurement& what) : model_(model), what_(what) {}

    ir::Entries operator()(const ir::HostSteps& steps, ir::Entries inputs, std::int64_t samples) {
        sim::RunOptions run;
        run.value = std::make_shared<const Netlist>(model_.netlist);
        run.machine = std::make_shared<const Machine>(machine_of(model_));
        run.arch = run.machine->chips.front().params.name;
        run.mode = sim::Mode::Functional;
        run.check = run.check_ops = what_.by_op;
        for (const ir::ModelProgram& program : model_.programs) run.programs.push_back(program.name);
        const ir::Executes executes = ir::fill_executes(steps.microbatch, samples, inputs);
        for (const ir::ModelProgram& program : model_.programs)
            if (!program.executes.empty()) run.params[program.executes] = executes.count;
        run.inputs_count = executes.inputs_count;
        for (const ir::QueueConstant& constant : model_.constants) inputs[constant.queue] = {*constant.entry.tensor()};
        run.host_values = std::make_shared<const sim::HostValues>(std::move(inputs));
        ir::Entries results;
        for (const ir::BoundTensor& tensor : steps.from_device)
            results[tensor.queue].assign(static_cast<std::size_t>(samples) * tensor.entries_per_sample(),
                                         ir::to_entry(ir::Literal(tensor.type.dtype, tensor.type.dims)));
        run.sink = [&](const std::string& queue, std::int64_t entry, Tensor value) {
            const auto found = results.find(queue);
            if (found != results.end() && entry < std::ssize(found->second))
                found->second[static_cast<std::size_t>(entry)] = std::move(value);
        };
        report_ = sim::run(run);
        return results;
    }
    const sim::RunReport& report() const { return report_; }

private:
    const ir::CompiledModel& model_;
    const ir::Measurement& what_;
    sim::RunReport report_;
};

}  // namespace

/// Computed by golden, which uses the host's values without conversion.
static ir::Measured in_float32(const ir::CompiledModel& model, const ir::Values& inputs) {
    ModelOptions options;
    options.session.golden = true;
    options.session.mode = sim::Mode::Functional;
    options.session.numerics = Numerics::Float32;
    ir::Values read;
    for (const ModelTensor& tensor : inputs_of(model))
        if (const auto found = inputs.find(tensor.name); found != inputs.end()) read.insert(*found);
    return {Model(model, std::move(options)).run(read), {}, {}};
}

ir::Measured measured_values(const ir::CompiledModel& given, const ir::Measurement& what) {
    if (what.in_float32) return in_float32(given, what.inputs);
    ir::CompiledModel model = given;
    model.inputs = what.inputs;
    ir::ModelRunOptions around;
    around.reference = false;
    DeviceValues device(model, what);
    std::unique_ptr<PartValues> parts;
    const auto part = [&](std::int64_t number, const ir::Entries& inputs, std::int64_t samples) {
        if (!parts) parts = std::make_unique<PartValues>(model, machine_of(model), SessionOptions{});
        return parts->run(number, inputs, samples);
    };
    const ir::ModelRunReport report = ir::run_model(model, around, std::ref(device), part);
    ir::Measured measured;
    for (const ir::ModelOutput& output : report.outputs) measured.outputs.emplace(output.name, output.value);
    for (const sim::OpCheckReport& op : device.report().ops) {
        measured.alone[op.op] = noise_of(op.local);
        measured.so_far[op.op] = noise_of(op.accumulated);
    }
    return measured;
}

double measured_cycles(const ir::CompiledModel& model) {
    sim::RunOptions run;
    run.value = std::make_shared<const Netlist>(model.netlist);
    run.machine = std::make_shared<const Machine>(machine_of(model));
    run.arch = run.machine->chips.front().params.name;
    run.mode = sim::Mode::Timing;
    run.check = false;
    for (const ir::ModelProgram& program : model.programs) {
        run.programs.push_back(program.name);
        if (!program.executes.empty()) run.params[program.executes] = 1;
    }
    return static_cast<double>(sim::run(run).cycles);
}

}  // namespace ttsim::impl::runtime
