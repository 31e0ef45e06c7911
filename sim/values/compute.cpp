#include "sim/values/compute.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/formats/overflow.hpp"
#include "kernels/ops/integer_bits.hpp"

namespace ttsim::impl::sim {

namespace {

void copy_matrix(ConstMatrixView from, MatrixView to) {
    for (std::int64_t r = 0; r < to.rows; ++r) std::copy_n(from.row(r), to.cols, to.row(r));
}

/// Transposes 4 x 4 elements in registers.
void transpose_4x4(ConstMatrixView from, MatrixView to, std::int64_t r, std::int64_t c) {
    using Lanes [[gnu::vector_size(16)]] = float;
    Lanes in[4];
    for (std::int64_t i = 0; i < 4; ++i) std::memcpy(&in[i], from.row(c + i) + r, sizeof(Lanes));
    const Lanes low_01 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
    const Lanes low_23 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
    const Lanes high_01 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
    const Lanes high_23 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
    const Lanes out[4] = {
        __builtin_shufflevector(low_01, low_23, 0, 1, 4, 5), __builtin_shufflevector(low_01, low_23, 2, 3, 6, 7),
        __builtin_shufflevector(high_01, high_23, 0, 1, 4, 5), __builtin_shufflevector(high_01, high_23, 2, 3, 6, 7)};
    for (std::int64_t i = 0; i < 4; ++i) std::memcpy(to.row(r + i) + c, &out[i], sizeof(Lanes));
}

void copy_transposed(ConstMatrixView from, MatrixView to) {
    const std::int64_t rows = to.rows / 4 * 4, cols = to.cols / 4 * 4;
    for (std::int64_t r = 0; r < rows; r += 4)
        for (std::int64_t c = 0; c < cols; c += 4) transpose_4x4(from, to, r, c);
    for (std::int64_t r = 0; r < to.rows; ++r)
        for (std::int64_t c = r < rows ? cols : 0; c < to.cols; ++c) to.at(r, c) = from.at(c, r);
}

void fill(MatrixView to, float value) {
    for (std::int64_t r = 0; r < to.rows; ++r) std::fill_n(to.row(r), to.cols, value);
}

/// Copies tiles of a producer (blocks or a queue entry) into a matrix.
class Fetcher {
public:
    Fetcher(const SourceRefs& refs, const Blocking& blocking, TileDim source, bool transpose, DataFormat df)
        : refs_(refs), blocking_(blocking), source_(source), transpose_(transpose), df_(df) {}

    /// Copies a run of tiles; `to` is the position of the first tile in a matrix of operand tiles.
    void fetch(const TileRun& run, TileDim dim, MatrixView to) const {
        if (run.first.pad) {
            const MatrixView pads{to.data, dim.h, run.count * dim.w, to.stride};
            fill(pads, run.first.value);
            if (is_stored_as_bits(df_)) floats_to_integers(pads);
            return;
        }
        if (!refs_.entry.parts.empty())
            fetch_entry(run, dim, to);
        else
            fetch_blocks(run, dim, to);
    }

private:
    void fetch_entry(const TileRun& run, TileDim dim, MatrixView to) const {
        const Entry& entry = refs_.entry.part(run.first.z);
        const std::int64_t z = run.first.z % refs_.entry.z_per_part;
        std::vector<float> scratch(transpose_ ? static_cast<std::size_t>(dim.elements()) : 0);
        for (std::int64_t n = 0; n < run.count; ++n) {
            const std::uint8_t* body = entry.at(z, run.first.r + n * run.dr, run.first.c + n * run.dc);
            const MatrixView place{to.data + n * dim.w, dim.h, dim.w, to.stride};
            if (!transpose_) {
                get_tile(entry, body, place);
                continue;
            }
            const MatrixView tile{scratch.data(), source_.h, source_.w, source_.w};
            get_tile(entry, body, tile);
            copy_transposed(tile, place);
        }
    }

    void fetch_blocks(const TileRun& run, TileDim dim, MatrixView to) const {
        for (std::int64_t n = 0; n < run.count;) {
            const BlockPlace place = place_of(blocking_, run.first.r + n * run.dr, run.first.c + n * run.dc);
            // Tiles of the run that are in this core's block.
            const std::int64_t room = run.dc != 0   ? blocking_.core_ct() - place.c
                                      : run.dr != 0 ? blocking_.core_rt() - place.r
                                                    : 1;
            const std::int64_t piece = std::min(run.count - n, room);
            const auto it = refs_.blocks.find({static_cast<std::uint32_t>(place.block), run.first.z});
            TT_CHECK(it != refs_.blocks.end(), "slice {} of source core {} was transferred", run.first.z, place.block);
            const ConstMatrixView block = it->second->view();
            const ConstMatrixView from{block.row(place.r * source_.h) + place.c * source_.w, 0, 0, block.stride};
            if (!transpose_)
                copy_matrix(from, {to.data + n * dim.w, dim.h, piece * dim.w, to.stride});
            else
                for (std::int64_t i = 0; i < piece; ++i)
                    copy_transposed(
                        {from.data + i * (run.dr * source_.h * from.stride + run.dc * source_.w), 0, 0, from.stride},
                        {to.data + (n + i) * dim.w, dim.h, dim.w, to.stride});
            n += piece;
        }
    }

