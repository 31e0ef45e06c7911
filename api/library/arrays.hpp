// Arrays of a model as the compiler holds them.
#pragma once

#include <ttsim/array.hpp>

#include "compiler/host/host_program.hpp"

namespace ttsim {

/// Throws tt::Error(Input), naming `name`, when shape and datums do not go together.
tt::ir::Literal internal(const Array& array, const std::string& name);
tt::ir::Values internal(const Arrays& arrays);
Array external(const tt::ir::Literal& literal);
Arrays external(const tt::ir::Values& values);

tt::ir::DType internal(ElementType type);
ArrayInfo info_of(const std::string& name, const tt::ir::Type& type);

}  // namespace ttsim
