#include "compiler/backend/sparse_blocking.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "kernels/ops/sparse_encoding.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t edge = tile_edge, no_tile = -1;

std::int64_t bits_for(std::int64_t count) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1) - 1)));
}

/// The tiles of tile rows first .. first + count - 1.
std::span<const SparseTilePosition> rows_of(const SparsePattern& pattern, std::int64_t first, std::int64_t count) {
    const std::int64_t begin = std::min(first, pattern.rows), end = std::min(first + count, pattern.rows);
    const std::size_t from = pattern.begins[static_cast<std::size_t>(begin)];
    return {pattern.places.data() + from, pattern.begins[static_cast<std::size_t>(end)] - from};
}

/// A grid row's distinct tiles in order of use, and the strips of each slice.
struct Share {
    std::vector<std::int64_t> tiles;
    std::vector<std::vector<SparseStrip>> slices;
};

/// Sorted by strip; the order by row, then column, is kept within a strip.
std::vector<SparseTilePosition> by_strip(std::span<const SparseTilePosition> places, std::int64_t u_kt) {
    std::vector<std::size_t> at;  // next position per strip
    for (const SparseTilePosition& place : places) {
        const auto strip = static_cast<std::size_t>(place.col / u_kt);
        if (at.size() < strip + 2) at.resize(strip + 2, 0);
        ++at[strip + 1];
    }
    for (std::size_t k = 1; k < at.size(); ++k) at[k] += at[k - 1];
    std::vector<SparseTilePosition> sorted(places.size());
    for (const SparseTilePosition& place : places) sorted[at[static_cast<std::size_t>(place.col / u_kt)]++] = place;
    return sorted;
}

/// Strips in order; their blocks by ublock row, their tiles by row and inner index.
std::vector<SparseStrip> strips_of(std::span<const SparseTilePosition> places, std::int64_t first_row,
                                   const OpConfig& op, const std::vector<std::int64_t>& number) {
    const std::int64_t u_kt = op.attr.u_kt, height = op.out.ublock_rt;
    const std::vector<SparseTilePosition> sorted = by_strip(places, u_kt);
    std::vector<SparseStrip> strips;
    for (const SparseTilePosition& place : sorted) {
        const std::int64_t strip = place.col / u_kt, row = place.row - first_row;
        if (strips.empty() || strips.back().index != strip) strips.push_back({strip, false, {}});
        auto& blocks = strips.back().blocks;
        if (blocks.empty() || blocks.back().ublock_row != row / height) blocks.push_back({row / height, {}});
        blocks.back().tiles.push_back({row % height, place.col % u_kt, number[static_cast<std::size_t>(place.tile)]});
    }
    if (strips.empty()) strips.push_back({0, false, {}});  // a slice needs a strip with the end marker
    strips.back().ends_slice = true;
    return strips;
}

/// The first tile row of a grid row's share of a slice.
std::int64_t first_row(const OpConfig& op, std::int64_t grid_row, std::int64_t z) {
    return (z * op.out.grid_r + grid_row) * op.out.core_rt();
}

/// Numbers of the tiles a grid row uses, in order of use.
std::vector<std::int64_t> tiles_of(const SparsePattern& pattern, const OpConfig& op, std::int64_t grid_row) {
    std::vector<std::int64_t> tiles;
    std::vector<bool> known(pattern.tiles.size(), false);
    for (std::int64_t z = 0; z < op.out.t; ++z)
        for (const SparseTilePosition& place : rows_of(pattern, first_row(op, grid_row, z), op.out.core_rt())) {
            if (known[static_cast<std::size_t>(place.tile)]) continue;
            known[static_cast<std::size_t>(place.tile)] = true;
            tiles.push_back(place.tile);
        }
    return tiles;
}

Share share_of(const SparsePattern& pattern, const OpConfig& op, std::int64_t grid_row) {
    Share share{tiles_of(pattern, op, grid_row), {}};
    std::vector<std::int64_t> number(pattern.tiles.size(), no_tile);
    for (std::size_t n = 0; n < share.tiles.size(); ++n)
        number[static_cast<std::size_t>(share.tiles[n])] = static_cast<std::int64_t>(n);
    for (std::int64_t z = 0; z < op.out.t; ++z) {
        const std::int64_t first = first_row(op, grid_row, z);
        share.slices.push_back(strips_of(rows_of(pattern, first, op.out.core_rt()), first, op, number));
    }
    return share;
}

