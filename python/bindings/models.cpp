#include "generated/bind_compile_options.hpp"
#include "python/bindings/session.hpp"

namespace tt_python {

using namespace ttsim;

namespace {

struct StoppableModel {
    Stop stop;
    std::unique_ptr<Model> model;

    StoppableModel(const CompiledModel& compiled, SessionOptions options) {
        options.stop = &stop.signal;
        model = std::make_unique<Model>(compiled, options);
    }
};

/// compile() with a Python function that chooses overrides. Its exception ends the compilation.
CompiledModel compile_with(const Graph& graph, const CompileOptions& options, const nb::object& overrides,
                           bool ignore_impossible_slices, bool fewer_chips) {
    std::exception_ptr raised;
    LoweredOptions lowered;
    lowered.ignore_impossible_slices = ignore_impossible_slices;
    lowered.fewer_chips = fewer_chips;
    if (!overrides.is_none())
        lowered.overrides = [&](const std::vector<LoweredOp>& ops) {
            nb::gil_scoped_acquire acquire;
            try {
                return nb::cast<std::string>(overrides(ops));
            } catch (...) {
                raised = std::current_exception();
            }
            throw Error(ErrorKind::Interrupted, "the function that chooses overrides failed", "", 0, 0);
        };
    try {
        nb::gil_scoped_release release;
        return compile(graph, options, lowered);
    } catch (const Error&) {
        if (!raised) throw;
    }
    std::rethrow_exception(raised);
}

void bind_compiling(nb::module_& m) {
    nb::class_<LoweredOp>(m, "LoweredOp", "An op of a lowered model, before elementwise ops are fused.")
        .def_ro("name", &LoweredOp::name)
        .def_ro("type", &LoweredOp::type, "In the netlist.")
        .def_ro("origin", &LoweredOp::origin, "Node of the model that it is a part of.")
        .def_ro("operands", &LoweredOp::operands, "Names of ops, inputs and constants.");
    nb::class_<HostStep>(m, "HostStep", "A step that the host computes.")
        .def_ro("name", &HostStep::name)
        .def_ro("op", &HostStep::op)
        .def_ro("origin", &HostStep::origin, "Node of the model that it is a part of; '': made by the compiler.")
        .def_ro("file", &HostStep::file, "Place of that node; '': unknown.")
        .def_ro("line", &HostStep::line)
        .def_ro("result", &HostStep::result, "Name, element type and shape.")
        .def_ro("operands", &HostStep::operands, "Names of steps, inputs, constants and device results.")
        .def_ro("operations", &HostStep::operations, "Estimated operations per sample.")
        .def_ro("multiply_adds", &HostStep::multiply_adds, "Per sample, of products and convolutions.");
    nb::class_<IgnoredOverride>(m, "IgnoredOverride", "An override without effect.")
        .def_ro("op", &IgnoredOverride::op)
        .def_ro("code", &IgnoredOverride::code, "As Problem.code: 'unknown-name' or 'cannot-stream'.")
        .def_ro("nearest", &IgnoredOverride::nearest, "The most similar name of an op; '': none is similar.")
        .def_ro("message", &IgnoredOverride::message);
    nb::class_<CompileOptions> options(m, "CompileOptions",
                                       "Options of compile(), with the defaults of `ttsim compile`.");
    options.def(nb::init<>())
        .def(
            "set_inputs", [](CompileOptions& o, const nb::dict& inputs) { o.inputs = arrays_of(inputs); }, "inputs"_a);
    bind_fields(options);
    nb::class_<CompileReport>(m, "CompileReport", "Results of compilation.")
        .def_ro("chip", &CompileReport::chip)
        .def_ro("device", &CompileReport::device)
        .def_ro("validated", &CompileReport::validated, "Whether results of the chip were compared with measurements.")
        .def_ro("ops", &CompileReport::ops)
        .def_ro("epochs", &CompileReport::epochs)
        .def_ro("constants", &CompileReport::constants)
        .def_ro("estimated_cycles", &CompileReport::estimated_cycles, "Estimated cycles per sample.")
        .def_ro("saved_bytes", &CompileReport::saved_bytes,
                "Of training: DRAM of values that the forward program saves for the backward one.")
        .def_ro("notes", &CompileReport::notes)
        .def_ro("host_steps", &CompileReport::host_steps, "As text; CompiledModel.host_steps has values.")
        .def_ro("ignored_overrides", &CompileReport::ignored_overrides)
        .def_ro("pcc", &CompileReport::pcc, "With target_pcc: the correlation reached on the samples.")
        .def_ro("format_rules", &CompileReport::format_rules, "With target_pcc: the formats chosen.");
    nb::class_<CompiledModel>(m, "CompiledModel", "A model compiled for a device.")
        .def_prop_ro("inputs", &CompiledModel::inputs)
        .def_prop_ro("outputs", &CompiledModel::outputs)
        .def("default_inputs", [](const CompiledModel& c) { return numpy_arrays(Arrays(c.default_inputs())); })
        .def("report", &CompiledModel::report)
        .def_prop_ro("netlist", &CompiledModel::netlist)
        .def("layout", &CompiledModel::layout, "The netlist as values.")
        .def_prop_ro("host_steps", &CompiledModel::host_steps)
        .def("write_folder", &CompiledModel::write_folder, "folder"_a)
        .def_static("read_folder", &CompiledModel::read_folder, "folder"_a)
        .def(
            "write_image",
            [](const CompiledModel& c, const std::string& file, const std::string& device_type,
               const std::string& device_name, const std::map<std::string, nb::bytes>& host_files) {
                std::map<std::string, std::string> files;
                for (const auto& [name, bytes] : host_files)
                    files.emplace(name, std::string(bytes.c_str(), bytes.size()));
                c.write_image(file, device_type, device_name, files);
            },
            "file"_a, "device_type"_a = "Silicon", "device_name"_a = "tt0",
            "host_files"_a = std::map<std::string, nb::bytes>{})
        .def("host_files",
             [](const CompiledModel& c) {
                 std::map<std::string, nb::bytes> files;
                 for (const auto& [name, bytes] : c.host_files())
                     files.emplace(name, nb::bytes(bytes.data(), bytes.size()));
                 return files;
             })
        .def_static("read_image", &CompiledModel::read_image, "path"_a);
    m.def(
        "compile", &compile_with, "graph"_a, "options"_a, "overrides"_a = nb::none(),
        "ignore_impossible_slices"_a = false, "fewer_chips"_a = false,
        nb::sig("def compile(graph: Graph, options: CompileOptions, overrides: Callable[[list[LoweredOp]], str] | None "
                "= None, ignore_impossible_slices: bool = False, fewer_chips: bool = False) -> CompiledModel"));
}

}  // namespace

void bind_models(nb::module_& m) {
    bind_compiling(m);
    nb::class_<StoppableModel>(m, "Model", "A compiled model with its own session.")
        .def(nb::init<const CompiledModel&, SessionOptions>(), "compiled"_a, "options"_a = SessionOptions{})
        .def(
            "run",
            [](StoppableModel& s, const nb::dict& inputs, const std::map<std::string, std::string>& feed_back) {
                Arrays values = arrays_of(inputs);
                return numpy_arrays(interruptible(s.stop, [&] { return s.model->run(std::move(values), feed_back); }));
            },
            "inputs"_a, "feed_back"_a = std::map<std::string, std::string>{})
        .def(
            "push",
            [](StoppableModel& s, const nb::dict& inputs) {
                Arrays values = arrays_of(inputs);
                interruptible(s.stop, [&] { s.model->push(std::move(values)); });
            },
            "inputs"_a)
        .def("flush", [](StoppableModel& s) { interruptible(s.stop, [&] { s.model->flush(); }); })
        .def("get",
             [](StoppableModel& s) { return numpy_arrays(interruptible(s.stop, [&] { return s.model->get(); })); })
        .def_prop_ro("in_flight", [](StoppableModel& s) { return s.model->in_flight(); })
        .def_prop_ro("parameters", [](StoppableModel& s) { return s.model->parameters(); })
        .def(
            "parameter",
            [](StoppableModel& s, const std::string& name) { return numpy_array(s.model->parameter(name)); }, "name"_a)
        .def(
            "set_parameter",
            [](StoppableModel& s, const std::string& name, ElementType type, nb::handle numbers) {
                s.model->set_parameter(name, array_of(numbers, type));
            },
            "name"_a, "type"_a, "numbers"_a)
        .def_prop_ro("cycles", [](StoppableModel& s) { return s.model->now(); })
        .def_prop_ro("chip", [](StoppableModel& s) { return s.model->chip(); })
        .def("report", [](StoppableModel& s) { return s.model->report(); });
}

}  // namespace tt_python
