// Chooses the values of a HOST queue: the file's stimulus-config, the queue's role in its op, or a default.
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
    const Op* sparse_op = nullptr;  ///< the sparse matmul, for stimulus types that need one
    std::string why;                ///< reason, one line
};

/// Rules, in order of precedence: an override that names the queue; control inputs (sparse tiles and encodings,
/// indices); the file's general stimulus, except for some names in inference tests and for negative values that reach a
/// root or logarithm; constants of the reference compiler; defaults.
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
    const Stimulus* find_override(const std::string& name, std::string& override_name) const;
    bool choose_by_role(const Queue& queue, ChosenStimulus& chosen) const;
    ChosenStimulus choose_default(const Queue& queue) const;

    const Netlist& netlist_;
    DataFlow flow_;
    std::map<std::string, const Op*, std::less<>> ops_;
    std::vector<Override> overrides_;
    std::set<std::string, std::less<>> prologue_;  ///< queues that an execute reads once and keeps
    std::set<const Queue*> positive_;              ///< queues whose data reaches a square root or logarithm
    bool deep_ = false;                            ///< more than 20 ops
    bool graph_ = false;                           ///< a graph test, or deep
};

}  // namespace ttsim::impl
