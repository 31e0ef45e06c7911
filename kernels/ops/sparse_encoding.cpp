#include "kernels/ops/sparse_encoding.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ttsim::impl {
namespace {

constexpr std::int64_t edge = tile_edge;  // RawUInt32 tiles are always whole
constexpr std::size_t tile_halves = encoding_tile_bytes / 2;
constexpr std::uint32_t last_of_slice = std::uint32_t{1} << 30;
constexpr std::uint32_t last_of_tile = std::uint32_t{1} << 31;
constexpr std::uint32_t index_mask = last_of_slice - 1;

std::size_t next_tile(std::size_t pos) { return (pos + tile_halves - 1) / tile_halves * tile_halves; }
std::int64_t power(std::int64_t bits) { return std::int64_t{1} << bits; }

}  // namespace

std::int64_t SparseLayout::inner_bits() const {
    const auto largest = static_cast<std::uint64_t>(std::max<std::int64_t>(u_kt - 1, 1));
    return static_cast<std::int64_t>(std::bit_width(largest));
}

std::int64_t SparseLayout::places() const {
    const auto position_bits = 16 - tile_ptr_bits, inner = inner_bits();
    if (position_bits < 0) return 0;
    if (position_bits < inner) return std::min(u_kt, power(position_bits));
    return u_kt * std::min(ublock_rt, power(position_bits - inner));
}

void SparseLayout::check() const {
    if (tile_ptr_bits < 0 || tile_ptr_bits > 16 || ublock_idx_bits < 0 || ublock_idx_bits > 16)
        fail_input(loc, "op '{}': sparse_tile_ptr_bits {} and sparse_ublock_idx_bits {} must be 0 to 16", op,
                   tile_ptr_bits, ublock_idx_bits);
}

SparseLayout sparse_layout(const OpConfig& op) {
    const auto& a = op.attr;
    SparseLayout layout;
    layout.op = op.name;
    layout.loc = op.loc;
    layout.tile_ptr_bits = a.sparse_tile_ptr_bits;
    layout.ublock_idx_bits = a.sparse_ublock_idx_bits < 0 ? a.sparse_tile_ptr_bits : a.sparse_ublock_idx_bits;
    layout.u_kt = a.u_kt;
    layout.ublock_rt = op.out.ublock_rt;
    layout.mblock_m = op.out.mblock_m;
    layout.strips = (a.act_t > 0 ? a.act_t : op.out.t) * a.m_k;
    layout.sparse_tiles = op.in[0].z * (op.in[0].rt / op.out.grid_r) * (op.in[0].ct / a.fracture_factor);
    layout.slices = op.out.t;
    return layout;
}

std::vector<std::uint32_t> flatten_encoding(ConstMatrixView share) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(share.rows * share.cols));
    auto* to = words.data();
    for (std::int64_t r = 0; r + edge <= share.rows; r += edge)
        for (std::int64_t c = 0; c + edge <= share.cols; c += edge)
            for (std::int64_t line = 0; line < edge; ++line, to += edge)
                std::memcpy(to, share.row(r + line) + c, edge * sizeof(std::uint32_t));
    return words;
}

void unflatten_encoding(std::span<const std::uint32_t> words, MatrixView share) {
    TT_CHECK(static_cast<std::int64_t>(words.size()) == share.rows * share.cols, "{} words for {} x {}", words.size(),
             share.rows, share.cols);
    const auto* from = words.data();
    for (std::int64_t r = 0; r + edge <= share.rows; r += edge)
        for (std::int64_t c = 0; c + edge <= share.cols; c += edge)
            for (std::int64_t line = 0; line < edge; ++line, from += edge)
                std::memcpy(share.row(r + line) + c, from, edge * sizeof(std::uint32_t));
}

void SparseDecoder::require(bool condition, const char* what, std::int64_t value, std::int64_t limit) const {
    if (condition) return;
    fail_input(layout_.loc, "op '{}': encoding (input 2): strip number {} of slice {}: {} is {}, must be below {}",
               layout_.op, strip_, slice_, what, value, limit);
}

std::uint16_t SparseDecoder::half() {
    if (pos_ / 2 >= words_.size())
        fail_input(layout_.loc,
                   "op '{}': encoding (input 2) ends inside slice {} of {} after {} strips: its {} bytes hold no strip "
                   "marked as the last of that slice",
                   layout_.op, slice_, layout_.slices, strip_, words_.size() * 4);
    const auto word = words_[pos_ / 2];
    return static_cast<std::uint16_t>(pos_++ % 2 == 0 ? word : word >> 16);
}

void SparseDecoder::read_block(SparseBlock& block) {
    const std::uint32_t head = half();
    const auto idx_bits = layout_.ublock_idx_bits;
    block.ublock_row = head & static_cast<std::uint32_t>(power(idx_bits) - 1);
    require(block.ublock_row < layout_.mblock_m, "output ublock row", block.ublock_row, layout_.mblock_m);
    auto count = static_cast<std::size_t>(head >> idx_bits);
    if (count == 0) count = static_cast<std::size_t>(power(16 - idx_bits));
    const auto position_bits = 16 - layout_.tile_ptr_bits;
    const auto inner = layout_.inner_bits();
    block.tiles.resize(count);
    for (auto& tile : block.tiles) {
        const std::int64_t entry = half();
        tile.tile = entry >> position_bits;
        const auto position = entry & (power(position_bits) - 1);
        tile.row = position >> inner;
        tile.d = position & (power(inner) - 1);
        require(tile.tile < layout_.sparse_tiles, "sparse tile", tile.tile, layout_.sparse_tiles);
        require(tile.row < layout_.ublock_rt, "row in the ublock", tile.row, layout_.ublock_rt);
        require(tile.d < layout_.u_kt, "inner index", tile.d, layout_.u_kt);
    }
}

