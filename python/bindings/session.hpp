// Types shared by the bindings of sessions and models.
#pragma once

#include "python/bindings/waiting.hpp"

namespace tt_python {

/// [z, rows, columns] of float32; other element types are converted.
using Entry = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void bind_options(nb::module_& m);

}  // namespace tt_python
