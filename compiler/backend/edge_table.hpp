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

/// Times of output streaming along an edge, as if its consumer were the only reader.
struct EdgeTime {
    double pace = 0;  ///< clocks per input
    double first = 0,
           last = 0;  ///< clocks from the end of packing a block until the reader has its first and its last tile
};

/// Values by index, each computed on first use. Thread-safe.
template <class Value>
class LazyValues {
public:
    explicit LazyValues(std::size_t count) : cells_(std::make_unique<Cell[]>(count)) {}

    template <class Make>
    Value get(std::size_t at, Make make) {
        Cell& cell = cells_[at];
        if (cell.state.load(std::memory_order_acquire) == State::Known) return cell.value;
        const Value value = make();
        State expected = State::Unknown;
        if (cell.state.compare_exchange_strong(expected, State::Written, std::memory_order_relaxed)) {
            cell.value = value;
            cell.state.store(State::Known, std::memory_order_release);
        }
        return value;
    }

private:
    enum class State : std::uint8_t { Unknown, Written, Known };
    struct Cell {
        Value value;
        std::atomic<State> state{State::Unknown};
    };
    std::unique_ptr<Cell[]> cells_;
};

class EdgeTable {
public:
    EdgeTable(std::size_t producers, std::size_t consumers)
        : consumers_(consumers), uses_(producers * consumers), times_(producers * consumers) {}

    /// Costs for candidate i of the producer and j of the consumer, computed by `make()` on first use.
    template <class Make>
    EdgeUse use(std::size_t i, std::size_t j, Make make) {
        return uses_.get(i * consumers_ + j, make);
    }
    template <class Make>
    EdgeTime time(std::size_t i, std::size_t j, Make make) {
        return times_.get(i * consumers_ + j, make);
    }

private:
    std::size_t consumers_;
    LazyValues<EdgeUse> uses_;
    LazyValues<EdgeTime> times_;
};

}  // namespace ttsim::impl::ir
