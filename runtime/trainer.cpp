#include "runtime/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "compiler/host/host_rounding.hpp"
#include "compiler/host/samples.hpp"
#include "compiler/ir/check_input_name.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/model/residue.hpp"
#include "isa/tile.hpp"
#include "kernels/formats/numerics.hpp"
#include "runtime/parameter_parts.hpp"

namespace ttsim::impl::runtime {

namespace {

const ir::ModelProgram* program_of(const ir::CompiledModel& model, ir::ProgramRole role) {
    for (const ir::ModelProgram& program : model.programs)
        if (program.role == role) return &program;
    return nullptr;
}

/// Tensors of the backward program that the host gives or reads.
bool is_gradient_input(const ir::Node& node) { return node.origin.starts_with(ir::loss_prefix); }

}  // namespace

struct Trainer::Impl {
    ir::CompiledModel model;
    bool values;     ///< whether the session computes values
    bool rounds;     ///< whether its queues have the chip's formats
    bool truncates;  ///< whether its registers do
    const ir::ModelProgram *forward, *backward, *optimizer;
    Session session;
    std::vector<ir::BoundTensor> inputs, outputs, incoming, input_gradients;
    bool written = false;           ///< the constants and parameters
    double rate;                    ///< learning rate
    std::int64_t steps = 0;         ///< run so far
    std::int64_t samples_done = 0;  ///< of forward() so far
    std::int64_t waiting = 0;       ///< samples of forward() without their backward()

    Impl(ir::CompiledModel compiled, const ModelOptions& options)
        : model(std::move(compiled)),
          values(options.session.mode != sim::Mode::Timing),
          rounds(!options.session.golden || options.session.numerics != Numerics::Float32),
          truncates(rounds_to_formats(options.session.numerics)),
          forward(program_of(model, ir::ProgramRole::Forward)),
          backward(program_of(model, ir::ProgramRole::Backward)),
          optimizer(program_of(model, ir::ProgramRole::Optimizer)),
          session(model.netlist, options.machine ? *options.machine : machine_of(model), options.session),
          inputs(inputs_of_part(model.host, 1)),
          outputs(results_of_part(model.host, 1)),
          incoming(inputs_of_part(model.host, 2)),
          input_gradients(results_of_part(model.host, 2)),
          rate(model.optimizer.learning_rate) {
        if (!forward || !backward) fail_input(where(), "the model has no backward program; compile it for training");
    }

    SourceLoc where() const { return {model.netlist.file, 0, 0}; }

    void write() {
        if (std::exchange(written, true) || !values) return;
        write_constants(session, model.constants);
        for (const ir::TrainedParameter& parameter : model.trained) keep_truncated(parameter);
    }

    /// Adds to a residue what a register takes from the parameter. The compiler cannot: it depends on the session.
    void keep_truncated(const ir::TrainedParameter& parameter) {
        const std::string* const residue = ir::residue_of(parameter);
        if (!residue || !truncates) return;
        Tensor exact = session.read(parameter.ram, 0), stored = exact;
        ir::read_by_optimizer(model.netlist, parameter, stored);
        if (stored.data == exact.data) return;
        ir::subtract_stored(exact.data, stored.data);
        write_ram(*residue, std::move(exact));
    }

    /// The values of an input by samples. Missing gradients of outputs are zeros: the forward program ignores them.
    std::vector<ir::Values> samples_of(const ir::Values& given) const {
        std::map<std::string, std::vector<ir::Literal>> samples;
        Diagnostics problems;
        std::vector<std::string> names;
        for (const ir::Node& node : model.host.program.graph.nodes) {
            if (!node.is_input() || node.has(ir::attr::device)) continue;
            const std::string name = ir::boundary_name(node);
            if (is_gradient_input(node)) {
                samples[name] = {ir::Literal(node.type.dtype, node.type.dims)};
                continue;
            }
            names.push_back(name);
            const auto found = given.find(name);
            if (found == given.end())
                problems.error(where(), "input '{}' {} has no value", name, to_string(node.type));
            else
                samples[name] =
                    ir::split_samples(ir::fitted_samples(found->second, node.type, where().file, name), node.type);
        }
        for (const auto& [name, unused] : given) ir::check_input_name(name, names, "the call", where(), problems);
        problems.throw_if_any();
        return ir::by_sample(samples, where());
    }

