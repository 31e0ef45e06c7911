#include "python/bindings/bindings.hpp"

namespace tt_python {

using namespace ttsim;

void bind_graphs(nb::module_& m) {
    nb::class_<OpInfo>(m, "OpInfo", "An op that models may contain.")
        .def_ro("name", &OpInfo::name)
        .def_ro("min_operands", &OpInfo::min_operands)
        .def_ro("max_operands", &OpInfo::max_operands);
    m.def("model_ops", &model_ops, "The ops that models may contain.");
    nb::class_<Graph::Value>(m, "Value", "The result of a node; valid in its graph only.")
        .def_ro("id", &Graph::Value::id);
    nb::class_<Graph>(m, "Graph", "A model, built node by node, or read from ONNX or text.")
        .def(nb::init<>())
        .def_static("from_onnx_file", &Graph::from_onnx_file, "path"_a, "shapes"_a = Graph::Shapes{},
                    nb::call_guard<nb::gil_scoped_release>())
        .def_static(
            "from_onnx",
            [](const nb::bytes& bytes, const std::string& name, const Graph::Shapes& shapes) {
                const std::string model(bytes.c_str(), bytes.size());
                nb::gil_scoped_release release;
                return Graph::from_onnx(model, name, shapes);
            },
            "bytes"_a, "name"_a = "model.onnx", "shapes"_a = Graph::Shapes{})
        .def_static("from_text", &Graph::from_text, "text"_a, "name"_a = "graph")
        .def("text", &Graph::text)
        .def("input", &Graph::input, "name"_a, "shape"_a, "type"_a = ElementType::F32)
        .def(
            "constant",
            [](Graph& g, const std::string& name, ElementType type, nb::handle numbers) {
                return g.constant(name, array_of(numbers, type));
            },
            "name"_a, "type"_a, "numbers"_a)
        .def("number", &Graph::number, "value"_a)
        .def("add", &Graph::add, "op"_a, "operands"_a, "attributes"_a = Graph::Attributes{}, "name"_a = "")
        .def("output", &Graph::output, "name"_a, "value"_a)
        .def("info", &Graph::info, "value"_a)
        .def_prop_ro("inputs", &Graph::inputs)
        .def_prop_ro("outputs", &Graph::outputs);
}

}  // namespace tt_python
