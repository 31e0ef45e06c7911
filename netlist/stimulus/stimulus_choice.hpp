// Which values a HOST queue gets: the file's stimulus-config, the part the queue plays in its op, or a default.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/name_pattern.hpp"
#include "netlist/netlist.hpp"
#include "netlist/stimulus/data_flow.hpp"

namespace ttsim::impl {

struct ChosenStimulus {
    Stimulus stimulus;
    const Op* sparse_op = nullptr;  ///< the sparse matmul of the kinds that need one
    std::string why;                ///< one line
};

/// Rules, the first that fits: an override that names the queue; control inputs (sparse tiles and encodings, indices);
/// the file's general stimulus, but for a few names in inference tests and negative values of what reaches a root or
/// logarithm; constants of the reference compiler; defaults.
class StimulusChooser {
public:
    explicit StimulusChooser(const Netlist& resolved);
    ChosenStimulus choose(const Queue& queue) const;

private:
    struct Override {
        std::string name;
        std::optional<NamePattern> pattern;
        const Stimulus* stimulus = nullptr;
    };

    void find_positive();
    const Stimulus* own(const std::string& name, std::string& which) const;
    bool by_part(const Queue& queue, ChosenStimulus& chosen) const;
    ChosenStimulus by_default(const Queue& queue) const;

    const Netlist& netlist_;
    DataFlow flow_;
    std::map<std::string, const Op*, std::less<>> ops_;
    std::vector<Override> overrides_;
    std::set<std::string, std::less<>> prologue_;  ///< queues that some execute reads once and keeps
    std::set<const Queue*> positive_;              ///< whose data reaches a square root or logarithm
    bool deep_ = false;                            ///< more than 20 ops
    bool graph_ = false;                           ///< a graph test, or deep
};

}  // namespace ttsim::impl
