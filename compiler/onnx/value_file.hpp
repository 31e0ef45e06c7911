// Reads and writes tensors in .pb (ONNX) and .npy files.
#pragma once

#include <string>

#include "base/file_set.hpp"
#include "compiler/ir/literal.hpp"

namespace ttsim::impl::ir {

/// Reads a file by its extension. Throws Error(Input) at the file.
Literal read_value_file(const std::string& file);

/// Reads the .npy file of that name. Throws Error(Input) at it.
Literal read_npy_of(const FileSet& files, const std::string& name);

/// Parses the bytes of a .npy file; errors name `file`.
Literal parse_npy(std::string_view data, const std::string& file);

/// Converts values to the type of an input: .npy files hold bf16 as the bits of u16, and f16 as float32. Throws
/// Error(Input) at the file; "" if the values come from no file.
Literal fitted(const Literal& given, const Type& type, const std::string& file, const std::string& name);

/// The bytes of a .npy file with the values. f16 and bf16 are written as float32, which holds them exactly.
std::string npy_bytes(const Literal& values);
/// Writes a temporary .npy file and renames it. Throws Error(Input) if it cannot be written.
void write_value_file(const std::string& file, const Literal& values);

}  // namespace ttsim::impl::ir
