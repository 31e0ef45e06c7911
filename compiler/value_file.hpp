// Tensors of any rank in files: .pb (ONNX) and .npy.
#pragma once

#include <string>

#include "compiler/literal.hpp"

namespace tt::ir {

/// By the file's extension. Throws Error(Input) at the file.
Literal read_value_file(const std::string& file);

}  // namespace tt::ir