    const SourceRefs& refs_;
    const Blocking& blocking_;
    TileDim source_;
    bool transpose_;
    DataFormat df_;
};

TileDim swapped(TileDim dim) { return {dim.w, dim.h}; }

/// Rows of `cols` elements that fit half of a first-level cache of 32 KB.
std::int64_t rows_in_cache(std::int64_t cols) {
    constexpr std::int64_t elements = 16 * 1024 / std::int64_t{sizeof(float)};
    return std::max<std::int64_t>(1, elements / std::max<std::int64_t>(1, cols));
}

std::vector<Task> tasks_of(const SourceRefs& refs) {
    std::vector<Task> tasks = refs.entry.ready();
    for (const auto& [_, block] : refs.blocks) tasks.push_back(block->task);
    return tasks;
}

}  // namespace

AssembledPtr Compute::assemble(const PlanOp& op, std::size_t k, const Pipe& pipe, std::int64_t z,
                               SourceRefs refs) const {
    auto result = std::make_shared<Assembled>();
    const PlanOperand& operand = op.operands[k];
    for (const TileRect& rect : pipe.rects) {
        result->rows = rect.nr * operand.tile.h;
        result->cols += rect.nc * operand.tile.w;
    }
    std::vector<Task> after = tasks_of(refs);
    result->task = pool_.submit(
        [this, &op, &pipe, k, z, result = result.get(), keep = std::weak_ptr(result), refs = std::move(refs)] {
            const auto alive = keep.lock();
            if (!alive) return;  // the slice is not needed any more
            result->data =
                std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(result->rows * result->cols));
            fill_operand(op, k, pipe, z, refs, {result->data.get(), result->rows, result->cols, result->cols});
        },
        std::move(after));
    return result;
}

/// Copies the tiles of an operand slice and converts them, some rows at a time, which stay in the first-level cache.
void Compute::fill_operand(const PlanOp& op, std::size_t k, const Pipe& pipe, std::int64_t z, const SourceRefs& refs,
                           MatrixView out) const {
    const PlanOperand& operand = op.operands[k];
    const TileDim dim = operand.tile;
    const bool transpose = operand.map.transposes_tiles();
    const Fetcher fetcher(refs, blocking_of(operand), transpose ? swapped(dim) : dim, transpose, op.op->cfg.in_df[k]);
    for (std::int64_t r = 0; r < out.rows / dim.h; ++r) {
        std::int64_t col = 0;
        for (const TileRect& rect : pipe.rects) {
            for (std::int64_t c = 0; c < rect.nc;) {
                const TileRun run = operand.map.run(z, rect.r0 + r, rect.c0 + c, rect.nc - c);
                fetcher.fetch(run, dim, {out.row(r * dim.h) + (col + c) * dim.w, 0, 0, out.stride});
                c += run.count;
            }
            col += rect.nc;
        }
        const std::int64_t step = rows_in_cache(out.cols);
        for (std::int64_t row = 0; row < dim.h; row += step)
            prepare_operand(op.op->cfg, static_cast<int>(k), numerics_,
                            out.sub(r * dim.h + row, 0, std::min<std::int64_t>(step, dim.h - row), out.cols));
    }
}

const Blocking& Compute::blocking_of(const PlanOperand& operand) const {
    return operand.producer_op >= 0 ? plan_.ops[static_cast<std::size_t>(operand.producer_op)].op->cfg.out
                                    : plan_.queues[static_cast<std::size_t>(operand.producer_queue)].queue->blocking;
}

bool Compute::reads_ram(const PlanOp& op, std::size_t k) const {
    const PlanOperand& operand = op.operands[k];
    return operand.producer_op < 0 &&
           plan_.queues[static_cast<std::size_t>(operand.producer_queue)].queue->type == QueueType::Ram;
}

bool Compute::may_keep(std::int64_t bytes) const {
    constexpr std::int64_t most = std::int64_t{256} << 20;
    if ((kept_bytes_ += bytes) <= most) return true;
    kept_bytes_ -= bytes;
    return false;
}

BlockPtr Compute::reserve(const PlanOp& op) const {
    auto result = std::make_shared<Block>();
    result->task = pool_.reserve();
    result->rows = op.op->cfg.out.core_rt() * op.op->cfg.tile.h;
    result->cols = op.op->cfg.out.core_ct() * op.op->cfg.tile.w;
    return result;
}

