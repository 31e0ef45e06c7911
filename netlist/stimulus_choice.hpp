// Which values a HOST queue gets: the file's stimulus-config, the part the queue plays in its op, or a default.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/name_pattern.hpp"
#include "netlist/netlist.hpp"

namespace tt {

struct ChosenStimulus {
    Stimulus stimulus;
    const Op* sparse_op = nullptr;  ///< the sparse matmul of the kinds that need one
    std::string why;                ///< one line
};

/// Rules, the first that fits: an override that names the queue; control inputs (sparse tiles and encodings, indices);
/// constants of the reference compiler by name; the file's general stimulus; the defaults.
class StimulusChooser {
public:
    explicit StimulusChooser(const Netlist& resolved);
    ChosenStimulus choose(const Queue& queue) const;

private:
    struct Use {
        const Op* op = nullptr;
        std::size_t operand = 0;
    };
    struct Override {
        std::string name;
        std::optional<NamePattern> pattern;
        const Stimulus* stimulus = nullptr;
    };

    const Stimulus* own(const std::string& name, std::string& which) const;
    bool by_part(const Queue& queue, ChosenStimulus& chosen) const;
    bool by_name(const Queue& queue, ChosenStimulus& chosen) const;
    ChosenStimulus by_default(const Queue& queue) const;
    const std::vector<Use>& uses(const std::string& queue) const;
    std::int64_t reduced_size(const Queue& queue) const;

    const Netlist& netlist_;
    std::map<std::string, std::vector<Use>, std::less<>> uses_;
    std::map<std::string, const Op*, std::less<>> ops_;
    std::vector<Override> overrides_;
    bool deep_ = false;   ///< more than 20 ops
    bool graph_ = false;  ///< a graph test, or deep
};

}  // namespace tt