SparseLayout layout_of(const OpConfig& op) {
    SparseLayout layout;
    layout.op = op.name;
    layout.loc = op.loc;
    layout.tile_ptr_bits = op.attr.sparse_tile_ptr_bits;
    layout.ublock_idx_bits = op.attr.sparse_ublock_idx_bits;
    layout.u_kt = op.attr.u_kt;
    layout.ublock_rt = op.out.ublock_rt;
    layout.mblock_m = op.out.mblock_m;
    layout.strips = op.attr.m_k;
    layout.slices = op.out.t;
    return layout;
}

/// Counts strips and encoding tiles of a grid row as SparseEncoder would produce them. Faster than encoding, since
/// every grid and inner block of an op needs the counts.
class StripCounter {
public:
    StripCounter(const SparsePattern& pattern, const OpConfig& op)
        : pattern_(pattern),
          op_(op),
          most_in_block_(SparseEncoder(layout_of(op)).max_block_tiles()),
          strips_(static_cast<std::size_t>((pattern.cols + op.attr.u_kt - 1) / op.attr.u_kt)) {}

    struct Counts {
        std::int64_t strips = 0, tiles = 0;
    };
    /// nullopt if a field overflows.
    std::optional<Counts> count(std::int64_t grid_row) {
        strips_counted_ = halves_ = 0;
        for (std::int64_t z = 0; z < op_.out.t; ++z) {
            const std::int64_t first = first_row(op_, grid_row, z);
            if (!add_slice(rows_of(pattern_, first, op_.out.core_rt()), first)) return std::nullopt;
        }
        return Counts{strips_counted_, (halves_ + tile_halves - 1) / tile_halves};
    }

private:
    static constexpr std::int64_t tile_halves = encoding_tile_bytes / 2, header = 3;  // in 16-bit words
    struct Strip {
        std::int64_t halves = 0;  ///< 0: the slice has no tile in the strip
        std::int64_t block = -1, in_block = 0;
    };

    bool add_slice(std::span<const SparseTilePosition> places, std::int64_t first) {
        std::size_t low = strips_.size(), high = 0;
        bool room = true;
        std::int64_t row = -1, block = 0, past = 0;  // the first column after the strip
        std::size_t number = 0;
        for (const SparseTilePosition& place : places) {
            // columns ascend in a row, so most tiles are in the previous tile's strip
            if (place.row != row) {
                row = place.row;
                block = (row - first) / op_.out.ublock_rt;
                past = 0;
            }
            if (place.col >= past) {
                number = static_cast<std::size_t>(place.col / op_.attr.u_kt);
                past = static_cast<std::int64_t>(number + 1) * op_.attr.u_kt;
            }
            Strip& strip = strips_[number];
            if (strip.halves == 0) strip.halves = header;
            if (strip.block != block) {
                strip.block = block;
                strip.in_block = 0;
                ++strip.halves;
            }
            ++strip.halves;
            room = room && ++strip.in_block <= most_in_block_;
            low = std::min(low, number);
            high = std::max(high, number);
        }
        if (places.empty()) add_strip(header);  // a slice needs a strip with the end marker
        for (std::size_t k = low; k <= high && !places.empty(); ++k) {
            const std::int64_t halves = std::exchange(strips_[k], {}).halves;
            if (halves == 0) continue;
            room = room && halves <= tile_halves;
            if (room) add_strip(halves);
        }
        return room;
    }

    /// A strip that does not fit the rest of an encoding tile starts a new one.
    void add_strip(std::int64_t halves) {
        const std::int64_t left = (tile_halves - halves_ % tile_halves) % tile_halves;
        if (left < halves) halves_ += left;
        halves_ += halves;
        ++strips_counted_;
    }

    const SparsePattern& pattern_;
    const OpConfig& op_;
    std::int64_t most_in_block_;
    std::vector<Strip> strips_;  // of the current slice
    std::int64_t strips_counted_ = 0, halves_ = 0;
};

}  // namespace

/// Sets the bit widths of an encoding.
static void set_bits(const SparseSizes& sizes, OpAttributes& a) {
    a.num_sparse_tiles = sizes.tiles;
    a.sparse_tile_ptr_bits = sizes.tile_bits;
    a.sparse_ublock_idx_bits = sizes.ublock_bits;
}

static std::int64_t most_tiles(const SparsePattern& pattern, const OpConfig& op) {
    return pattern.cache->most_tiles.get({op.out.grid_r, op.out.t}, [&] {
        std::int64_t most = 0;
        for (std::int64_t i = 0; i < op.out.grid_r; ++i)
            most = std::max(most, static_cast<std::int64_t>(tiles_of(pattern, op, i).size()));
        return most;
    });
}

