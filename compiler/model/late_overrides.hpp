// Overrides that depend on names of the lowered model, which only the compiler knows.
#pragma once

#include <vector>

#include "compiler/ir/overrides.hpp"
#include "compiler/options/compile_options.hpp"

namespace ttsim::impl::ir {

/// Settings under this name apply to every op of the netlist that has no such setting itself.
inline constexpr const char* every_op = "*";

/// Whether resolve_overrides() has anything to do.
bool has_late_overrides(const CompileOptions& options);

/// Lowers the model, without scheduling it, and replaces the late overrides of the options by overrides of single ops.
/// Returns what has no effect.
std::vector<IgnoredOverride> resolve_overrides(const Graph& model, CompileOptions& options);

}  // namespace ttsim::impl::ir
