#include "sim/values/entry.hpp"

#include <cstring>

#include "base/error.hpp"
#include "kernels/formats/tile_codec.hpp"
#include "kernels/ops/integer_bits.hpp"

namespace ttsim::impl::sim {

Entry::Entry(DataFormat f, TileDim dim, TileShape s)
    : format(f), tile(dim), shape(s), tile_size(tile_body_bytes(f, dim)) {
    bytes.resize(static_cast<std::size_t>(s.tiles() * tile_size));
}

const std::uint8_t* Entry::at(std::int64_t z, std::int64_t r, std::int64_t c) const {
    return bytes.data() + ((z * shape.rt + r) * shape.ct + c) * tile_size;
}
std::uint8_t* Entry::at(std::int64_t z, std::int64_t r, std::int64_t c) {
    return bytes.data() + ((z * shape.rt + r) * shape.ct + c) * tile_size;
}

void Entry::repack_if_exact(DataFormat smaller) {
    if (smaller == format || is_raw(format)) return;
    Entry packed(smaller, tile, shape);
    const auto size = static_cast<std::size_t>(tile.elements());
    std::vector<float> values(size), back(size);
    const MatrixView from{values.data(), tile.h, tile.w, tile.w}, to{back.data(), tile.h, tile.w, tile.w};
    for (std::int64_t t = 0; t < shape.tiles(); ++t) {
        decode_tile(format, tile, bytes.data() + t * tile_size, from);
        encode_tile(smaller, tile, from, packed.bytes.data() + t * packed.tile_size);
        decode_tile(smaller, tile, packed.bytes.data() + t * packed.tile_size, to);
        if (std::memcmp(values.data(), back.data(), size * sizeof(float)) != 0) return;
    }
    format = smaller;
    tile_size = packed.tile_size;
    bytes = std::move(packed.bytes);
}

std::vector<Task> EntrySpan::ready() const {
    std::vector<Task> tasks;
    for (const EntryPtr& part : parts) tasks.push_back(part->ready);
    return tasks;
}

DataFormat storage_format(DataFormat df, Numerics numerics) {
    return numerics == Numerics::Float32 && !is_raw(df) && !is_stored_as_bits(df) ? DataFormat::Float32 : df;
}

void put_tile(const Entry& entry, const ConstMatrixView& tile, std::uint8_t* body) {
    if (is_stored_as_bits(entry.format)) return encode_integers(entry.tile, tile, body);
    encode_tile(entry.format, entry.tile, tile, body);
}

void get_tile(const Entry& entry, const std::uint8_t* body, const MatrixView& tile) {
    if (is_stored_as_bits(entry.format)) return decode_integers(entry.tile, body, tile);
    decode_tile(entry.format, entry.tile, body, tile);
}

template <class Use>
static void for_tiles(const Entry& entry, Use use) {
    for (std::int64_t r = 0; r < entry.shape.rt; ++r)
        for (std::int64_t c = 0; c < entry.shape.ct; ++c) use(r, c);
}

EntryPtr pack_entry(const Tensor& values, const Queue& queue, Numerics numerics) {
    auto entry = std::make_shared<Entry>(storage_format(queue.df, numerics), queue.tile, queue.shape());
    TT_CHECK(values.size() == entry->shape.tiles() * queue.tile.elements(), "entry of '{}' has {} elements", queue.name,
             values.size());
    for (std::int64_t z = 0; z < entry->shape.z; ++z)
        for_tiles(*entry, [&](std::int64_t r, std::int64_t c) {
            put_tile(*entry, values.slice(z).sub(r * entry->tile.h, c * entry->tile.w, entry->tile.h, entry->tile.w),
                     entry->at(z, r, c));
        });
    return entry;
}

Tensor unpack_entry(const EntrySpan& span) { return unpack_slices(span, 0, span.z()); }

Tensor unpack_exactly(const EntrySpan& span) {
    const Entry& any = *span.parts.front();
    if (!is_stored_as_bits(any.format)) return unpack_entry(span);
    Tensor values({span.z(), any.shape.rt, any.shape.ct}, any.tile);
    for (std::int64_t z = 0; z < values.z; ++z)
        for_tiles(any, [&](std::int64_t r, std::int64_t c) {
            get_tile(any, span.part(z).at(z % span.z_per_part, r, c),
                     values.slice(z).sub(r * any.tile.h, c * any.tile.w, any.tile.h, any.tile.w));
        });
    return values;
}

Tensor unpack_slices(const EntrySpan& span, std::int64_t first, std::int64_t count) {
    const Entry& any = *span.parts.front();
    Tensor values({count, any.shape.rt, any.shape.ct}, any.tile);
    for (std::int64_t z = 0; z < count; ++z) {
        const Entry& part = span.part(first + z);
        decode_tiles(part.format, part.tile, part.at((first + z) % span.z_per_part, 0, 0), values.slice(z));
    }
    return values;
}

std::pair<const Queue*, std::int64_t> EntryStore::base_of(const Queue& queue) const {
    if (queue.alias.empty()) return {&queue, 1};
    const Queue* base = netlist_.find_queue(queue.alias);
    return {base, base->entries / queue.entries};
}

void EntryStore::put(const Queue& queue, std::int64_t n, EntryPtr entry) { slots_[&queue][n] = std::move(entry); }

bool EntryStore::has(const Queue& queue, std::int64_t n) const {
    const auto [base, ratio] = base_of(queue);
    const auto it = slots_.find(base);
    if (it == slots_.end()) return false;
    const auto first = it->second.lower_bound(n * ratio);
    return first != it->second.end() && first->first < (n + 1) * ratio;
}

EntrySpan EntryStore::read(const Queue& queue, std::int64_t n) {
    const auto [base, ratio] = base_of(queue);
    EntrySpan span{{}, base->shape().z};
    for (std::int64_t i = 0; i < ratio; ++i) {
        EntryPtr& slot = slots_[base][n * ratio + i];
        if (!slot) slot = std::make_shared<Entry>(storage_format(base->df, numerics_), base->tile, base->shape());
        span.parts.push_back(slot);
    }
    return span;
}

EntrySpan EntryStore::open(const Queue& queue, std::int64_t n) {
    const auto [base, ratio] = base_of(queue);
    EntrySpan span{{}, base->shape().z};
    for (std::int64_t i = 0; i < ratio; ++i) {
        auto fresh = std::make_shared<Entry>(storage_format(base->df, numerics_), base->tile, base->shape());
        slots_[base][n * ratio + i] = fresh;
        span.parts.push_back(std::move(fresh));
    }
    return span;
}

void EntryStore::close(const EntrySpan& span, ThreadPool& pool, DataFormat retained_format) {
    for (const EntryPtr& part : span.parts) {
        part->ready = pool.submit(
            [part, retained_format] {
                if (retained_format != DataFormat::Invalid) part->repack_if_exact(retained_format);
            },
            part->writers);
        part->writers.clear();
    }
}

void EntryStore::forget(const Queue& queue, std::int64_t below) {
    const auto it = slots_.find(&queue);
    if (it != slots_.end()) it->second.erase(it->second.begin(), it->second.lower_bound(below));
}

}  // namespace ttsim::impl::sim
