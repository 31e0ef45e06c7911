#include "runtime/model.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/error_codes.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "compiler/host/samples.hpp"
#include "compiler/ir/check_input_name.hpp"
#include "compiler/onnx/value_file.hpp"

namespace ttsim::impl::runtime {

Machine machine_of(const ir::CompiledModel& model) {
    std::int64_t highest = 0;
    for (const Queue& queue : model.netlist.queues) highest = std::max(highest, queue.device());
    for (const Graph& graph : model.netlist.graphs) highest = std::max(highest, graph.device());
    const std::string chip = device_chip(model.host.device);
    return make_machine(chip.empty() ? model.netlist.archs.front() : chip,
                        {model.host.device, model.cluster, model.harvested_rows, highest + 1});
}

void write_constants(Session& session, const std::vector<ir::QueueConstant>& constants) {
    parallel_for(session.threads(), constants.size(), [&](std::size_t n) {
        const ir::QueueConstant& constant = constants[n];
        const Queue* queue = session.netlist().find_queue(constant.queue);
        TT_CHECK(queue, "the netlist has no queue '{}'", constant.queue);
        if (queue->type == QueueType::Ram)
            session.write(constant.queue, 0, *constant.entry.tensor());
        else
            session.push(constant.queue, *constant.entry.tensor());
    });
}

struct Model::Impl {
    ir::CompiledModel model;
    bool values;  ///< whether the session computes values
    bool golden;
    bool written = false;  ///< the constants
    Session session;
    /// A part of the device: its programs, inputs and results.
    struct Part {
        std::vector<ir::BoundTensor> inputs, results;
        std::set<std::string> result_queues;
        std::vector<const ir::ModelProgram*> programs;
        std::int64_t iterations = 0;  ///< of a loop, which reads and writes entries one by one
    };
    std::vector<Part> parts;
    bool loops = false;  ///< whether any part is a loop
    /// Samples pushed and not yet returned, and padding of their microbatch.
    struct InFlight {
        std::optional<ir::HostRun> host;  ///< nullopt: padding
        bool started = false;
    };
    std::deque<InFlight> in_flight;
    std::int64_t waiting = 0;  ///< samples in an incomplete microbatch
    ir::Values last;           ///< device inputs of the last sample
    double host_seconds = 0;   ///< of samples whose outputs were returned

    Impl(ir::CompiledModel compiled, const ModelOptions& options)
        : model(std::move(compiled)),
          values(options.session.mode != sim::Mode::Timing),
          golden(options.session.golden),
          session(model.netlist, options.machine ? *options.machine : machine_of(model), options.session) {
        parts.resize(static_cast<std::size_t>(model.host.program.parts()));
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const auto number = static_cast<std::int64_t>(k) + 1;
            parts[k].inputs = inputs_of_part(model.host, number);
            parts[k].results = results_of_part(model.host, number);
            for (const ir::BoundTensor& tensor : parts[k].results) parts[k].result_queues.insert(tensor.queue);
            parts[k].iterations = iterations_of_part(model.host, number);
            loops = loops || parts[k].iterations > 0;
        }
        for (const ir::ModelProgram& program : model.programs) {  // merged models have several programs per part
            if (parts.size() > 1 && program.index >= std::ssize(parts))
                fail_input(where(), "program '{}' is not one of the {} that the host's steps have", program.name,
                           parts.size());
            parts[parts.size() == 1 ? 0 : static_cast<std::size_t>(program.index)].programs.push_back(&program);
        }
    }

    SourceLoc where() const { return {model.netlist.file, 0, 0}; }
    std::int64_t microbatch() const { return model.host.microbatch; }

    void check_names(const ir::Values& inputs) const {
        Diagnostics problems;
        const std::vector<std::string> names = ir::input_names(model.host.program.graph);
        for (const auto& [name, unused] : inputs) ir::check_input_name(name, names, "the call", where(), problems);
        problems.throw_if_any();
    }

    /// Writes the constants before the first run: a model that is only loaded does not unpack its weights. Skipped
    /// without values: host writes before the first program take no time.
    void write_constants() {
        if (written) return;
        written = true;
        if (values || golden) runtime::write_constants(session, model.constants);
    }