    std::int64_t executes_of(std::size_t samples) const {
        const std::int64_t microbatch = model.host.microbatch, count = static_cast<std::int64_t>(samples);
        if (count % microbatch != 0)
            fail_input(where(), "{} samples are given; a training step needs whole microbatches of {}", count,
                       microbatch);
        if (count > microbatch * model.microbatch_count)
            fail_input(where(),
                       "{} samples are given, and the device keeps values of {}; compile with --microbatch-count {}",
                       count, microbatch * model.microbatch_count, count / microbatch);
        return count / microbatch;
    }

    /// `first_input`: number of the first sample.
    void start(const ir::ModelProgram& program, std::int64_t executes, bool clear,
               std::optional<std::int64_t> first_input = {}) {
        std::map<std::string, std::int64_t> params;
        if (!program.executes.empty()) params[program.executes] = executes;
        if (!program.zero.empty()) params[program.zero] = clear ? 1 : 0;
        session.run(program.name, params, first_input);
    }

    /// The results of one sample.
    ir::Values take(const std::vector<ir::BoundTensor>& tensors) {
        ir::Values results;
        std::map<std::string, Tensor> entries;
        for (const ir::BoundTensor& tensor : tensors) {
            if (entries.contains(tensor.queue)) continue;
            entries.emplace(tensor.queue, values ? session.get(tensor.queue) : Tensor());
            session.pop(tensor.queue);
        }
        for (const ir::BoundTensor& tensor : tensors)
            results.emplace(tensor.name, values ? ir::from_entry(entries.at(tensor.queue), tensor.type)
                                                : ir::Literal(tensor.type.dtype, tensor.type.dims));
        return results;
    }

    /// Writes the numbers that change with the step, for the next one.
    void write_step_numbers() {
        const auto write_number = [this](const std::string& ram, double value) {
            Tensor entry(1, tile_edge, tile_edge);
            entry.data[0] = static_cast<float>(value);
            if (!ram.empty()) write_ram(ram, std::move(entry));
        };
        ++steps;
        for (const ir::TrainedParameter& parameter : model.trained) {
            write_number(parameter.learning_rate, ir::rate_of_step(model.optimizer, rate, steps));
            write_number(parameter.correction, ir::correction_of_step(model.optimizer, steps));
            write_number(parameter.epsilon, ir::epsilon_of_step(model.optimizer, steps));
        }
    }

    /// Rounded to the nearest number of its format, as constants are; a write truncates.
    void write_ram(const std::string& ram, Tensor entry) {
        if (rounds) ir::round_for_push(model.netlist.find_queue(ram)->df, entry.data);
        session.write(ram, 0, entry);
    }

    void check_type(const std::string& name, const ir::Type& type, const ir::Literal& value) const {
        if (value.dims() != type.dims || value.dtype() != type.dtype)
            fail_input(where(), "parameter '{}' is {}, not {}", name, to_string(type),
                       to_string(ir::Type{value.dtype(), value.dims(), {}}));
    }
    /// Writes a tensor of a parameter's shape.
    void store(const ir::TrainedParameter& parameter, const std::string& ram, const ir::Literal& value) {
        write();
        const ir::Literal stored = ir::apply_derivation(*parameter.from, value);
        // gradients and states may be stored in other slices of rows than the parameter, in the same order
        const Blocking& blocking = model.netlist.find_queue(ram)->blocking;
        const TileShape shape = blocking.shape();
        Tensor entry(shape.z, shape.rt * tile_edge, shape.ct * tile_edge);
        TT_CHECK(std::ssize(entry.data) == stored.size(), "'{}' is stored with other dims", ram);
        entry.data = stored.copied_floats();
        write_ram(ram, std::move(entry));
    }

