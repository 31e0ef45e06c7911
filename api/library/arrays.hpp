// Conversion between public arrays and the compiler's literals.
#pragma once

#include <ttsim/array.hpp>

#include "compiler/host/host_program.hpp"

namespace ttsim {

/// Throws impl::Error(Input) with `name` when the number of elements does not match the shape. Rvalues are moved, not
/// copied.
impl::ir::Literal internal(const Array& array, const std::string& name);
impl::ir::Literal internal(Array&& array, const std::string& name);
impl::ir::Values internal(const Arrays& arrays);
impl::ir::Values internal(Arrays&& arrays);
Array external(const impl::ir::Literal& literal);
Array external(impl::ir::Literal&& literal);
Arrays external(const impl::ir::Values& values);
Arrays external(impl::ir::Values&& values);

impl::ir::DType internal(ElementType type);
ArrayInfo info_of(const std::string& name, const impl::ir::Type& type);

}  // namespace ttsim
