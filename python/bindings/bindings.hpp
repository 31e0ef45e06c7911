// Python bindings of the public headers in api/include/ttsim, one to one.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <ttsim/model.hpp>

namespace tt_python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_errors(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_reports(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_netlists(nb::module_& m);
void bind_sessions(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_models(nb::module_& m);
void bind_trainers(nb::module_& m);
void bind_images(nb::module_& m);
void bind_device_sessions(nb::module_& m);

/// As a numpy array of float32 for float types, else of int64.
nb::object numpy_array(ttsim::Array&& array);
/// From a C-contiguous array of any real type, as ttsim/arrays.py makes them; uint16 for BF16 holds its bits.
ttsim::Array array_of(nb::handle numbers, ttsim::ElementType type);
nb::dict numpy_arrays(ttsim::Arrays&& arrays);
ttsim::Arrays arrays_of(const nb::dict& arrays);

}  // namespace tt_python