    /// Splits inputs into samples, as the host steps use them.
    std::vector<ir::Values> samples_of(const ir::Values& inputs) const {
        check_names(inputs);
        Diagnostics problems;
        std::map<std::string, std::vector<ir::Literal>> samples;
        const ir::HostProgram& program = model.host.program;
        const std::vector<bool> read = ir::read_nodes(program);
        for (ir::ValueId id = 0; id < read.size(); ++id) {
            const ir::Node& node = program.graph.nodes[id];
            if (!node.is_input() || node.has(ir::attr::device) || !read[id]) continue;
            const std::string name = ir::boundary_name(node);
            const auto given = inputs.find(name);
            if (given == inputs.end()) {
                problems.error(where(), "input '{}' {} has no value", name, to_string(node.type));
                continue;
            }
            try {
                samples[name] = split_samples(fitted_samples(given->second, node.type, where().file, name), node.type);
            } catch (const Error& error) {
                problems.add(error);
            }
        }
        problems.throw_if_any();
        return by_sample(samples, where());
    }

    std::int64_t last_part() const { return std::ssize(parts); }
    const Part& at(std::int64_t part) const { return parts[static_cast<std::size_t>(part) - 1]; }
    bool room(std::int64_t part) const {
        const auto& inputs = at(part).inputs;
        return std::all_of(inputs.begin(), inputs.end(),
                           [&](const ir::BoundTensor& tensor) { return session.room(tensor.queue) > 0; });
    }
    /// Pushes the inputs of one sample.
    void push(std::int64_t part, const ir::Values& values_by_name) {
        for (const ir::BoundTensor& tensor : at(part).inputs)
            session.push(tensor.queue, to_entry(values_by_name.at(tensor.name), tensor));
    }
    void start(std::int64_t part, std::int64_t executes) {
        for (const ir::ModelProgram* program : at(part).programs) {
            std::map<std::string, std::int64_t> params;
            if (!program->executes.empty()) params[program->executes] = executes;
            session.run(program->name, params);
        }
    }
    /// Reads a part's results of the oldest sample. Without values they are zeros, or empty if no part needs them.
    ir::Values take(std::int64_t part) {
        ir::Values results;
        std::map<std::string, Tensor> entries;
        for (const std::string& queue : at(part).result_queues) {
            if (values) entries.emplace(queue, session.get(queue));
            session.pop(queue);
        }
        if (!values && part == last_part()) return results;
        for (const ir::BoundTensor& tensor : at(part).results)
            results.emplace(tensor.name, values ? from_entry(entries.at(tensor.queue), tensor.type)
                                                : ir::Literal(tensor.type.dtype, tensor.type.dims));
        return results;
    }

    ir::Values run(std::vector<ir::Values> samples, const ir::FeedBack& states);
    std::vector<ir::Values> run_together(const std::vector<ir::Values>& samples);
    void run_part(std::int64_t part, std::vector<ir::HostRun>& hosts);
    void loop(std::int64_t part, ir::HostRun& host, bool wanted);
    void push_sample(ir::HostRun host);
    void run_waiting();
    void pad_microbatch();
    void start_microbatch();
    bool has_output_space() const;
};

/// Runs samples together; returns outputs per sample, none without values.
std::vector<ir::Values> Model::Impl::run_together(const std::vector<ir::Values>& samples) {
    std::vector<ir::HostRun> hosts;
    for (const ir::Values& sample : samples) hosts.emplace_back(model.host.program, sample);
    for (std::int64_t part = 1; part <= last_part(); ++part) run_part(part, hosts);
    session.wait();
    std::vector<ir::Values> outputs;
    for (const ir::HostRun& host : hosts) {
        if (values) outputs.push_back(host.outputs());
        host_seconds += host.seconds();
    }
    return outputs;
}

ir::Values Model::Impl::run(std::vector<ir::Values> samples, const ir::FeedBack& states) {
    check_feed_back(states, model.host, where());
    write_constants();
    std::vector<ir::Values> outputs;
    if (states.empty()) {
        outputs = run_together(samples);
    } else {
        for (std::size_t k = 0; k < samples.size(); ++k) {
            if (k > 0 && values) feed_back(states, outputs.back(), samples[k]);
            for (ir::Values& results_by_queue : run_together({samples[k]}))
                outputs.push_back(std::move(results_by_queue));
        }
    }
    ir::Values joined;
    if (values)
        for (auto& [name, value] : join_samples(model.host.program.graph, outputs))
            joined.emplace(name, std::move(value));
    return joined;
}

