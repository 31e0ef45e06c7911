// Translates ttsim::Error to ttsim.Error and its subclasses, with its problems as attributes.
#include "python/bindings/bindings.hpp"

namespace tt_python {

namespace {

PyObject* class_of(const nb::dict& classes, ttsim::ErrorKind kind) {
    return nb::object(classes[nb::cast(static_cast<int>(kind))]).ptr();
}

/// Text quoted from files may be invalid UTF-8.
nb::object text(std::string_view bytes) {
    PyObject* decoded = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
    if (!decoded) throw nb::python_error();
    return nb::steal(decoded);
}

nb::tuple texts(const std::vector<std::string>& all) {
    nb::list list;
    for (const std::string& one : all) list.append(text(one));
    return nb::tuple(list);
}

/// Sets the Python exception, with the first problem as attributes.
void set_exception(const nb::dict& classes, const ttsim::Error& error) {
    nb::object exception = nb::borrow(class_of(classes, error.kind()))(text(error.what()));
    const ttsim::Problem& first = error.problems().front();
    exception.attr("kind") = error.kind();
    exception.attr("code") = text(first.code);
    exception.attr("message") = text(first.message);
    exception.attr("remedy") = text(first.remedy);
    exception.attr("file") = text(first.file);
    exception.attr("line") = first.line;
    exception.attr("column") = first.column;
    exception.attr("ops") = texts(error.ops());
    exception.attr("problems") = nb::tuple(nb::cast(error.problems()));
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
}

void bind_problems(nb::module_& m) {
    nb::enum_<ttsim::ErrorKind>(m, "ErrorKind", "Kinds of errors; each has a subclass of Error.")
        .value("Input", ttsim::ErrorKind::Input)
        .value("Unsupported", ttsim::ErrorKind::Unsupported)
        .value("Hang", ttsim::ErrorKind::Hang)
        .value("Interrupted", ttsim::ErrorKind::Interrupted)
        .value("Internal", ttsim::ErrorKind::Internal)
        .value("Resource", ttsim::ErrorKind::Resource);
    nb::class_<ttsim::Problem>(m, "Problem", "One problem of an error.")
        .def_ro("kind", &ttsim::Problem::kind)
        .def_prop_ro(
            "code", [](const ttsim::Problem& p) { return text(p.code); }, nb::sig("def code(self) -> str"),
            "What is wrong, as a word for programs, such as 'unknown-name'.")
        .def_prop_ro(
            "message", [](const ttsim::Problem& p) { return text(p.message); }, nb::sig("def message(self) -> str"),
            "Without the place.")
        .def_prop_ro(
            "remedy", [](const ttsim::Problem& p) { return text(p.remedy); }, nb::sig("def remedy(self) -> str"),
            "What helps; '': the message has no separate remedy.")
        .def_prop_ro(
            "file", [](const ttsim::Problem& p) { return text(p.file); }, nb::sig("def file(self) -> str"),
            "'': no file is concerned.")
        .def_ro("line", &ttsim::Problem::line, "From 1; 0: unknown.")
        .def_ro("column", &ttsim::Problem::column, "From 1; 0: unknown.")
        .def_prop_ro(
            "ops", [](const ttsim::Problem& p) { return texts(p.ops); }, nb::sig("def ops(self) -> tuple[str, ...]"),
            "Names of the ops, queues or nodes concerned.");
}

}  // namespace

void bind_errors(nb::module_& m) {
    bind_problems(m);
    nb::dict classes;
    nb::object base = nb::exception<ttsim::Error>(m, "Error", PyExc_RuntimeError);
    base.attr("__doc__") = "Base class of errors: one line per problem, with file and line if known.";
    base.attr("code") = "internal";
    base.attr("kind") = ttsim::ErrorKind::Internal;
    base.attr("message") = base.attr("remedy") = base.attr("file") = "";
    base.attr("line") = base.attr("column") = 0;
    base.attr("ops") = base.attr("problems") = nb::make_tuple();
    struct Kind {
        ttsim::ErrorKind kind;
        const char *name, *code, *doc;
    };
    const Kind kinds[] = {
        {ttsim::ErrorKind::Input, "InputError", "invalid-input", "An argument or a file is invalid."},
        {ttsim::ErrorKind::Unsupported, "UnsupportedError", "unsupported", "The request is valid but not supported."},
        {ttsim::ErrorKind::Hang, "HangError", "hang", "A call waits for something that cannot happen."},
        {ttsim::ErrorKind::Interrupted, "InterruptedRunError", "interrupted", "A run was interrupted."},
        {ttsim::ErrorKind::Internal, "InternalError", "internal", "A bug in ttsim."},
        {ttsim::ErrorKind::Resource, "ResourceError", "resource-limit",
         "Threads, file descriptors or the like ran out."},
    };
    for (const auto& [kind, name, code, doc] : kinds) {
        const std::string full = std::string("ttsim._ttsim.") + name;
        nb::object exception = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, base.ptr(), nullptr));
        exception.attr("kind") = kind;  // of errors that Python code raises itself
        exception.attr("code") = code;
        m.attr(name) = exception;
        classes[nb::cast(static_cast<int>(kind))] = exception;
    }
    m.attr("_error_classes") = classes;  // keeps the classes as long as the module
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* all) {
            try {
                std::rethrow_exception(thrown);
            } catch (const ttsim::Error& error) {
                set_exception(nb::borrow<nb::dict>(static_cast<PyObject*>(all)), error);
            }
        },
        classes.ptr());
}

}  // namespace tt_python
