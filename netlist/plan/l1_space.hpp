// L1 buffer sizes of a core, and the check that they fit (docs/modelling.md "L1 space").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netlist/device/device.hpp"
#include "netlist/plan/plan.hpp"

namespace ttsim::impl {

/// Tiles of an op's output buffer per core, unless it sends only a few blocks (OutputStreaming).
std::int64_t output_buffer_tiles(const Op& op);
/// Whether partial sums are in the output buffer.
bool packs_in_place(const OpConfig& op);
/// Tiles of the input buffer of a streamed operand k per core.
std::int64_t input_buffer_tiles(const Op& op, std::size_t k, const OperandUse& use, std::int64_t tile_bytes);
/// A buffer in the L1 of each core of an op.
struct L1Buffer {
    std::string name;  ///< "output", "input 0"
    std::int64_t bytes = 0;
};
std::vector<L1Buffer> l1_buffers(const PlanOp& op);

/// L1 of a core of an op, in bytes.
struct L1Use {
    std::int64_t needed = 0;  ///< sum of its buffers
    std::int64_t left = 0;    ///< available to them after the chip's reservation and overlay_size
};
L1Use l1_use(const PlanOp& op, const ChipParams& chip);

/// An op whose buffers are too large, in bytes per core.
struct L1Shortage {
    const PlanOp* op = nullptr;
    std::int64_t needed = 0, left = 0;  ///< left: bytes available after the chip's reservation and overlay_size
    std::string message;
};
std::optional<L1Shortage> l1_shortage(const PlanOp& op, const ChipParams& chip);

/// All ops of an epoch whose buffers are too large.
class L1Error final : public Error {
public:
    struct Place {
        std::string graph, op;
        std::int64_t chip = 0, needed = 0, left = 0, overlay_size = 0;
        NocCoord core;             ///< first core of the op
        std::int64_t row, column;  ///< its logical coordinates
    };
    L1Error(const Error& error, std::vector<Place> places) : Error(error), places_(std::move(places)) {}
    const std::vector<Place>& places() const { return places_; }

private:
    std::vector<Place> places_;
};

}  // namespace ttsim::impl
