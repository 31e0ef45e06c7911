#include "netlist/plan/streams.hpp"

#include <algorithm>
#include <numeric>

namespace ttsim::impl {

namespace {

// bytes; for sources see docs/modelling.md
constexpr std::int64_t max_request = 65536, stream_buffer = 100 * 1024;
constexpr std::int64_t max_phase = 2048;  // tiles

/// The largest divisor of n that is at most `most`.
std::int64_t divisor_up_to(std::int64_t n, std::int64_t most) {
    for (std::int64_t d = std::min(n, most); d > 1; --d)
        if (n % d == 0) return d;
    return 1;
}

/// Tiles of one request: they are contiguous in the queue's buffers and in the operand's.
std::int64_t request_tiles(const Queue& queue, const std::vector<TileOrder>& orders, std::int64_t room,
                           std::int64_t tile_bytes) {
    std::int64_t unit = queue.blocking.t * queue.blocking.mblock_tiles();
    for (const TileOrder& order : orders)
        for (const TileSpan& span : order)
            if (span.source >= 0) unit = std::gcd(unit, std::gcd(span.tiles, span.first));
    if (room < unit) unit = std::gcd(unit, room);
    return divisor_up_to(unit, std::max<std::int64_t>(1, max_request / tile_bytes));
}

/// How many times chunks (or their common multiple with the operand's buffer) are buffered.
std::int64_t times_buffered(std::int64_t base, std::int64_t tile_bytes, std::int64_t asked) {
    if (asked > 0) {
        std::int64_t times = std::max<std::int64_t>(1, asked / base);
        while (times > 1 && max_phase % (times * base) != 0) --times;
        return times;
    }
    const std::int64_t bytes = base * tile_bytes;
    std::int64_t times = 1;
    while ((times + 1) * bytes < longest_queue_chunk) {
        ++times;
        if (times * bytes >= longest_queue_chunk / 2 && max_phase % (times * base) == 0) break;
    }
    if (times == 1 && 2 * bytes <= stream_buffer && max_phase % (2 * base) == 0) times = 2;
    return times;
}

}  // namespace

std::int64_t chunk_tiles(std::int64_t unit, std::int64_t clear, std::int64_t per_input, std::int64_t most) {
    const std::int64_t phase = std::max(clear, max_phase / clear * clear);
    const std::int64_t preferred = std::lcm(std::gcd(phase, per_input), unit);
    if (preferred <= most) return preferred;
    for (std::int64_t d = 2; d <= preferred / unit; ++d)
        if (preferred % d == 0 && preferred / d % unit == 0 && preferred / d <= most) return preferred / d;
    return unit;
}

QueueReads queue_reads(const Queue& queue, const std::vector<TileOrder>& orders, std::int64_t clear, std::int64_t room,
                       std::int64_t tile_bytes, std::int64_t asked) {
    std::int64_t per_input = 0;
    for (const TileOrder& order : orders) {
        std::int64_t tiles = 0;
        for (const TileSpan& span : order) tiles += span.tiles;
        per_input = std::max(per_input, tiles);
    }
    if (per_input == 0) return {};
    QueueReads reads;
    reads.unit = request_tiles(queue, orders, room, tile_bytes);
    const std::int64_t most =
        asked > 0 ? std::min(asked, longest_queue_chunk / tile_bytes) : longest_queue_chunk / tile_bytes;
    reads.chunk = chunk_tiles(reads.unit, std::max<std::int64_t>(1, clear), per_input, most);
    const std::int64_t both = room > 0 ? std::lcm(reads.chunk, room) : reads.chunk;
    const std::int64_t limit = std::max(asked > 0 ? asked * tile_bytes : stream_buffer, room * tile_bytes);
    reads.beside = both * tile_bytes > limit;
    const std::int64_t base = reads.beside ? reads.chunk : both;
    reads.buffer = base * times_buffered(base, tile_bytes, asked);
    return reads;
}

QueueReads flat_reads(const Queue& queue, std::int64_t step) {
    const Blocking& b = queue.blocking;
    const std::int64_t bytes = b.ublock_ct * element_bytes(queue.df) * queue.tile.elements();
    const bool at_once = b.mblock_n == 1 && bytes <= max_request;  // the rows of a tile are contiguous
    return {std::gcd(b.ublock_ct, step), step, 2 * step, false, at_once ? 0 : queue.tile.h};
}

QueueReads table_reads(const OpConfig& embedding, std::int64_t step) {
    const std::int64_t named = embedding.attr.num_indices;
    const std::int64_t all = embedding.in[0].rt * embedding.in_tile[0].h;
    return {step, step, 2 * step, false, named, static_cast<double>(named) / static_cast<double>(all)};
}

std::int64_t credit_tiles(std::int64_t room, std::int64_t unit) {
    const std::int64_t units = unit > 0 ? room / unit : 0;
    if (units == 0) return 1;
    return std::max<std::int64_t>(1, room / (units <= 2 ? 2 : units <= 5 ? 4 : 8));
}

std::int64_t operand_unit(const Op& op, std::size_t k, std::int64_t clear) {
    const OpConfig& cfg = op.cfg;
    if (cfg.attr.kernel_broadcast.contains(static_cast<int>(k))) return clear;
    if (cfg.type == "matmul" || cfg.type == "depthwise") return k < 2 ? clear : cfg.out.mblock_tiles();
    if (cfg.type == "reduce") return clear;
    return (cfg.type == "splice" ? cfg.out.t : 1) * cfg.out.mblock_tiles();
}

}  // namespace ttsim::impl
