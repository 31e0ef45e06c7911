// Host inputs: values per queue, reproducible bit for bit (docs/netlist.md "Stimulus").
#pragma once

#include <map>
#include <memory>
#include <string>

#include "netlist/netlist.hpp"

namespace ttsim::impl {

enum class StimulusOrder : std::uint8_t {
    PerQueue,  ///< one std::mt19937 per HOST queue, seed+1, seed+2, ... in name order (default)
    TestOp,    ///< one generator over all queues in name order, entries in order
};

/// The generators of every HOST-fed queue of a resolved netlist.
class StimulusSource {
public:
    virtual ~StimulusSource() = default;
    /// The next entry of a queue in push order, float32 before conversion to the queue's format (raw formats: bit
    /// patterns). With StimulusOrder::PerQueue, different queues may be used from different threads.
    virtual Tensor next(const std::string& queue) = 0;
    /// One line per default rule, used if the file has no stimulus; for `ttsim explain`.
    virtual std::string describe(const std::string& queue) const = 0;
};

/// `entries`: number of entries per HOST queue (needed by TestOp). The file name affects the defaults (graph tests).
std::unique_ptr<StimulusSource> make_stimulus(const Netlist& resolved,
                                              const std::map<std::string, std::int64_t>& entries, std::uint32_t seed,
                                              StimulusOrder order);

}  // namespace ttsim::impl