/// Runs a part for all samples; the last sample pads the last microbatch.
void Model::Impl::run_part(std::int64_t part, std::vector<ir::HostRun>& hosts) {
    const std::size_t padded_count = (hosts.size() + static_cast<std::size_t>(microbatch()) - 1) /
                                     static_cast<std::size_t>(microbatch()) * static_cast<std::size_t>(microbatch());
    start(part, static_cast<std::int64_t>(padded_count) / microbatch());
    if (at(part).iterations > 0) {
        for (std::size_t k = 0; k < padded_count; ++k)
            loop(part, hosts[std::min(k, hosts.size() - 1)], k < hosts.size());
        return;
    }
    std::size_t pushed = 0;
    for (std::size_t popped = 0; popped < padded_count; ++popped) {
        for (; pushed < padded_count && (pushed == popped || room(part)); ++pushed)
            push(part, hosts[std::min(pushed, hosts.size() - 1)].device_inputs(part));
        const ir::Values results = take(part);
        if (popped < hosts.size() && (values || part < last_part())) hosts[popped].set_results(part, results);
    }
}

/// Runs a loop for one sample, iteration by iteration.
void Model::Impl::loop(std::int64_t part, ir::HostRun& host, bool wanted) {
    const ir::Values given = host.device_inputs(part);
    std::map<std::string, std::vector<Tensor>> entries, results_by_queue;
    for (const ir::BoundTensor& tensor : at(part).inputs)
        entries[tensor.queue] = entries_of(given.at(tensor.name), tensor);
    for (std::int64_t iteration = 0; iteration < at(part).iterations; ++iteration) {
        for (auto& [queue, own] : entries) session.push(queue, own[static_cast<std::size_t>(iteration)]);
        for (const std::string& queue : at(part).result_queues) {
            if (values) results_by_queue[queue].push_back(session.get(queue));
            session.pop(queue);
        }
    }
    if (!wanted) return;
    ir::Values results;
    for (const ir::BoundTensor& tensor : at(part).results)
        results.emplace(tensor.name, values ? value_of(results_by_queue.at(tensor.queue), tensor)
                                            : ir::Literal(tensor.type.dtype, tensor.full_type().dims));
    host.set_results(part, results);
}

// --- a stream ------------------------------------------------------------------------------------------------------

void Model::Impl::push_sample(ir::HostRun host) {
    write_constants();
    if (loops) {
        in_flight.push_back({std::move(host), false});
        if (++waiting == microbatch()) run_waiting();
        return;
    }
    if (!room(1) || (last_part() > 1 && !has_output_space()))
        throw Error(Fault::Hang, where(),
                    fmt::format("the device has no room for another sample; get() outputs of the {} in flight first",
                                in_flight.size()));
    last = host.device_inputs(1);
    push(1, last);
    in_flight.push_back({std::move(host), false});
    if (++waiting == microbatch()) start_microbatch();
}

/// Loops return results entry by entry, so waiting samples are run together and keep their results.
void Model::Impl::run_waiting() {
    std::vector<ir::HostRun> hosts;
    for (InFlight& sample : in_flight)
        if (!sample.started) hosts.push_back(std::move(*sample.host));
    for (std::int64_t part = 1; part <= last_part(); ++part) run_part(part, hosts);
    std::size_t next = 0;
    for (InFlight& sample : in_flight)
        if (!std::exchange(sample.started, true)) sample.host.emplace(std::move(hosts[next++]));
    waiting = 0;
}

void Model::Impl::pad_microbatch() {
    if (loops && waiting > 0) run_waiting();
    while (waiting > 0) {
        push(1, last);
        in_flight.push_back({std::nullopt, false});
        if (++waiting == microbatch()) start_microbatch();
    }
}

/// Whether the result queues of the last part have space for another sample; results stay there until get().
bool Model::Impl::has_output_space() const {
    std::int64_t min_entries = std::numeric_limits<std::int64_t>::max();
    for (const std::string& queue : at(last_part()).result_queues)
        min_entries = std::min(min_entries, session.netlist().find_queue(queue)->entries);
    return std::ssize(in_flight) < min_entries;
}

