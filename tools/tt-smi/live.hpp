// The live display of tt-smi.
#pragma once

#include "analysis/smi/sample.hpp"
#include "tools/common/terminal_screen.hpp"

namespace ttsim::impl::cli {

struct LiveOptions {
    double interval = 0.5;  ///< seconds of the host between readings
    double simulated = 0;   ///< seconds that a trace goes on in each
    ScreenTheme theme = ScreenTheme::Default;
};
/// Until the key q, or a signal.
void watch(smi::Source& source, const LiveOptions& options);

}  // namespace ttsim::impl::cli
