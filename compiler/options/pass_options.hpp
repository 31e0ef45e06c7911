// From the options of the compiler to those of its passes.
#pragma once

#include "compiler/ir/pass.hpp"
#include "compiler/options/compile_options.hpp"

namespace ttsim::impl::ir {

/// The options of passes that options of a compilation set. The caller adds what needs the chip or the schedule: those
/// of PassValues, `estimate`, `tiling` and `host`, and overrides that the compiler made. The result refers to
/// `options`.
PassOptions pass_options(const CompileOptions& options);

}  // namespace ttsim::impl::ir
