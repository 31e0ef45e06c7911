#include "python/bindings/bindings.hpp"

NB_MODULE(_ttsim, m) {
    // objects referenced by globals at interpreter exit are freed with the process
    nanobind::set_leak_warnings(false);
    m.doc() = "Bindings of libttsim; programs use the package ttsim.";
    tt_python::bind_errors(m);
    tt_python::bind_arrays(m);
    tt_python::bind_reports(m);
    tt_python::bind_devices(m);
    tt_python::bind_netlists(m);
    tt_python::bind_sessions(m);
    tt_python::bind_graphs(m);
    tt_python::bind_models(m);
    tt_python::bind_trainers(m);
    tt_python::bind_images(m);
    tt_python::bind_device_sessions(m);
}
