// Memory of queues and rams in the model: entries of packed tiles, allocated at the first write and reference-counted.
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
    Task ready;                 ///< done when all writers are

    Entry(DataFormat f, TileDim dim, TileShape s);
    std::uint8_t* at(std::int64_t z, std::int64_t r, std::int64_t c);
    const std::uint8_t* at(std::int64_t z, std::int64_t r, std::int64_t c) const;
    std::int64_t tile_size = 0;

    /// Repacks the tiles in another format when that is lossless; otherwise changes nothing.
    void repack_if_exact(DataFormat smaller);
};
using EntryPtr = std::shared_ptr<Entry>;

/// An entry of a queue: one Entry, or several along z for an alias of a ram with smaller entries.
struct EntrySpan {
    std::vector<EntryPtr> parts;
    std::int64_t z_per_part = 1;
    Entry& part(std::int64_t z) const { return *parts[static_cast<std::size_t>(z / z_per_part)]; }
    std::int64_t z() const { return z_per_part * static_cast<std::int64_t>(parts.size()); }
    std::vector<Task> ready() const;
};

/// Storage format of a queue: its own, or Float32 when rounding is off. Raw formats and Int32 keep their own.
DataFormat storage_format(DataFormat df, Numerics numerics);

/// Encodes or decodes a tile of an entry; Int32 as bits (kernels/ops/integer_bits.hpp).
void put_tile(const Entry& entry, const ConstMatrixView& tile, std::uint8_t* body);
void get_tile(const Entry& entry, const std::uint8_t* body, const MatrixView& tile);

/// Encodes a whole tensor (values already in the queue's format; Int32 as bits).
EntryPtr pack_entry(const Tensor& values, const Queue& queue, Numerics numerics);
Tensor unpack_entry(const EntrySpan& entry);    ///< as floats; Int32 beyond 2^24 is rounded
Tensor unpack_exactly(const EntrySpan& entry);  ///< Int32 as bits, without rounding
/// Unpacks slices first .. first + count - 1.
Tensor unpack_slices(const EntrySpan& entry, std::int64_t first, std::int64_t count);

/// All queues of a run. Entry numbers as in netlist/program/queue_state.hpp.
class EntryStore {
public:
    EntryStore(const Netlist& netlist, Numerics numerics) : netlist_(netlist), numerics_(numerics) {}

    /// Stores an entry, such as a HOST entry of the stimulus or of --inputs.
    void put(const Queue& queue, std::int64_t n, EntryPtr entry);
    /// The slot's content; an unwritten ram slot reads as zeros. Parts are never null.
    EntrySpan read(const Queue& queue, std::int64_t n);
    bool has(const Queue& queue, std::int64_t n) const;
    /// Allocates memory for a write of slot n; readers of the old content keep that.
    EntrySpan open(const Queue& queue, std::int64_t n);
    /// Called after all writers were added. `retained_format`: format in which the entry is packed when that is
    /// lossless; Invalid: unchanged.
    void close(const EntrySpan& span, ThreadPool& pool, DataFormat retained_format = DataFormat::Invalid);
    void forget(const Queue& queue, std::int64_t below);
    Numerics numerics() const { return numerics_; }

private:
    std::pair<const Queue*, std::int64_t> base_of(const Queue& queue) const;

    const Netlist& netlist_;
    Numerics numerics_;
    std::map<const Queue*, std::map<std::int64_t, EntryPtr>> slots_;
};

}  // namespace ttsim::impl::sim
