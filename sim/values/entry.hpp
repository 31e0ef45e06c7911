// Modelled memory of queues and rams: entries as packed tiles, allocated at first write, shared while in use.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_pool.hpp"
#include "kernels/formats/numerics.hpp"
#include "netlist/netlist.hpp"

namespace ttsim::impl::sim {

/// One slot's content: tiles [z][r][c] of `format`, each tile_body_bytes long.
struct Entry {
    DataFormat format = DataFormat::Float32;
    TileDim tile;
    TileShape shape;
    std::vector<std::uint8_t> bytes;
    std::vector<Task> writers;  ///< tasks that fill it
    Task ready;                 ///< done when all have

    Entry(DataFormat f, TileDim dim, TileShape s);
    std::uint8_t* at(std::int64_t z, std::int64_t r, std::int64_t c);
    const std::uint8_t* at(std::int64_t z, std::int64_t r, std::int64_t c) const;
    std::int64_t tile_size = 0;

    /// Packs the tiles in another format when every element survives it; otherwise changes nothing.
    void repack_if_exact(DataFormat smaller);
};
using EntryPtr = std::shared_ptr<Entry>;

/// An entry as one queue sees it: one Entry, or several along z (an alias over a finer base ram).
struct EntrySpan {
    std::vector<EntryPtr> parts;
    std::int64_t z_per_part = 1;
    Entry& part(std::int64_t z) const { return *parts[static_cast<std::size_t>(z / z_per_part)]; }
    std::int64_t z() const { return z_per_part * static_cast<std::int64_t>(parts.size()); }
    std::vector<Task> ready() const;
};

/// Format a queue's memory has: its own, or Float32 when rounding is off. Raw formats and Int32 always keep their own.
DataFormat storage_format(DataFormat df, Numerics numerics);

/// A tile of an entry; Int32 as bits (kernels/ops/integer_bits.hpp).
void put_tile(const Entry& entry, ConstMatrixView tile, std::uint8_t* body);
void get_tile(const Entry& entry, const std::uint8_t* body, MatrixView tile);

/// Encodes a whole tensor (values already in the queue's format; Int32 as bits).
EntryPtr pack_entry(const Tensor& values, const Queue& queue, Numerics numerics);
Tensor unpack_entry(const EntrySpan& entry);    ///< as floats, which round Int32 beyond 2^24
Tensor unpack_exactly(const EntrySpan& entry);  ///< the same with Int32 as bits
/// Slices first .. first + count - 1 of it.
Tensor unpack_slices(const EntrySpan& entry, std::int64_t first, std::int64_t count);

/// All queues of a run. Entry numbers as in netlist/program/queue_state.hpp.
class EntryStore {
public:
    EntryStore(const Netlist& netlist, Numerics numerics) : netlist_(netlist), numerics_(numerics) {}

    /// HOST entries are made by this on first use (stimulus or --inputs), at most once each.
    void put(const Queue& queue, std::int64_t n, EntryPtr entry);
    /// The slot's content; a ram slot nothing has written reads as zeros. nullptr parts never occur.
    EntrySpan read(const Queue& queue, std::int64_t n);
    bool has(const Queue& queue, std::int64_t n) const;
    /// Fresh memory for a write of slot n; readers of the old content keep it.
    EntrySpan open(const Queue& queue, std::int64_t n);
    /// All writers were added. `keep_as`: an entry kept for long is packed in this format if that loses nothing.
    void close(const EntrySpan& span, ThreadPool& pool, DataFormat keep_as = DataFormat::Invalid);
    void forget(const Queue& queue, std::int64_t below);
    Numerics numerics() const { return numerics_; }

private:
    std::pair<const Queue*, std::int64_t> base_of(const Queue& queue) const;

    const Netlist& netlist_;
    Numerics numerics_;
    std::map<const Queue*, std::map<std::int64_t, EntryPtr>> slots_;
};

}  // namespace ttsim::impl::sim
