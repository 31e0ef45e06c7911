// What the host pushes: values per queue, reproducible bit for bit (docs/netlist.md "Stimulus").
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
    /// The next entry of that queue in push order, float32 before conversion to the queue's format (raw formats:
    /// bit patterns). Different queues may be asked from different threads with StimulusOrder::PerQueue.
    virtual Tensor next(const std::string& queue) = 0;
    /// One line per rule that was chosen for lack of a stimulus in the file, for `ttsim explain`.
    virtual std::string describe(const std::string& queue) const = 0;
};

/// `entries`: how many entries each HOST queue gets (needed by TestOp). `file` decides the default kind (graph tests).
std::unique_ptr<StimulusSource> make_stimulus(const Netlist& resolved,
                                              const std::map<std::string, std::int64_t>& entries, std::uint32_t seed,
                                              StimulusOrder order);

}  // namespace ttsim::impl
