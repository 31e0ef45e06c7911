// ttsim::Error as ttsim.Error and its subclasses, with kind and place.
#include "python/bindings/bindings.hpp"

namespace tt_python {

namespace {

PyObject* class_of(const nb::dict& classes, ttsim::ErrorKind kind) {
    return nb::object(classes[nb::cast(static_cast<int>(kind))]).ptr();
}

/// Files may be quoted that are no UTF-8.
nb::object text(std::string_view bytes) {
    PyObject* made = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

/// The place goes into attributes of the exception, beside the text.
void raise(const nb::dict& classes, const ttsim::Error& error) {
    nb::object made = nb::borrow(class_of(classes, error.kind()))(text(error.what()));
    made.attr("file") = text(error.file());
    made.attr("line") = error.line();
    made.attr("column") = error.column();
    PyErr_SetObject(made.type().ptr(), made.ptr());
}

}  // namespace

void bind_errors(nb::module_& m) {
    nb::dict classes;
    nb::object base = nb::exception<ttsim::Error>(m, "Error", PyExc_RuntimeError);
    base.attr("__doc__") =
        "What ttsim refuses or cannot do: one line per problem, with file and line where it has one.";
    base.attr("file") = "";
    base.attr("line") = base.attr("column") = 0;
    struct Kind {
        ttsim::ErrorKind kind;
        const char *name, *doc;
    };
    const Kind kinds[] = {
        {ttsim::ErrorKind::Input, "InputError", "What a program or a file gives is wrong."},
        {ttsim::ErrorKind::Unsupported, "UnsupportedError", "What is asked for is right, and not there."},
        {ttsim::ErrorKind::Hang, "HangError", "A call waits for what can never come."},
        {ttsim::ErrorKind::Interrupted, "InterruptedRunError", "A run was ended from outside."},
        {ttsim::ErrorKind::Internal, "InternalError", "A mistake of ttsim's own."},
    };
    for (const auto& [kind, name, doc] : kinds) {
        const std::string full = std::string("ttsim._ttsim.") + name;
        nb::object made = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, base.ptr(), nullptr));
        m.attr(name) = made;
        classes[nb::cast(static_cast<int>(kind))] = made;
    }
    m.attr("_error_classes") = classes;  // lives as long as the module
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* all) {
            try {
                std::rethrow_exception(thrown);
            } catch (const ttsim::Error& error) {
                raise(nb::borrow<nb::dict>(static_cast<PyObject*>(all)), error);
            }
        },
        classes.ptr());
}

}  // namespace tt_python
