// Lazily computed costs of an edge for each pair of its ops' candidates.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace ttsim::impl::ir {

/// Costs of a direct edge; some also apply to an edge through DRAM.
struct EdgeUse {
    std::int32_t fan_out = 0, producer_phases = 0, consumer_phases = 0, sources = 0;  ///< StreamUse
    std::int64_t slice_bytes =
        0;  ///< excess L1 if the producer holds the slices that the consumer needs at the same time
};

/// Thread-safe.
class EdgeTable {
public:
    EdgeTable(std::size_t producers, std::size_t consumers)
        : consumers_(consumers), cells_(std::make_unique<Cell[]>(producers * consumers)) {}

    /// Costs for candidate i of the producer and j of the consumer, computed by `make()` on first use.
    template <class Make>
    EdgeUse get(std::size_t i, std::size_t j, Make make) {
        Cell& cell = cells_[i * consumers_ + j];
        if (cell.state.load(std::memory_order_acquire) == State::Known) return cell.use;
        const EdgeUse use = make();
        State expected = State::Unknown;
        if (cell.state.compare_exchange_strong(expected, State::Written, std::memory_order_relaxed)) {
            cell.use = use;
            cell.state.store(State::Known, std::memory_order_release);
        }
        return use;
    }

private:
    enum class State : std::uint8_t { Unknown, Written, Known };
    struct Cell {
        EdgeUse use;
        std::atomic<State> state{State::Unknown};
    };
    std::size_t consumers_;
    std::unique_ptr<Cell[]> cells_;
};

}  // namespace ttsim::impl::ir
