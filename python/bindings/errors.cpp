// Translates ttsim::Error to ttsim.Error and its subclasses, with kind and source location.
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

/// Sets the Python exception, with the source location as attributes.
void set_exception(const nb::dict& classes, const ttsim::Error& error) {
    nb::object exception = nb::borrow(class_of(classes, error.kind()))(text(error.what()));
    exception.attr("file") = text(error.file());
    exception.attr("line") = error.line();
    exception.attr("column") = error.column();
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
}

}  // namespace

void bind_errors(nb::module_& m) {
    nb::dict classes;
    nb::object base = nb::exception<ttsim::Error>(m, "Error", PyExc_RuntimeError);
    base.attr("__doc__") = "Base class of errors: one line per problem, with file and line if known.";
    base.attr("file") = "";
    base.attr("line") = base.attr("column") = 0;
    struct Kind {
        ttsim::ErrorKind kind;
        const char *name, *doc;
    };
    const Kind kinds[] = {
        {ttsim::ErrorKind::Input, "InputError", "An argument or a file is invalid."},
        {ttsim::ErrorKind::Unsupported, "UnsupportedError", "The request is valid but not supported."},
        {ttsim::ErrorKind::Hang, "HangError", "A call waits for something that cannot happen."},
        {ttsim::ErrorKind::Interrupted, "InterruptedRunError", "A run was interrupted."},
        {ttsim::ErrorKind::Internal, "InternalError", "A bug in ttsim."},
    };
    for (const auto& [kind, name, doc] : kinds) {
        const std::string full = std::string("ttsim._ttsim.") + name;
        nb::object exception = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, base.ptr(), nullptr));
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
