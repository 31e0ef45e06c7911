#include "kernels/timing/kernel_model.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <tuple>

#include "isa/arch.hpp"
#include "isa/tile.hpp"
#include "kernels/copy_ops.hpp"
#include "kernels/ops/op_def.hpp"
#include "kernels/streams/emitter.hpp"

namespace ttsim::impl {

namespace {

/// Micro-blocks reduced to one output micro-block: a reduction over rows or columns covers a column or row of them.
/// Negative for slices of a single micro-block, where nothing hides the arrival of the next one.
std::int64_t chain_length(const KernelShape& s) {
    switch (s.reduce_dim) {
        case ReduceDim::R:
            return s.mblock_m;
        case ReduceDim::C:
            return s.mblock_n;
        case ReduceDim::RC:
            return s.mblock_m * s.mblock_n;
        case ReduceDim::Z:
            return s.ublocks() == 1 ? -1 : 1;
        case ReduceDim::None:
            break;
    }
    return 1;
}

/// For a matmul: micro-blocks per k-block, and how often operands are waited for per k-block.
std::pair<std::int64_t, std::int64_t> product_blocks(const KernelShape& s) {
    if (family_of(s) != KernelFamily::Matmul) return {};
    return {s.ublocks(), s.min_buffer_input == 1 ? s.mblock_n : s.mblock_m};
}

/// All parts of a shape and position that determine a micro-block's streams.
auto memo_key(const KernelShape& s, MicroBlock b) {
    return std::make_tuple(s.op, static_cast<int>(s.reduce_dim), s.approximate, static_cast<int>(s.vector),
                           static_cast<int>(s.fidelity), static_cast<int>(s.in0), static_cast<int>(s.in1),
                           static_cast<int>(s.out), static_cast<int>(s.intermed), static_cast<int>(s.acc), s.ublock_rt,
                           s.ublock_ct, s.u_kt, family_of(s) == KernelFamily::Depthwise ? s.m_k : 0, s.z,
                           chain_length(s), product_blocks(s), s.waits, s.pushes, s.sub_op, s.in_dest, s.stays_in_dest,
                           s.l1_acc, s.gelu, static_cast<int>(b.position), b.strip_tiles);
}
using MemoKey = decltype(memo_key(KernelShape{}, MicroBlock{}));

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// The micro-blocks of one input, without times.
std::vector<KernelPart> parts_of(const KernelShape& s) {
    const double ublocks = as_double(s.t * s.ublocks());
    const KernelFamily family = family_of(s);
    if (family == KernelFamily::Sparse) {
        // A strip visits all micro-blocks of its slice. Those in its encoding are computed, most after a reload.
        const double columns = as_double(s.mblock_n);
        const double encoded = as_double(s.nz_ublocks) * columns;
        const double idle = std::max(0.0, as_double(s.nz_strips * s.mblock_m) - as_double(s.nz_ublocks)) * columns;
        const double reloads =
            s.nz_strips > 0 ? std::max(0.0, as_double(s.nz_strips - s.t)) / as_double(s.nz_strips) : 0;
        const double tiles = s.nz_ublocks > 0 ? as_double(s.nz_tiles) / as_double(s.nz_ublocks) : 0;
        const auto low = static_cast<std::int64_t>(std::floor(tiles));
        const double upper = tiles - as_double(low);
        std::vector<KernelPart> parts{{{BlockPosition::Idle, 0}, idle, {}}};
        for (const auto& [position, share] :
             {std::pair{BlockPosition::First, 1 - reloads}, {BlockPosition::Middle, reloads}}) {
            parts.push_back({{position, low}, encoded * share * (1 - upper), {}});
            parts.push_back({{position, low + 1}, encoded * share * upper, {}});
        }
        return parts;
    }
    if (family == KernelFamily::ReduceTile) return {{{}, ublocks / as_double(chain_length(s)), {}}};
    if (family != KernelFamily::Matmul) return {{{}, ublocks, {}}};
    if (s.m_k <= 1) return {{{BlockPosition::Only, 0}, ublocks, {}}};
    return {{{BlockPosition::First, 0}, ublocks, {}},
            {{BlockPosition::Middle, 0}, ublocks * as_double(s.m_k - 2), {}},
            {{BlockPosition::Last, 0}, ublocks, {}}};
}

double input_share(const KernelShape& s, const KernelConstants& c) {
    switch (family_of(s)) {
        case KernelFamily::Matmul:
        case KernelFamily::Depthwise:
            return c.input_matmul + (streams::integer_kernel(s) ? c.input_int : 0);
        case KernelFamily::Sparse: {
            const double tile = c.pack_tile + (s.gelu ? c.sfpu_count("gelu", streams::sfpu_mode(s)) : 0);
            return c.input_sparse + c.strip * as_double(s.nz_strips) +
                   as_double(s.t * s.ublocks()) * (c.strip_output + tile * as_double(s.ublock_tiles()));
        }
        case KernelFamily::ReduceTile:
        case KernelFamily::ReduceZ:
            return c.input_reduce;
        case KernelFamily::Copy:
        case KernelFamily::Unary:
        case KernelFamily::Binary:
        case KernelFamily::SfpuBinary:
        case KernelFamily::Splice:
            break;
    }
    return c.input_eltwise + (streams::integer_kernel(s) ? c.input_int : 0);
}

ScoreboardTiming timing_of(const KernelShape& s, const KernelConstants& c) {
    ScoreboardTiming timing;
    // Shared exponents are read over separate ports.
    timing.unpack_bytes = is_block_float(s.in0) ? c.unpack_bytes_bfp : c.unpack_bytes;
    timing.pack_elements = c.pack_elements;
    // A tile of the next slice needs a place in Dst beside the result: half of Dst is too small for both.
    if (family_of(s) == KernelFamily::ReduceZ && s.z > 1) timing.dst_halves = 1;
    return timing;
}

/// A long inner loop is periodic: its time is extrapolated from two shorter loops. `longer` has `unit` more steps than
/// `shorter`.
struct Extrapolation {
    KernelShape shorter, longer;
    double steps;  ///< steps beyond `shorter`, in units
};

std::optional<Extrapolation> extrapolate_loop(const KernelShape& s, std::int64_t KernelShape::*count) {
    constexpr std::int64_t max_steps = 32, unit = 8;
    if (s.*count <= max_steps) return std::nullopt;
    Extrapolation f{s, s, 0};
    f.shorter.*count = max_steps - unit;
    f.longer.*count = max_steps;
    f.steps = as_double(s.*count - (max_steps - unit)) / as_double(unit);
    return f;
}

std::optional<Extrapolation> extrapolation_of(const KernelShape& s) {
    switch (family_of(s)) {
        case KernelFamily::ReduceZ:
            return extrapolate_loop(s, &KernelShape::z);
        case KernelFamily::Matmul:
            return extrapolate_loop(s, &KernelShape::u_kt);
        case KernelFamily::Depthwise: {
            const std::optional<Extrapolation> inner = extrapolate_loop(s, &KernelShape::u_kt);
            return inner ? inner : extrapolate_loop(s, &KernelShape::m_k);
        }
        case KernelFamily::ReduceTile: {
            const std::optional<Extrapolation> rows =
                s.reduce_dim == ReduceDim::C ? std::nullopt : extrapolate_loop(s, &KernelShape::mblock_m);
            return rows || s.reduce_dim == ReduceDim::R ? rows : extrapolate_loop(s, &KernelShape::mblock_n);
        }
        case KernelFamily::Copy:
        case KernelFamily::Unary:
        case KernelFamily::Binary:
        case KernelFamily::SfpuBinary:
        case KernelFamily::Splice:
        case KernelFamily::Sparse:
            break;
    }
    return std::nullopt;
}

ScoreboardResult extrapolate(const ScoreboardResult& shorter, const ScoreboardResult& longer, double steps) {
    ScoreboardResult r = longer;
    const auto line = [&](double a, double b) { return a + (b - a) * steps; };
    r.fill = line(shorter.fill, longer.fill);
    r.lead = line(shorter.lead, longer.lead);
    r.steady = line(shorter.steady, longer.steady);
    for (std::size_t i = 0; i < thread_count; ++i) r.busy[i] = line(shorter.busy[i], longer.busy[i]);
    return r;
}

}  // namespace

struct KernelModel::Memo {
    std::mutex mutex;
    std::map<MemoKey, ScoreboardResult> blocks;
    std::map<std::vector<MemoKey>, ScoreboardResult> chains;
};

KernelModel::KernelModel(const std::string& chip_name, const KernelConstants& constants)
    : constants_(constants), context_(stream_context(chip_name, constants_)), memo_(std::make_unique<Memo>()) {}
KernelModel::KernelModel(const std::string& chip_name) : KernelModel(chip_name, kernel_constants(chip_name)) {}
KernelModel::~KernelModel() = default;

const ScoreboardResult& KernelModel::micro_block(const KernelShape& shape, MicroBlock block) const {
    const MemoKey key = memo_key(shape, block);
    {
        const std::lock_guard lock(memo_->mutex);
        if (const auto found = memo_->blocks.find(key); found != memo_->blocks.end()) return found->second;
    }
    ScoreboardResult result;
    constexpr std::int64_t max_tiles = 64, tile_unit = 16;
    if (block.strip_tiles > max_tiles) {
        MicroBlock shorter = block, longer = block;
        shorter.strip_tiles = max_tiles - tile_unit;
        longer.strip_tiles = max_tiles;
        result = extrapolate(micro_block(shape, shorter), micro_block(shape, longer),
                             as_double(block.strip_tiles - shorter.strip_tiles) / as_double(tile_unit));
    } else if (const std::optional<Extrapolation> extrapolate_loop = extrapolation_of(shape))
        result = extrapolate(micro_block(extrapolate_loop->shorter, block),
                             micro_block(extrapolate_loop->longer, block), extrapolate_loop->steps);
    else
        result = run_scoreboard(build_streams(shape, block, context_), context_.set, timing_of(shape, constants_));
    const std::lock_guard lock(memo_->mutex);
    return memo_->blocks.try_emplace(key, result).first->second;
}

const ScoreboardResult& KernelModel::chained_block(const std::vector<KernelShape>& links) const {
    std::vector<MemoKey> key;
    for (const KernelShape& link : links) key.push_back(memo_key(link, {}));
    const std::lock_guard lock(memo_->mutex);
    if (const auto found = memo_->chains.find(key); found != memo_->chains.end()) return found->second;
    KernelStreams streams;
    for (const KernelShape& link : links) streams.append(build_streams(link, {}, context_));
    const ScoreboardResult result = run_scoreboard(streams, context_.set, timing_of(links.front(), constants_));
    return memo_->chains.try_emplace(std::move(key), result).first->second;
}

KernelTime KernelModel::time(const KernelShape& shape) const {
    KernelTime out;
    double longest = 0;
    for (KernelPart part : parts_of(shape)) {
        if (part.count <= 0) continue;
        part.time = micro_block(shape, part.block);
        const double clocks = part.count * part.time.steady;
        out.cycles += clocks;
        if (clocks > longest) {
            longest = clocks;
            out.limit = part.time.limit;
        }
        out.parts.push_back(part);
    }
    out.per_input = input_share(shape, constants_);
    out.cycles = std::max(1.0, out.cycles + out.per_input);
    return out;
}

bool has_kernel_model(const KernelShape& shape) {
    if (shape.op == "matmul_sparse") return true;
    if (shape.op == "reduce") return shape.reduce_dim != ReduceDim::None;
    const OpDef* def = find_op(shape.op);
    if (!def) return false;
    switch (def->op_class) {
        case OpClass::Sfpu:
        case OpClass::SfpuBinary:
        case OpClass::Binary:
        case OpClass::Matmul:
        case OpClass::Depthwise:
            return shape.op != "topk";
        case OpClass::Move:
            return is_core_copy(shape.op) || shape.op == "splice";
        case OpClass::SparseMatmul:
        case OpClass::Reduce:
        case OpClass::Fused:
        case OpClass::Ethernet:
            break;
    }
    return false;
}

KernelShape without_stream_waits(KernelShape shape) {
    shape.waits = shape.pushes = false;
    return shape;
}

const KernelModel& kernel_model(const std::string& chip_name) {
    static std::mutex mutex;
    static std::map<std::string, KernelModel> known;
    const std::lock_guard lock(mutex);
    return known.try_emplace(chip(chip_name).file, chip_name).first->second;
}

double KernelTime::math_busy_percent() const {
    double sum = 0;
    for (const KernelPart& part : parts) sum += part.count * part.time.math_busy;
    return cycles > 0 ? 100 * sum / cycles : 0;
}

double KernelTime::counted_percent() const {
    double sum = 0;
    for (const KernelPart& part : parts) sum += part.count * part.time.counted;
    return cycles > 0 ? 100 * sum / cycles : 0;
}

}  // namespace ttsim::impl