/// Runs the parts of the device; the last one continues asynchronously.
void Model::Impl::start_microbatch() {
    start(1, 1);
    const std::size_t first = in_flight.size() - static_cast<std::size_t>(microbatch());
    for (std::int64_t part = 2; part <= last_part(); ++part) {
        for (std::size_t k = first; k < in_flight.size(); ++k) {
            const ir::Values results = take(part - 1);
            if (in_flight[k].host) in_flight[k].host->set_results(part - 1, results);
        }
        for (std::size_t k = first; k < in_flight.size(); ++k) {
            if (in_flight[k].host) last = in_flight[k].host->device_inputs(part);
            push(part, last);
        }
        start(part, 1);
    }
    for (InFlight& sample : in_flight) sample.started = true;
    waiting = 0;
}

Model::Model(ir::CompiledModel model, ModelOptions options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Model::~Model() = default;

std::vector<ModelTensor> inputs_of(const ir::CompiledModel& model) {
    std::vector<ModelTensor> all;
    for (const ir::Node& node : model.host.program.graph.nodes)
        if (node.is_input() && !node.has(ir::attr::device)) all.push_back({ir::boundary_name(node), node.type});
    return all;
}

std::vector<ModelTensor> outputs_of(const ir::CompiledModel& model) {
    const ir::Graph& graph = model.host.program.graph;
    std::vector<ModelTensor> all;
    for (const ir::Output& output : graph.outputs) all.push_back({output.name, graph.type(output.value)});
    return all;
}

std::vector<ModelTensor> Model::inputs() const { return inputs_of(impl_->model); }
std::vector<ModelTensor> Model::outputs() const { return outputs_of(impl_->model); }

ir::Values Model::run(const ir::Values& inputs, const ir::FeedBack& states) {
    if (!impl_->in_flight.empty())
        fail_input(impl_->where(), "{} samples of push() are in flight; get() their outputs before run()", in_flight());
    return impl_->run(impl_->samples_of(inputs), states);
}

void Model::push(const ir::Values& inputs) {
    const std::vector<ir::Values> samples = impl_->samples_of(inputs);
    if (samples.size() != 1)
        fail_input(impl_->where(), "push() takes one sample, and {} are given; run() takes several", samples.size());
    impl_->push_sample(ir::HostRun(impl_->model.host.program, samples.front()));
}

void Model::flush() { impl_->pad_microbatch(); }

ir::Values Model::get() {
    auto& in_flight = impl_->in_flight;
    if (in_flight.empty()) fail_input(impl_->where(), "no sample is in flight; push() one first");
    if (!in_flight.front().started)
        fail_input(impl_->where(), "the oldest sample waits for its microbatch: push() {} more, or flush()",
                   impl_->microbatch() - impl_->waiting);
    const std::int64_t part = impl_->last_part();
    ir::Values outputs;
    ir::Values results;
    if (!impl_->loops) results = impl_->take(part);
    if (impl_->values) {
        if (!impl_->loops) in_flight.front().host->set_results(part, results);
        outputs = in_flight.front().host->outputs();
        impl_->host_seconds += in_flight.front().host->seconds();
    }
    in_flight.pop_front();
    while (!in_flight.empty() && !in_flight.front().host) {
        impl_->take(part);
        in_flight.pop_front();
    }
    return outputs;
}

std::int64_t Model::in_flight() const {
    const auto& all = impl_->in_flight;
    return std::count_if(all.begin(), all.end(), [](const Impl::InFlight& sample) { return sample.host.has_value(); });
}

// --- weights -------------------------------------------------------------------------------------------------------

std::vector<ModelTensor> Model::parameters() const {
    std::vector<ModelTensor> all;
    for (const ir::ModelParameter& parameter : impl_->model.parameters) all.push_back({parameter.name, parameter.type});
    return all;
}

ir::Literal Model::parameter(const std::string& name) const { return *find_parameter(impl_->model, name).value; }

void Model::set_parameter(const std::string& name, const ir::Literal& value) {
    if (!impl_->in_flight.empty())
        fail_input(impl_->where(), "{} samples are in flight; get() their outputs before '{}' changes", in_flight(),
                   name);
    for (const ir::ModelParameter::Use& use : replace(impl_->model, name, value))
        for (const ir::QueueConstant& constant : impl_->model.constants)
            if (impl_->written && constant.queue == use.queue)
                impl_->session.write(constant.queue, 0, *constant.entry.tensor());
}

Session& Model::session() { return impl_->session; }
const ir::CompiledModel& Model::compiled() const { return impl_->model; }
double Model::host_seconds() const { return impl_->host_seconds; }

}  // namespace ttsim::impl::runtime
