#include <ttsim/model.hpp>

#include "api/library/arrays.hpp"
#include "api/library/graph_impl.hpp"
#include "api/library/internal.hpp"
#include "api/library/model_impl.hpp"
#include "api/library/options.hpp"
#include "base/text.hpp"
#include "compiler/files/result_folder.hpp"
#include "compiler/formats/format_units.hpp"
#include "compiler/host/host_value.hpp"
#include "compiler/ir/format_rules.hpp"
#include "compiler/options/resolve_request.hpp"
#include "generated/request_of.hpp"
#include "isa/arch.hpp"
#include "netlist/checks/validate.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/target.hpp"
#include "runtime/measured_values.hpp"
#include "runtime/simulated_run.hpp"

namespace ttsim {

std::vector<ArrayInfo> infos(const std::vector<impl::runtime::ModelTensor>& tensors) {
    std::vector<ArrayInfo> all;
    for (const impl::runtime::ModelTensor& tensor : tensors) all.push_back(info_of(tensor.name, tensor.type));
    return all;
}

namespace {

impl::ir::Overrides chosen_overrides(const LoweredOptions& lowered, const std::vector<impl::ir::LoweredOp>& given) {
    std::vector<LoweredOp> ops;
    for (const impl::ir::LoweredOp& op : given) ops.push_back({op.name, op.type, op.origin, op.operands});
    impl::ir::Overrides overrides;
    if (const std::string text = lowered.overrides(ops); !text.empty())
        impl::ir::parse_overrides(text, "overrides", overrides);
    return overrides;
}

impl::ir::CompileOptions internal(const CompileOptions& options, const LoweredOptions& lowered) {
    impl::ir::CompileOptions out = impl::ir::resolve_request(request_of(options));
    out.inputs = internal(options.inputs);
    if (lowered.overrides)
        out.choose_overrides = [&lowered](const std::vector<impl::ir::LoweredOp>& ops) {
            return chosen_overrides(lowered, ops);
        };
    out.drop_impossible_slices = lowered.ignore_impossible_slices;
    out.emit.fewer_chips = lowered.fewer_chips;
    out.simulate = impl::runtime::simulated_run;
    if (out.target) {
        out.target->measure = impl::runtime::measured_values;
        out.target->cycles = impl::runtime::measured_cycles;
    }
    return out;
}

HostStep host_step(const impl::ir::Graph& graph, const impl::ir::Node& node) {
    HostStep step{
        node.name, node.op.text(), node.origin, node.loc.file, node.loc.line, info_of(node.name, node.type), {}, 0, 0};
    std::vector<impl::ir::Type> in;
    for (const impl::ir::Edge& edge : node.inputs) {
        step.operands.push_back(graph.nodes[edge.value].name);
        in.push_back(graph.type(edge.value));
    }
    step.operations = impl::ir::host_work(node, in);
    step.multiply_adds = impl::ir::multiply_adds(node, in);
    return step;
}

bool names_machine(const SessionOptions& options) {
    return !(options.device + options.chip + options.cluster).empty() || !options.harvested_rows.empty();
}

}  // namespace

impl::runtime::ModelOptions model_options(const CompiledModel::Impl& compiled, const SessionOptions& options) {
    impl::runtime::ModelOptions out{session_options(options), std::nullopt};
    if (names_machine(options)) out.machine = choose_machine(impl::resolve(compiled.model.netlist), options);
    if (compiled.machine && out.machine)
        impl::image::check_same_target(*compiled.machine, *out.machine, compiled.model.netlist.file);
    if (compiled.machine) out.machine = *compiled.machine;
    return out;
}

CompiledModel::CompiledModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

static CompiledModel shared(impl::ir::CompiledModel&& model, std::optional<impl::Machine> machine = std::nullopt,
                            std::map<std::string, impl::SharedBytes> host_files = {}) {
    Arrays inputs = external(model.inputs);
    return CompiledModel(std::make_shared<const CompiledModel::Impl>(
        CompiledModel::Impl{std::move(model), std::move(inputs), std::move(machine), std::move(host_files)}));
}

std::vector<ArrayInfo> CompiledModel::inputs() const { return infos(impl::runtime::inputs_of(impl_->model)); }
std::vector<ArrayInfo> CompiledModel::outputs() const { return infos(impl::runtime::outputs_of(impl_->model)); }
const Arrays& CompiledModel::default_inputs() const { return impl_->inputs; }

CompileReport CompiledModel::report() const {
    const impl::ir::CompileReport& made = impl_->model.report;
    CompileReport out;
    out.chip = impl_->model.netlist.archs.front();
    out.device = impl_->model.host.device;
    out.validated = impl::is_validated(out.chip);
    out.ops = static_cast<std::int64_t>(made.ops);
    out.epochs = static_cast<std::int64_t>(made.epochs);
    out.constants = static_cast<std::int64_t>(impl_->model.constants.size());
    out.estimated_cycles = made.estimated_cycles;
    out.saved_bytes = made.saved_bytes;
    out.notes = made.notes;
    if (made.formats) {
        out.pcc = made.formats->pcc;
        out.format_rules = impl::ir::rules_text(made.formats->rules);
    }
    out.host_steps = impl::ir::host_step_lines(impl_->model.host);
    for (const impl::ir::IgnoredOverride& ignored : made.ignored_overrides)
        out.ignored_overrides.push_back({ignored.op, ignored.code, ignored.nearest, ignored.message});
    return out;
}

Netlist CompiledModel::layout() const {
    return guarded([&] {
        return Netlist(std::make_shared<const Netlist::Impl>(Netlist::Impl{impl::resolve(impl_->model.netlist)}));
    });
}

std::vector<HostStep> CompiledModel::host_steps() const {
    return guarded([&] {
        const impl::ir::Graph& graph = impl_->model.host.program.graph;
        std::vector<HostStep> steps;
        for (const impl::ir::Node& node : graph.nodes)
            if (!node.is_input() && !node.is_constant()) steps.push_back(host_step(graph, node));
        return steps;
    });
}

void CompiledModel::write_folder(const std::string& folder) const {
    guarded([&] { impl::ir::write_folder(impl_->model, folder); });
}

std::string CompiledModel::netlist() const {
    return guarded([&] { return impl::ir::netlist_text(impl_->model); });
}

CompiledModel CompiledModel::read_folder(const std::string& folder) {
    return guarded([&] { return shared(impl::ir::read_folder(folder)); });
}

void CompiledModel::write_image(const std::string& file, const std::string& device_type, const std::string& device_name,
                                const std::map<std::string, std::string>& host_files) const {
    guarded([&] {
        for (const auto& [name, unused] : host_files)
            if (!impl::image::is_host_file(name))
                impl::fail_input({file, 0, 0}, "'{}' is not the name of a host file", name);
        const impl::image::ImageOptions options{
            .release = TTSIM_VERSION, .device_type = device_type, .device_name = device_name, .host_files = host_files};
        if (impl_->machine)
            impl::image::write_image(impl_->model, *impl_->machine, file, options);
        else
            impl::image::write_image(impl_->model, file, options);
    });
}

CompiledModel CompiledModel::read_image(const std::string& path) {
    return guarded([&] {
        impl::image::Image image = impl::image::read_image(path);
        return shared(std::move(image.model), std::move(image.machine), std::move(image.host_files));
    });
}

std::map<std::string, std::string_view> CompiledModel::host_files() const {
    std::map<std::string, std::string_view> files;
    for (const auto& [name, bytes] : impl_->host_files) files.emplace(name, bytes.view());
    return files;
}

CompiledModel compile(const Graph& graph, const CompileOptions& options) { return compile(graph, options, {}); }

CompiledModel compile(const Graph& graph, const CompileOptions& options, const LoweredOptions& lowered) {
    return guarded([&] { return shared(impl::ir::compile(graph.impl().graph, internal(options, lowered))); });
}

// --- on a session --------------------------------------------------------------------------------------------------

struct Model::Impl {
    impl::runtime::Model model;
    std::string chip;

