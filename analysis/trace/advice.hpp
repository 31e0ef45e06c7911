// What holds a run back, over all its epochs: the roots of their waits and the loading of epochs.
#pragma once

#include <string>
#include <vector>

#include "analysis/trace/waits.hpp"

namespace ttsim::impl::trace {

/// One root, or those of equal ops in repeated layers, whose shares are added up.
struct Reason {
    Root root;                  ///< the dearest; `place` of all: "ops 'layers.*.exp' (12)"
    std::string op, other;      ///< root.op and root.other, as all of them are called
    std::vector<Root> members;  ///< dearest first; one where nothing is repeated
    double share = 0;           ///< of the time that ops were at work or loaded again, 0..1
    double gain =
        0;  ///< estimate of that time's share that is gained without it: what the busiest of the others leaves
    std::int64_t epochs = 0, worst_epoch = 0;  ///< in so many; where it costs most
};

struct Advice {
    RunInfo run;
    double cycles = 0;           ///< that are shared out
    double first_load = 0;       ///< left out: loading what is loaded once
    double after_last = 0;       ///< left out: the host fetches results after the last epoch
    std::vector<Reason> causes;  ///< largest share first
};

/// Launches that are loaded and over at once are worth fewer epochs; a plan's only load is not, however short the run.
Advice advise(Reader& trace);

}  // namespace ttsim::impl::trace