bool SparseDecoder::next(SparseStrip& strip) {
    if (advance_) ++slice_;
    advance_ = false;
    if (slice_ >= layout_.slices) return false;
    const std::uint32_t low = half();
    const std::uint32_t head = low | static_cast<std::uint32_t>(half()) << 16;
    strip.index = head & index_mask;
    strip.ends_slice = (head & last_of_slice) != 0;
    require(strip.index < layout_.strips, "strip index", strip.index, layout_.strips);
    strip.blocks.resize(half());
    for (auto& block : strip.blocks) read_block(block);
    if ((head & last_of_tile) != 0) pos_ = next_tile(pos_);
    advance_ = strip.ends_slice;
    ++strip_;
    return true;
}

std::vector<std::vector<SparseStrip>> decode_sparse(std::span<const std::uint32_t> words, const SparseLayout& layout) {
    std::vector<std::vector<SparseStrip>> slices(static_cast<std::size_t>(layout.slices));
    SparseDecoder decoder(words, layout);
    for (SparseStrip strip; decoder.next(strip);) slices[static_cast<std::size_t>(decoder.slice())].push_back(strip);
    return slices;
}

SparseDecoder::SparseDecoder(std::span<const std::uint32_t> words, const SparseLayout& layout)
    : words_(words), layout_(layout) {
    layout.check();
}

SparseCounts count_sparse(std::span<const std::uint32_t> words, const SparseLayout& layout) {
    SparseCounts counts;
    SparseDecoder decoder(words, layout);
    for (SparseStrip strip; decoder.next(strip); ++counts.strips)
        for (const SparseBlock& block : strip.blocks) {
            ++counts.ublocks;
            counts.tiles += static_cast<std::int64_t>(block.tiles.size());
        }
    return counts;
}

SparseEncoder::SparseEncoder(SparseLayout layout) : layout_(std::move(layout)) { layout_.check(); }

std::int64_t SparseEncoder::max_block_tiles() const { return power(16 - layout_.ublock_idx_bits); }

std::int64_t SparseEncoder::strip_bytes(const SparseStrip& strip) const {
    std::size_t halves = 3;
    for (const auto& block : strip.blocks) halves += 1 + block.tiles.size();
    return static_cast<std::int64_t>(halves * 2);
}

void SparseEncoder::require_fit(std::int64_t value, std::int64_t limit, const char* what) const {
    if (value < 0 || value >= limit)
        fail_input(layout_.loc, "op '{}': encoding: {} is {}, its field holds 0 to {}", layout_.op, what, value,
                   limit - 1);
}

void SparseEncoder::add(const SparseStrip& strip) {
    const auto need = static_cast<std::size_t>(strip_bytes(strip)) / 2;
    require_fit(static_cast<std::int64_t>(need), static_cast<std::int64_t>(tile_halves) + 1,
                "length of a strip in 16-bit words");
    require_fit(strip.index, std::int64_t{index_mask} + 1, "strip index");
    if (!halves_.empty() && next_tile(halves_.size()) - halves_.size() < need) {
        halves_[last_strip_ + 1] |= static_cast<std::uint16_t>(last_of_tile >> 16);
        halves_.resize(next_tile(halves_.size()));
    }
    last_strip_ = halves_.size();
    const auto head = static_cast<std::uint32_t>(strip.index) | (strip.ends_slice ? last_of_slice : 0);
    halves_.push_back(static_cast<std::uint16_t>(head));
    halves_.push_back(static_cast<std::uint16_t>(head >> 16));
    halves_.push_back(static_cast<std::uint16_t>(strip.blocks.size()));
    const auto position_bits = 16 - layout_.tile_ptr_bits;
    for (const auto& block : strip.blocks) {
        const auto count = static_cast<std::int64_t>(block.tiles.size());
        require_fit(block.ublock_row, power(layout_.ublock_idx_bits), "ublock row");
        require_fit(count - 1, max_block_tiles(), "number of tiles of a block less one");
        const auto counted = count == max_block_tiles() ? 0 : count;
        halves_.push_back(static_cast<std::uint16_t>(block.ublock_row | counted << layout_.ublock_idx_bits));
        for (const auto& tile : block.tiles) {
            require_fit(tile.tile, power(layout_.tile_ptr_bits), "sparse tile");
            require_fit(tile.d, layout_.u_kt, "inner index");
            const auto position = tile.row << layout_.inner_bits() | tile.d;
            require_fit(position, power(position_bits), "position in the ublock");
            halves_.push_back(static_cast<std::uint16_t>(tile.tile << position_bits | position));
        }
    }
}

std::int64_t SparseEncoder::tiles() const { return static_cast<std::int64_t>(next_tile(halves_.size()) / tile_halves); }

std::vector<std::uint32_t> SparseEncoder::words() const {
    auto halves = halves_;
    if (!halves.empty()) halves[last_strip_ + 1] |= static_cast<std::uint16_t>(last_of_tile >> 16);
    halves.resize(next_tile(halves.size()));
    std::vector<std::uint32_t> words(halves.size() / 2);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = halves[2 * i] | static_cast<std::uint32_t>(halves[2 * i + 1]) << 16;
    return words;
}

}  // namespace ttsim::impl
