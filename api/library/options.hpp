// Public options as the simulator takes them.
#pragma once

#include <ttsim/session.hpp>

#include "runtime/session.hpp"

namespace ttsim {

impl::runtime::SessionOptions session_options(const SessionOptions& options);

/// The machine that the options ask for: of several chips the first on which the netlist, resolved, is valid.
impl::Machine choose_machine(const impl::Netlist& netlist, const SessionOptions& options);

}  // namespace ttsim
