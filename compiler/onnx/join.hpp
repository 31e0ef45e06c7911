// Values one behind the other along an axis.
#pragma once

#include <span>

#include "compiler/onnx/importer.hpp"

namespace tt::ir {

ValueId joined(Import& n, ValueId a, ValueId b, std::int64_t axis);
/// All of them, which is at least one.
ValueId joined(Import& n, std::span<const ValueId> parts, std::int64_t axis);

}  // namespace tt::ir