    Impl(const CompiledModel::Impl& compiled, const SessionOptions& options)
        : model(compiled.model, model_options(compiled, options)),
          chip(model.session().machine().chips.front().params.name) {}
};

Model::Model(const CompiledModel& model, const SessionOptions& options)
    : impl_(guarded([&] { return std::make_unique<Impl>(model.impl(), options); })) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Arrays Model::run(const Arrays& inputs, const std::map<std::string, std::string>& feed_back) {
    return guarded([&] { return external(impl_->model.run(internal(inputs), feed_back)); });
}
Arrays Model::run(Arrays&& inputs, const std::map<std::string, std::string>& feed_back) {
    return guarded([&] { return external(impl_->model.run(internal(std::move(inputs)), feed_back)); });
}
void Model::push(const Arrays& inputs) {
    guarded([&] { impl_->model.push(internal(inputs)); });
}
void Model::push(Arrays&& inputs) {
    guarded([&] { impl_->model.push(internal(std::move(inputs))); });
}
void Model::flush() {
    guarded([&] { impl_->model.flush(); });
}
Arrays Model::get() {
    return guarded([&] { return external(impl_->model.get()); });
}
std::int64_t Model::in_flight() const { return impl_->model.in_flight(); }

std::vector<ArrayInfo> Model::parameters() const { return infos(impl_->model.parameters()); }
Array Model::parameter(const std::string& name) const {
    return guarded([&] { return external(impl_->model.parameter(name)); });
}
void Model::set_parameter(const std::string& name, const Array& value) { set_parameter(name, Array(value)); }
void Model::set_parameter(const std::string& name, Array&& value) {
    guarded([&] { impl_->model.set_parameter(name, internal(std::move(value), name)); });
}

std::uint64_t Model::now() const {
    return guarded([&] { return impl_->model.session().now(); });
}
RunReport Model::report() const {
    return guarded([&] {
        RunReport report = public_report(impl_->model.session().report());
        report.host_seconds = impl_->model.host_seconds();
        return report;
    });
}
const std::string& Model::chip() const { return impl_->chip; }

}  // namespace ttsim
