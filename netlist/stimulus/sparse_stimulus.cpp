#include "netlist/stimulus/sparse_stimulus.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "kernels/kernel_shape.hpp"
#include "kernels/ops/sparse_encoding.hpp"

namespace ttsim::impl {

namespace {

constexpr std::int64_t edge = tile_edge;

std::int64_t draw(Mt19937& engine, std::int64_t count) {
    return std::uniform_int_distribution<std::int64_t>(0, count - 1)(engine);
}

bool chance(Mt19937& engine, double probability) {
    return std::uniform_real_distribution<double>(0, 1)(engine) < probability;
}

/// Random members of [0, count): each with probability 1 - zero_freq, at least one if `some`; or exactly `exact` of
/// them.
std::vector<std::int64_t> choose_nonzero(Mt19937& engine, std::int64_t count, double zero_freq, std::int64_t exact,
                                         bool some) {
    std::vector<std::int64_t> chosen;
    std::int64_t left = std::min(exact, count);
    for (std::int64_t i = 0; i < count; ++i) {
        if (exact > 0) {
            if (draw(engine, count - i) >= left) continue;
            --left;
            chosen.push_back(i);
        } else if (!chance(engine, zero_freq)) {
            chosen.push_back(i);
        }
    }
    if (chosen.empty() && some) chosen.push_back(draw(engine, count));
    return chosen;
}

class RandomEncoder {
public:
    RandomEncoder(const Op& op, const Stimulus& stimulus, Mt19937& engine)
        : layout_(sparse_layout(op.cfg)), stimulus_(stimulus), engine_(engine) {
        layout_.check();
        const auto most = [](std::int64_t bits) { return std::int64_t{1} << bits; };
        sparse_tiles_ = std::max<std::int64_t>(1, std::min(layout_.sparse_tiles, most(layout_.tile_ptr_bits)));
        ublock_rows_ = std::min(layout_.mblock_m, most(layout_.ublock_idx_bits));
    }

    /// The words of one part of `tiles` encoding tiles.
    std::vector<std::uint32_t> make(std::int64_t tiles) {
        constexpr int max_attempts = 12;
        std::int64_t needed = 0;
        for (int attempt = 0; attempt <= max_attempts; ++attempt) {
            keep_ = attempt == max_attempts ? 0 : 1.0 / static_cast<double>(1 << attempt);
            SparseEncoder encoder(layout_);
            for (std::int64_t slice = 0; slice < layout_.slices; ++slice) add_slice(encoder, slice);
            needed = encoder.tiles();
            if (needed > tiles) continue;
            std::vector<std::uint32_t> words = encoder.words();
            words.resize(static_cast<std::size_t>(tiles * edge * edge), 0);
            return words;
        }
        fail_input(layout_.loc, "op '{}': an encoding of {} slices needs {} tiles of 4096 bytes; a share has {}",
                   layout_.op, layout_.slices, needed, tiles);
    }

private:
    bool counted() const { return stimulus_.type == Stimulus::Type::SparseEncodingNzCounts; }
    double zero(double frequency) const { return 1 - (1 - frequency) * keep_; }
    std::int64_t exact(std::int64_t count) const {
        return counted() ? std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(count) * keep_)) : 0;
    }

    void add_slice(SparseEncoder& encoder, std::int64_t slice) {
        if (stimulus_.type == Stimulus::Type::SparseConvolution) return add_convolution_slice(encoder, slice);
        const std::int64_t first = slice * layout_.strips / layout_.slices;
        const std::int64_t count = std::max<std::int64_t>(1, (slice + 1) * layout_.strips / layout_.slices - first);
        std::vector<std::int64_t> strips;
        if (keep_ > 0)
            strips = choose_nonzero(engine_, count, zero(stimulus_.zero_strip_freq), exact(stimulus_.nz_strips), false);
        if (strips.empty()) {  // a slice must end with a strip
            encoder.add({first, true, {}});
            return;
        }
        for (const std::int64_t strip : strips) encoder.add(make_strip(encoder, first + strip, strip == strips.back()));
    }

    /// Rows of activation tiles that slice `slice` of a convolution may read, and the one that its output row `row`
    /// reads first. Slices with strips of their own read those. Else the activations repeat for each kernel offset.
    struct DiagonalPlace {
        std::int64_t at = 0, end = 0;
    };
    DiagonalPlace diagonal(std::int64_t slice, std::int64_t row, std::int64_t rows) const {
        if (layout_.strips >= layout_.slices) {
            const std::int64_t first = slice * layout_.strips / layout_.slices * layout_.u_kt;
            const std::int64_t end = (slice + 1) * layout_.strips / layout_.slices * layout_.u_kt;
            return {first + row * (end - first) / rows, end};
        }
        const std::int64_t read = layout_.strips * layout_.u_kt, written = layout_.slices * rows;
        const std::int64_t offsets = std::max<std::int64_t>(1, (written + read / 2) / read);
        const std::int64_t rows_per_offset = (written + offsets - 1) / offsets;
        return {(slice * rows + row) % rows_per_offset * read / rows_per_offset, read};
    }