void Compute::run(const BlockPtr& result, const PlanOp& op, std::size_t core, std::int64_t slice, std::int64_t input,
                  std::vector<std::vector<AssembledPtr>> operands, BlockPtr previous) const {
    std::vector<Task> after;
    for (const auto& slices : operands)
        for (const AssembledPtr& part : slices) after.push_back(part->task);
    if (previous) after.push_back(previous->task);
    pool_.start(
        result->task,
        [this, &op, core, slice, input, block = result, operands = std::move(operands), previous] {
            const Blocking& grid = op.op->cfg.out;
            block->data.assign(static_cast<std::size_t>(block->rows * block->cols), 0.0F);
            std::vector<std::vector<ConstMatrixView>> views(operands.size());
            std::vector<BlockOperand> in(operands.size());
            for (std::size_t k = 0; k < operands.size(); ++k) {
                for (const AssembledPtr& part : operands[k]) views[k].push_back(part->view());
                in[k].slices = views[k];
            }
            const auto at = static_cast<std::int64_t>(core);
            const BlockArgs args{.op = op.op->cfg,
                                 .numerics = numerics_,
                                 .core_r = at / grid.grid_c,
                                 .core_c = at % grid.grid_c,
                                 .slice = slice,
                                 .input = input,
                                 .in = in,
                                 .previous = previous ? previous->view() : ConstMatrixView{},
                                 .out = {block->data.data(), block->rows, block->cols, block->cols}};
            op.def->block(args);
            pack_result(args);
            if (fault_) fault_(*op.op, block->data);
            if (!rounds_to_formats(numerics_)) return;
            if (const std::int64_t many = count_saturated(op.op->cfg.out_df, args.out); many > 0)
                saturations_.add(*op.op, many);
        },
        std::move(after));
}

void Compute::write(const PlanOp& op, std::size_t core, std::int64_t slice, const BlockPtr& block,
                    const EntrySpan& to) const {
    const Blocking& out = op.op->cfg.out;
    const auto at = static_cast<std::int64_t>(core);
    const std::int64_t r0 = at / out.grid_c * out.core_rt(), c0 = at % out.grid_c * out.core_ct();
    const EntryPtr part = to.parts[static_cast<std::size_t>(slice / to.z_per_part)];
    const std::int64_t z = slice % to.z_per_part;
    part->writers.push_back(pool_.submit(
        [part, block, z, r0, c0, rt = out.core_rt(), ct = out.core_ct()] {
            const TileDim dim = part->tile;
            for (std::int64_t r = 0; r < rt; ++r)
                for (std::int64_t c = 0; c < ct; ++c)
                    put_tile(*part, block->view().sub(r * dim.h, c * dim.w, dim.h, dim.w), part->at(z, r0 + r, c0 + c));
        },
        {block->task}));
}

void Compute::write_through_tms(const PlanOp& op, const Queue& queue, SourceRefs all, const EntrySpan& to) const {
    std::vector<Task> after = tasks_of(all);
    const Task task = pool_.submit(
        [&op, &queue, all = std::move(all), to] {
            const TmMap map(op.op->shape(), queue.input_tms);
            const bool transpose = map.transposes_tiles();
            const Fetcher fetcher(all, op.op->cfg.out, transpose ? swapped(queue.tile) : queue.tile, transpose,
                                  queue.df);
            std::vector<float> tile(static_cast<std::size_t>(queue.tile.elements()));
            const MatrixView view{tile.data(), queue.tile.h, queue.tile.w, queue.tile.w};
            for (std::int64_t z = 0; z < map.shape().z; ++z) {
                Entry& part = to.part(z);
                for (std::int64_t r = 0; r < map.shape().rt; ++r)
                    for (std::int64_t c = 0; c < map.shape().ct; ++c) {
                        fetcher.fetch(map.run(z, r, c, 1), queue.tile, view);
                        put_tile(part, view, part.at(z % to.z_per_part, r, c));
                    }
            }
        },
        std::move(after));
    for (const EntryPtr& part : to.parts) part->writers.push_back(task);
}

BlockPtr Compute::load_block(const PlanOp& op, std::size_t core, std::int64_t slice, const EntrySpan& from) const {
    const Blocking& out = op.op->cfg.out;
    const auto at = static_cast<std::int64_t>(core);
    const std::int64_t r0 = at / out.grid_c * out.core_rt(), c0 = at % out.grid_c * out.core_ct();
    auto result = std::make_shared<Block>();
    const EntryPtr part = from.parts[static_cast<std::size_t>(slice / from.z_per_part)];
    result->rows = out.core_rt() * part->tile.h;
    result->cols = out.core_ct() * part->tile.w;
    result->task = pool_.submit(
        [result, part, r0, c0, z = slice % from.z_per_part] {
            const TileDim dim = part->tile;
            result->data.resize(static_cast<std::size_t>(result->rows * result->cols));
            const MatrixView all{result->data.data(), result->rows, result->cols, result->cols};
            for (std::int64_t r = 0; r < result->rows / dim.h; ++r)
                for (std::int64_t c = 0; c < result->cols / dim.w; ++c)
                    get_tile(*part, part->at(z, r0 + r, c0 + c), all.sub(r * dim.h, c * dim.w, dim.h, dim.w));
        },
        {part->ready});
    return result;
}

}  // namespace ttsim::impl::sim
