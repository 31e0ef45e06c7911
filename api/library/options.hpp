// Conversion of public session options to internal ones.
#pragma once

#include <ttsim/session.hpp>

#include "runtime/session.hpp"

namespace ttsim {

impl::sim::Mode internal(Engine engine);
impl::Numerics internal(Numerics numerics);

/// Throws Error(Input) for options out of range.
impl::runtime::SessionOptions session_options(const SessionOptions& options);

/// The machine selected by the options; of several chips the first on which the resolved netlist is valid.
impl::Machine choose_machine(const impl::Netlist& netlist, const SessionOptions& options);

}  // namespace ttsim