    ir::Values run_forward(const ir::Values& given);
    ir::Values run_backward(const ir::Values& given, bool clear, std::int64_t count);
    void check_backward(std::int64_t count) const;
    ParameterParts find(const std::string& name) const { return parts_of(model, name); }
    ir::Literal read(const ir::TrainedParameter& parameter, const std::string& ram) {
        write();
        Tensor stored = session.read(ram, 0);
        if (truncates && ram == parameter.ram) ir::read_by_optimizer(model.netlist, parameter, stored);
        return ir::undo_derivation(*parameter.from, parameter.type, stored.data);
    }
    /// The parameter without rounding: with its residue.
    ir::Literal value(const ir::TrainedParameter& parameter) {
        ir::Literal value = read(parameter, parameter.ram);
        if (const std::string* residue = ir::residue_of(parameter)) {
            const ir::Literal rest = read(parameter, *residue);
            std::vector<float>& sums = value.floats();
            for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += rest.floats()[i];
        }
        return value;
    }
    void split(const ir::TrainedParameter& parameter, const ir::Literal& value, std::vector<float>& rest);
    void set(const ir::TrainedParameter& parameter, const ir::Literal& value);
    void set_states(const ir::TrainedParameter& parameter, const ir::Values& state);
};

/// Stores the part of each value that the programs read. Beside its residue in `rest` where both are the parts of the
/// value: adding them rounded the last digits of the residue. Else the nearest number, and `rest` becomes what is left.
void Trainer::Impl::split(const ir::TrainedParameter& parameter, const ir::Literal& value, std::vector<float>& rest) {
    constexpr float small = 1.0F / 64;  // beside a value, so that the programs read a value close to it
    // a register truncates Float32: the rounding of a difference must not take a whole digit
    const bool cut = truncates && model.netlist.find_queue(parameter.ram)->df == DataFormat::Float32;
    const float above = cut ? 1 + 0x1p-16F : 1;
    const std::vector<float> wanted = value.copied_floats();
    const auto stored = [&](const std::vector<float>& all) {
        store(parameter, parameter.ram, ir::Literal::of_floats(value.dtype(), value.dims(), std::vector<float>(all)));
        return read(parameter, parameter.ram).copied_floats();
    };
    const std::vector<float> nearest = stored(wanted);
    const auto fits = [&](const std::vector<float>& part, std::size_t i) {
        const float far = std::fabs(wanted[i] - part[i]);
        return part[i] + rest[i] == wanted[i] &&
               (far <= small * std::fabs(wanted[i]) || far <= std::fabs(wanted[i] - nearest[i]));
    };
    std::vector<float> parts = nearest;
    if (std::any_of(rest.begin(), rest.end(), [](float one) { return one != 0; })) {
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = (wanted[i] - rest[i]) * above;
        const std::vector<float> beside = stored(parts);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (!fits(beside, i)) parts[i] = wanted[i];
        parts = stored(parts);
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (!fits(parts, i)) rest[i] = std::isfinite(parts[i]) ? wanted[i] - parts[i] : 0.0F;
}

ir::Values Trainer::Impl::run_forward(const ir::Values& given) {
    if (waiting > 0) fail_input(where(), "{} samples wait for backward()", waiting);
    const std::vector<ir::Values> samples = samples_of(given);
    const std::int64_t executes = executes_of(samples.size());
    write();
    std::vector<ir::HostRun> hosts;
    if (session.has_values())
        for (const ir::Values& sample : samples) hosts.emplace_back(model.host.program, sample);
    start(*forward, executes, false, samples_done);
    std::size_t pushed = 0;
    const auto has_room = [&] {
        return std::all_of(inputs.begin(), inputs.end(),
                           [&](const ir::BoundTensor& tensor) { return session.room(tensor.queue) > 0; });
    };
    std::vector<ir::Values> results;
    for (std::size_t popped = 0; popped < samples.size(); ++popped) {
        for (; pushed < samples.size() && (pushed == popped || has_room()); ++pushed) {
            if (hosts.empty()) {
                for (const ir::BoundTensor& tensor : inputs) session.push_without_values(tensor.queue);
                continue;
            }
            const ir::Values values_by_name = hosts[pushed].device_inputs(1);
            for (const ir::BoundTensor& tensor : inputs)
                session.push(tensor.queue, ir::to_entry(values_by_name.at(tensor.name), tensor));
        }
        ir::Values taken = take(outputs);
        if (hosts.empty()) continue;
        hosts[popped].set_results(1, std::move(taken));
        if (values) results.push_back(hosts[popped].known_outputs());
    }
    session.wait();
    waiting = std::ssize(samples);
    samples_done += waiting;
    ir::Values joined;
    if (!values) return joined;
    ir::Graph known = model.host.program.graph;
    std::erase_if(known.outputs, [&](const ir::Output& output) { return !results.front().contains(output.name); });
    for (auto& [name, value] : ir::join_samples(known, results)) joined.emplace(name, std::move(value));
    return joined;
}

void Trainer::Impl::check_backward(std::int64_t count) const {
    if (waiting == 0) fail_input(where(), "backward() needs a forward() before it");
    if (count < 0 || count > waiting) fail_input(where(), "backward() of {} samples; {} wait for it", count, waiting);
    if (count % model.host.microbatch != 0)
        fail_input(where(), "backward() of {} samples; it needs whole microbatches of {}", count,
                   model.host.microbatch);
}

ir::Values Trainer::Impl::run_backward(const ir::Values& given, bool clear, std::int64_t count) {
    check_backward(count);
    const std::int64_t samples_now = count > 0 ? count : waiting;
    std::map<std::string, std::vector<ir::Literal>> by_input;
    for (const ir::BoundTensor& tensor : incoming) {
        const std::string output = tensor.name.substr(ir::loss_prefix.size());
        const auto found = given.find(output);
        if (found == given.end()) fail_input(where(), "output '{}' has no gradient; give it to backward()", output);
        by_input[tensor.name] =
            ir::split_samples(ir::fitted_samples(found->second, tensor.type, where().file, output), tensor.type);
        const std::int64_t own = std::ssize(by_input[tensor.name]);
        if (own != samples_now && own != 1)
            fail_input(where(), "the gradient of '{}' is of {} samples; {} {}", output, own,
                       count > 0 ? "backward() is of" : "forward() had", samples_now);
    }
    start(*backward, samples_now / model.host.microbatch, clear, samples_done - waiting);
    ir::Values result;
    std::vector<ir::Values> results;
    for (std::int64_t k = 0; k < samples_now; ++k) {
        for (const ir::BoundTensor& tensor : incoming) {
            const std::vector<ir::Literal>& all = by_input.at(tensor.name);
            session.push(tensor.queue, ir::to_entry(all[all.size() == 1 ? 0 : static_cast<std::size_t>(k)], tensor));
        }
        if (!input_gradients.empty() && (k + 1) % model.host.microbatch == 0)
            for (std::int64_t n = 0; n < model.host.microbatch; ++n) results.push_back(take(input_gradients));
    }
    session.wait();
    waiting -= samples_now;
    if (!values || results.empty()) return result;
    ir::Graph known = model.host.program.graph;
    std::erase_if(known.outputs, [&](const ir::Output& output) { return !results.front().contains(output.name); });
    for (auto& [name, value] : ir::join_samples(known, results))
        result.emplace(name.substr(ir::gradient_output("").size()), std::move(value));
    return result;
}

void Trainer::Impl::set(const ir::TrainedParameter& parameter, const ir::Literal& value) {
    const std::string* const residue = ir::residue_of(parameter);
    if (!residue || !values) return store(parameter, parameter.ram, value);
    std::vector<float> rest = read(parameter, *residue).copied_floats();
    split(parameter, value, rest);
    store(parameter, *residue, ir::Literal::of_floats(value.dtype(), value.dims(), std::move(rest)));
}

void Trainer::Impl::set_states(const ir::TrainedParameter& parameter, const ir::Values& state) {
    const auto residue = state.find(std::string(ir::residue_state));
    const bool splits = residue != state.end() && values;
    const ir::Literal before = splits ? value(parameter) : ir::Literal();
    for (const auto& [kind, now] : state) store(parameter, parameter.states.at(kind), now);
    if (!splits) return;
    std::vector<float> rest = residue->second.copied_floats();
    split(parameter, before, rest);
}

Trainer::Trainer(ir::CompiledModel model, ModelOptions options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Trainer::~Trainer() = default;

ir::Values Trainer::forward(const ir::Values& inputs) { return impl_->run_forward(inputs); }
ir::Values Trainer::backward(const ir::Values& gradients, bool clear, std::int64_t samples) {
    return impl_->run_backward(gradients, clear, samples);
}

void Trainer::step() {
    if (!impl_->optimizer)
        fail_input(impl_->where(), "the model has no optimizer on the device; set_parameter() instead");
    impl_->write();
    impl_->write_step_numbers();
    impl_->start(*impl_->optimizer, 1, false);
    impl_->session.wait();
}

std::vector<ModelTensor> Trainer::parameters() const {
    std::vector<ModelTensor> all;
    std::set<std::string> seen;
    for (const ir::TrainedParameter& parameter : impl_->model.trained)
        if (seen.insert(parameter.name).second)
            all.push_back({parameter.name, whole_type(impl_->find(parameter.name))});
    return all;
}

ir::Literal Trainer::parameter(const std::string& name) {
    std::vector<ir::Literal> parts;
    for (const ir::TrainedParameter* part : impl_->find(name)) parts.push_back(impl_->value(*part));
    return joined_rows(std::move(parts));
}
ir::Literal Trainer::gradient(const std::string& name) {
    std::vector<ir::Literal> parts;
    for (const ir::TrainedParameter* part : impl_->find(name)) parts.push_back(impl_->read(*part, part->gradient));
    return joined_rows(std::move(parts));
}

void Trainer::set_parameter(const std::string& name, const ir::Literal& value) {
    const auto parts = impl_->find(name);
    impl_->check_type(name, whole_type(parts), value);
    for (const ir::TrainedParameter* part : parts) impl_->set(*part, rows_of(value, *part));
}

void Trainer::set_learning_rate(double rate) { impl_->rate = rate; }

ir::Values Trainer::state(const std::string& name) {
    const auto parts = impl_->find(name);
    ir::Values all;
    for (const auto& [kind, unused] : parts.front()->states) {
        std::vector<ir::Literal> own;
        for (const ir::TrainedParameter* part : parts) own.push_back(impl_->read(*part, part->states.at(kind)));
        all.emplace(kind, joined_rows(std::move(own)));
    }
    return all;
}

void Trainer::set_state(const std::string& name, const ir::Values& state) {
    const auto parts = impl_->find(name);
    std::vector<std::string> kinds;
    for (const auto& [kind, ram] : parts.front()->states) kinds.push_back(kind);
    for (const auto& [kind, value] : state) {
        if (!parts.front()->states.contains(kind))
            fail_input(impl_->where(), "the optimizer of '{}' has no state '{}'{}", name, kind,
                       did_you_mean(kind, kinds));
        impl_->check_type(name, whole_type(parts), value);
    }
    for (const ir::TrainedParameter* part : parts) {
        ir::Values own;
        for (const auto& [kind, value] : state) own.emplace(kind, rows_of(value, *part));
        impl_->set_states(*part, own);
    }
}

std::int64_t Trainer::steps() const { return impl_->steps; }
void Trainer::set_steps(std::int64_t steps) { impl_->steps = steps; }

std::int64_t Trainer::samples() const { return impl_->samples_done; }
void Trainer::set_samples(std::int64_t samples) {
    if (impl_->waiting > 0) fail_input(impl_->where(), "{} samples wait for backward()", impl_->waiting);
    impl_->samples_done = samples;
}

Session& Trainer::session() { return impl_->session; }
const ir::CompiledModel& Trainer::compiled() const { return impl_->model; }

}  // namespace ttsim::impl::runtime