    void add_convolution_slice(SparseEncoder& encoder, std::int64_t slice) {
        const std::int64_t rows = ublock_rows_ * layout_.ublock_rt;
        std::map<std::int64_t, std::map<std::int64_t, SparseBlock>> strips;  // strip -> row of micro-blocks -> block
        const auto add = [&](std::int64_t row, std::int64_t at) {
            const std::int64_t in_ublock = row % layout_.ublock_rt, d = at % layout_.u_kt;
            if (in_ublock * layout_.u_kt + d >= layout_.places()) return;
            SparseBlock& block = strips[at / layout_.u_kt]
                                     .try_emplace(row / layout_.ublock_rt, SparseBlock{row / layout_.ublock_rt, {}})
                                     .first->second;
            if (static_cast<std::int64_t>(block.tiles.size()) < encoder.max_block_tiles())
                block.tiles.push_back({in_ublock, d, draw(engine_, sparse_tiles_)});
        };
        for (std::int64_t row = 0; row < rows && keep_ > 0; ++row) {
            if (!chance(engine_, keep_)) continue;
            const DiagonalPlace place = diagonal(slice, row, rows);
            add(row, place.at);
            if (place.at + 1 < place.end && chance(engine_, convolution_row_tiles - 1)) add(row, place.at + 1);
        }
        if (strips.empty()) return encoder.add({slice * layout_.strips / layout_.slices, true, {}});
        for (const auto& [index, blocks] : strips) {
            SparseStrip strip{index, index == strips.rbegin()->first, {}};
            for (const auto& [row, block] : blocks)
                if (!block.tiles.empty()) strip.blocks.push_back(block);
            while (encoder.strip_bytes(strip) > encoding_tile_bytes) strip.blocks.pop_back();
            encoder.add(strip);
        }
    }

    SparseStrip make_strip(const SparseEncoder& encoder, std::int64_t index, bool last) {
        SparseStrip strip{index, last, {}};
        for (const std::int64_t row :
             choose_nonzero(engine_, ublock_rows_, zero(stimulus_.zero_ublock_freq), exact(stimulus_.nz_ublocks), true))
            strip.blocks.push_back(make_block(encoder, row));
        while (encoder.strip_bytes(strip) > encoding_tile_bytes) strip.blocks.pop_back();
        return strip;
    }

    SparseBlock make_block(const SparseEncoder& encoder, std::int64_t row) {
        SparseBlock block{row, {}};
        const std::int64_t places = layout_.places();
        for (const std::int64_t place :
             choose_nonzero(engine_, places, zero(stimulus_.zero_tile_freq), exact(stimulus_.nz_tiles), true))
            if (static_cast<std::int64_t>(block.tiles.size()) < encoder.max_block_tiles())
                block.tiles.push_back({place / layout_.u_kt, place % layout_.u_kt, draw(engine_, sparse_tiles_)});
        return block;
    }

    SparseLayout layout_;
    const Stimulus& stimulus_;
    Mt19937& engine_;
    std::int64_t sparse_tiles_ = 1, ublock_rows_ = 1;
    double keep_ = 1;  ///< fraction of nonzero parts; shrinks with each attempt
};

}  // namespace

void fill_sparse_tiles(Tensor& entry, TileDim tile, Mt19937& engine) {
    std::fill(entry.data.begin(), entry.data.end(), 0.0F);
    for (std::int64_t z = 0; z < entry.z; ++z)
        for (std::int64_t r = 0; r < entry.rows; r += tile.h)
            for (std::int64_t c = 0; c < entry.cols; c += tile.w)
                for (std::int64_t row = 0; row < tile.h; ++row)
                    entry.slice(z).at(r + row, c + draw(engine, tile.w)) = 1;
}

void fill_sparse_encoding(Tensor& entry, const Queue& queue, const Op& op, const Stimulus& stimulus, Mt19937& engine) {
    const OpConfig& cfg = op.cfg;
    const TileShape own = queue.shape();
    const std::int64_t fractures = std::max<std::int64_t>(1, cfg.attr.fracture_factor);
    if (cfg.in.size() < 3 || cfg.in[2].rt % cfg.out.grid_r != 0 || cfg.in[2].ct % fractures != 0 ||
        queue.tile != TileDim{})
        fail_input(queue.loc,
                   "queue '{}' cannot hold encodings for op '{}': {} grid rows and {} fractures must divide it",
                   queue.name, cfg.name, cfg.out.grid_r, fractures);
    // A broadcast repeats the queue's tiles, so several parts may map to the same tiles.
    const std::int64_t share_rt = cfg.in[2].rt / cfg.out.grid_r, share_ct = cfg.in[2].ct / fractures;
    const std::int64_t rt = std::min(share_rt, own.rt), ct = std::min(share_ct, own.ct);
    RandomEncoder maker(op, stimulus, engine);
    std::set<std::pair<std::int64_t, std::int64_t>> done;
    for (std::int64_t i = 0; i < cfg.out.grid_r; ++i)
        for (std::int64_t f = 0; f < fractures; ++f) {
            const std::int64_t r = i * share_rt % own.rt, c = f * share_ct % own.ct;
            if (!done.emplace(r, c).second || r + rt > own.rt || c + ct > own.ct) continue;
            const std::vector<std::uint32_t> words = maker.make(rt * ct);
            for (std::int64_t z = 0; z < entry.z; ++z)
                unflatten_encoding(words, entry.slice(z).sub(r * edge, c * edge, rt * edge, ct * edge));
        }
}

}  // namespace ttsim::impl