static SparseSizes sizes_of(const SparsePattern& pattern, OpConfig op) {
    SparseSizes sizes;
    sizes.tiles = most_tiles(pattern, op);
    sizes.tile_bits = std::max<std::int64_t>(1, bits_for(sizes.tiles));
    sizes.ublock_bits = std::max<std::int64_t>(1, bits_for(op.out.mblock_m));
    set_bits(sizes, op.attr);
    if (layout_of(op).places() < op.out.ublock_rt * op.attr.u_kt || sizes.ublock_bits > 15) return sizes;
    StripCounter counter(pattern, op);
    for (std::int64_t i = 0; i < op.out.grid_r; ++i) {
        const auto counts = counter.count(i);
        if (!counts) return sizes;
        sizes.strips.push_back(counts->strips);
        sizes.index_tiles = std::max(sizes.index_tiles, counts->tiles);
    }
    sizes.fits = true;
    return sizes;
}

bool size_encoding(const SparsePattern& pattern, OpConfig& op) {
    OpAttributes& a = op.attr;
    const std::array key{op.out.grid_r, op.out.t, op.out.mblock_m, op.out.ublock_rt, a.u_kt};
    const SparseSizes& sizes = pattern.cache->sizes.get(key, [&] { return sizes_of(pattern, op); });
    set_bits(sizes, a);
    if (!sizes.fits) return false;
    a.num_index_tiles = sizes.index_tiles;
    a.num_nz_strips.clear();
    for (const std::int64_t strips : sizes.strips)
        a.num_nz_strips.insert(a.num_nz_strips.end(), static_cast<std::size_t>(op.out.grid_c), strips);
    op.in[0] = {1, op.out.grid_r, a.num_sparse_tiles};
    op.in[2] = {1, op.out.grid_r, a.num_index_tiles};
    return true;
}

/// Writes the tiles of each grid row side by side. There are many; a byte per element suffices if all are ones.
template <class Element>
static void write_tiles(const SparsePattern& pattern, const std::vector<Share>& shares, std::int64_t columns,
                        Element* to) {
    for (std::size_t i = 0; i < shares.size(); ++i)
        for (std::size_t k = 0; k < shares[i].tiles.size(); ++k) {
            Element* tile = to + static_cast<std::int64_t>(i) * edge * columns + static_cast<std::int64_t>(k) * edge;
            for (const auto& [place, value] : pattern.tiles[static_cast<std::size_t>(shares[i].tiles[k])])
                tile[place / edge * columns + place % edge] = static_cast<Element>(value);
        }
}

static std::shared_ptr<Literal> make_tiles(const SparsePattern& pattern, const std::vector<Share>& shares, Dims dims) {
    const std::int64_t columns = dims[2];
    if (pattern.ones) {
        std::string bytes(static_cast<std::size_t>(count(dims)), '\0');
        write_tiles(pattern, shares, columns, bytes.data());
        return std::make_shared<Literal>(Literal::of_bytes(DType::U8, std::move(dims), std::move(bytes)));
    }
    auto tiles = std::make_shared<Literal>(DType::F32, std::move(dims));
    write_tiles(pattern, shares, columns, tiles->floats().data());
    return tiles;
}

SparseParts make_parts(const SparsePattern& pattern, const OpConfig& op) {
    const std::int64_t rows = op.out.grid_r * edge;
    auto encoding = std::make_shared<Literal>(DType::F32, Dims{1, rows, op.attr.num_index_tiles * edge});
    const MatrixView words{encoding->floats().data(), rows, encoding->dims()[2], encoding->dims()[2]};
    std::vector<Share> shares;
    for (std::int64_t i = 0; i < op.out.grid_r; ++i) {
        const Share& share = shares.emplace_back(share_of(pattern, op, i));
        SparseEncoder encoder(layout_of(op));
        for (const auto& slice : share.slices)
            for (const SparseStrip& strip : slice) encoder.add(strip);
        std::vector<std::uint32_t> stream = encoder.words();
        stream.resize(static_cast<std::size_t>(op.attr.num_index_tiles * edge * edge), 0);
        unflatten_encoding(stream, words.sub(i * edge, 0, edge, words.cols));
    }
    return {make_tiles(pattern, shares, {1, rows, op.attr.num_sparse_tiles * edge}), std::move(encoding)};
}

}  // namespace ttsim::impl::ir
