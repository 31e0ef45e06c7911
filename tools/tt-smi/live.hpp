// The live display of tt-smi.
#pragma once

#include "analysis/smi/sample.hpp"
#include "tools/common/terminal_screen.hpp"

namespace ttsim::impl::cli {

struct LiveOptions {
    double interval = 0.5;  ///< host seconds between readings
    double speed = 0;       ///< simulated seconds of a trace per host second
    ScreenTheme theme = ScreenTheme::Default;
};
/// Shows the display until the key q or a signal.
void watch(smi::Source& source, const LiveOptions& options);

}  // namespace ttsim::impl::cli
