// Root causes of lost time in a run, over all epochs: roots of waits, and loading of epochs.
#pragma once

#include <string>
#include <vector>

#include "analysis/trace/waits.hpp"

namespace ttsim::impl::trace {

/// One root, or the roots of equal ops in repeated layers with their shares summed.
struct Reason {
    Root root;                  ///< the most expensive member; `place` names all: "ops 'layers.*.exp' (12)"
    std::string op, other;      ///< root.op and root.other, as the common name of all members
    std::vector<Root> members;  ///< most expensive first; one element without repetition
    double share = 0;           ///< fraction of the time in which ops ran or were reloaded, 0..1
    double gain =
        0;  ///< estimated fraction of that time that is saved without this cause; limited by the busiest other op
    std::int64_t epochs = 0, worst_epoch = 0;  ///< number of epochs with it; the epoch where it costs most
};

struct Advice {
    RunInfo run;
    double cycles = 0;           ///< cycles that the causes account for
    double first_load = 0;       ///< not included: the first load of each plan
    double after_last = 0;       ///< not included: the host fetches results after the last epoch
    std::vector<Reason> causes;  ///< largest share first
};

/// Finds the causes. The first load of a plan counts as a cause only in runs with many launches.
Advice advise(Reader& trace);

}  // namespace ttsim::impl::trace
