// Tensors of any rank in files: .pb (ONNX) and .npy.
#pragma once

#include <string>

#include "base/file_set.hpp"
#include "compiler/ir/literal.hpp"

namespace ttsim::impl::ir {

/// By the file's extension. Throws Error(Input) at the file.
Literal read_value_file(const std::string& file);

/// The .npy file of that name. Throws Error(Input) at it.
Literal read_npy_of(const FileSet& files, const std::string& name);

/// The bytes of a .npy file; `file` is what errors name.
Literal parse_npy(std::string_view data, const std::string& file);

/// The values as an input of this type wants them: .npy files hold bf16 as the bits of u16, and f16 as float32.
/// Throws Error(Input) at the file; "" = the values come from none.
Literal fitted(const Literal& given, const Type& type, const std::string& file, const std::string& name);

/// The bytes of a .npy file of the values; f16 and bf16 are written as float32, which holds them exactly.
std::string npy_bytes(const Literal& values);
/// Writes that beside the file and renames. Throws Error(Input) when it cannot be written.
void write_value_file(const std::string& file, const Literal& values);

}  // namespace ttsim::impl::ir
