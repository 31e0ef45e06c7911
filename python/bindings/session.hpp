#pragma once

#include "python/bindings/waiting.hpp"

namespace tt_python {

/// [z, rows, columns] numbers; others are converted.
using Entry = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void bind_options(nb::module_& m);

}  // namespace tt_python
