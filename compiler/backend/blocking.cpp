#include "compiler/backend/blocking.hpp"

#include <algorithm>
#include <numeric>

#include "compiler/backend/fused.hpp"
#include "compiler/backend/kernel_broadcasts.hpp"
#include "compiler/backend/redundant_fidelity_phases.hpp"
#include "compiler/backend/sparse_blocking.hpp"
#include "compiler/ops/device.hpp"
#include "isa/pipe_constants.hpp"
#include "kernels/ops/op_def.hpp"
#include "kernels/timing/kernel_model.hpp"
#include "kernels/timing/kernel_timing.hpp"
#include "netlist/plan/l1_space.hpp"
#include "netlist/plan/streams.hpp"

namespace ttsim::impl::ir {

namespace {

DataFormat dest_format(DataFormat df, const ChipFeatures& features) {
    if (df == DataFormat::Float32 && features.fp32_dest) return DataFormat::Float32;
    return info(df).family == FormatFamily::A ? DataFormat::Float16 : DataFormat::Float16_b;
}

/// Applies the formats chosen by the passes data-formats and mixed-precision.
void set_formats(const Node& node, OpConfig& cfg) {
    if (node.has(attr::acc_df)) {
        cfg.acc_df = parse_format(node.get(attr::acc_df)).value_or(cfg.acc_df);
        if (cfg.type != "reduce") cfg.intermed_df = cfg.acc_df;
    }
    if (node.has(attr::intermed_df))
        cfg.intermed_df = parse_format(node.get(attr::intermed_df)).value_or(cfg.intermed_df);
    if (node.has(attr::fidelity)) cfg.fidelity = parse_fidelity(node.get(attr::fidelity)).value_or(cfg.fidelity);
}

void set_attributes(const Node& node, OpConfig& cfg) {
    OpAttributes& a = cfg.attr;
    if (node.has(attr::relu)) {
        a.relu_en = true;
        a.relu = node.get(attr::relu) == "max" ? ReluMode::Max : ReluMode::Min;
        a.relu_threshold = static_cast<float>(node.get(attr::threshold));
    }
    cfg.gradient = node.has(attr::gradient);
    if (cfg.type == "fused_op") a.fused_op_id = node.get(attr::program);
    read_attributes(node, *ttsim::impl::find_op(cfg.type), a);
    if (cfg.type == "matmul") a.accumulate = node.has(attr::z);
    a.bias = (node.op == op::buda::matmul || node.op == op::buda::depthwise) && node.inputs.size() == 3;
    if (cfg.type == "reduce") {
        a.reduce_type = "max";
        if (a.reduce_dim == ReduceDim::None) a.reduce_dim = ReduceDim::C;
        if (a.reduce_dim == ReduceDim::Z && !node.has(attr::z)) a.z = 1;
    }
}

std::vector<std::int64_t> divisors(std::int64_t n, std::int64_t most) {
    std::vector<std::int64_t> all;
    for (std::int64_t d = 1; d <= std::min(n, most); ++d)
        if (n % d == 0) all.push_back(d);
    return all;
}

/// Tile columns that ublocks must divide: those of a core; for a splice also its offsets, lengths and strides.
std::int64_t divided_columns(const OpConfig& cfg, std::int64_t core_ct) {
    for (const SpliceInput& run : cfg.attr.splice)
        core_ct = std::gcd(core_ct, std::gcd(run.index, std::gcd(run.length, run.stride)) * cfg.out.ublock_ct);
    return core_ct;
}

/// Sets the blocking and rescales the runs of a splice, which are counted in ublocks.
void set_blocking(OpConfig& cfg, const Blocking& blocking) {
    for (SpliceInput& run : cfg.attr.splice)
        for (std::int64_t* tiles : {&run.index, &run.length, &run.stride})
            *tiles = *tiles * cfg.out.ublock_ct / blocking.ublock_ct;
    cfg.out = blocking;
}

/// Sets the runs of a splice: for every row of ublocks a core reads one run of each operand in order.
void set_splice_runs(const Node& node, OpConfig& cfg) {
    const std::vector<std::int64_t> firsts = node.get(attr::firsts), counts = node.get(attr::counts);
    cfg.attr.granularity = SpliceUnit::Ublock;
    for (std::size_t k = 0; k < cfg.in.size(); ++k) {
        const std::int64_t first = counts.empty() ? 0 : firsts[k], all = cfg.in[k].ct / node.get(attr::runs);
        cfg.attr.splice.push_back({first, counts.empty() ? all : counts[k], all - first});
    }
}

/// Chooses the largest ublock that fits Dst; wider ones have precedence over taller ones.
void choose_ublock(const OpConfig& cfg, Blocking& b, std::int64_t core_rt, std::int64_t core_ct, std::int64_t limit) {
    std::int64_t best = 0;
    for (const std::int64_t rt : divisors(core_rt, limit))
        for (const std::int64_t ct : divisors(divided_columns(cfg, core_ct), limit)) {
            if (rt * ct > limit || rt * ct < best || (rt * ct == best && ct < b.ublock_ct)) continue;
            best = rt * ct;
            b.ublock_rt = rt;
            b.ublock_ct = ct;
        }
    b.mblock_m = core_rt / b.ublock_rt;
    b.mblock_n = core_ct / b.ublock_ct;
}

bool has_inner(const Op& op) {
    return op.cfg.type == "matmul" || op.cfg.type == "depthwise" ||
           (op.cfg.type == "reduce" && op.cfg.attr.reduce_dim != ReduceDim::Z);
}
std::int64_t inner_tiles(const Op& op) {
    if (op.cfg.attr.identity) return op.cfg.in[1].rt;
    if (op.cfg.type == "depthwise") return op.cfg.in[1].rt;
    return op.cfg.attr.reduce_dim == ReduceDim::R ? op.cfg.in[0].rt : op.cfg.in[0].ct;
}

/// Candidate sizes of the inner block, best first.
std::vector<std::int64_t> inner_blocks(const Op& op) {
    if (!has_inner(op) || op.cfg.type == "depthwise") return {1};
    constexpr std::int64_t dense = 8, strip = 256;  // tiles
    std::vector<std::int64_t> inner = divisors(inner_tiles(op), op.cfg.attr.identity ? strip : dense);
    std::reverse(inner.begin(), inner.end());
    return inner;
}

/// Tiles of a core's share of an operand, in all slices.
std::int64_t operand_tiles(const OpConfig& cfg, std::size_t k, const OperandUse& use) {
    std::int64_t held = 0;
    for (const TileRect& rect : use.rects) held += rect.nr * rect.nc * cfg.in[k].z;
    return held;
}

/// The part of an operand that is sent to a core, relative to the part that it reads: below 1 for kernel broadcasts.
double broadcast_share(const OpConfig& cfg, std::size_t k) {
    const auto found = cfg.attr.kernel_broadcast.find(static_cast<int>(k));
    if (found == cfg.attr.kernel_broadcast.end()) return 1;
    const OperandUse use = ttsim::impl::find_op(cfg.type)->use(cfg, found->first, 0, 0);
    return static_cast<double>(found->second) / static_cast<double>(operand_tiles(cfg, k, use));
}

/// Bytes of the constants held in L1 (`held`, loaded once), or of the streamed ones (per input).
double constant_bytes(const Op& op, const std::vector<bool>& constant, const std::vector<bool>& resident, bool held) {
    double bytes = 0;
    for (std::size_t k = 0; k < constant.size(); ++k)
        if (constant[k] && resident[k] == held)
            bytes += static_cast<double>(op.cfg.in[k].tiles() *
                                         tile_bytes(op.cfg.in_df[k], op.cfg.tile, op.cfg.chip.alignment)) *
                     broadcast_share(op.cfg, k);
    return bytes;
}

/// Clocks to read this many bytes from DRAM: each column of cores reads a buffer of its own.
double streaming_cycles(const Op& op, double bytes, const ChipParams& chip) {
    const std::int64_t memories = static_cast<std::int64_t>(chip.dram.size()) * chip.dram_blocks,
                       readers = std::min(op.cfg.out.grid_c, memories);
    return bytes / (chip.timing.dram_read_bytes / 2 * static_cast<double>(readers));
}

/// Whether rows or columns of cores read the same tiles of operand k.
bool shared(const OpConfig& cfg, std::size_t k) {
    const OpDef& def = *ttsim::impl::find_op(cfg.type);
    const auto number = static_cast<int>(k);
    const std::vector<TileRect> first = def.use(cfg, number, 0, 0).rects;
    return (cfg.out.grid_r > 1 && def.use(cfg, number, 1, 0).rects == first) ||
           (cfg.out.grid_c > 1 && def.use(cfg, number, 0, 1).rects == first);
}

struct PipeTimes {
    double slowest = 0;  ///< clocks of the slowest pipe, of the core's NoC port for all operands, or of NCRISC
    double filling = 0;  ///< clocks that the op waits for operands it needs complete
};

/// Clocks of NCRISC for `tiles` of an operand that a core reads from a queue with tiles in the operand's order.
double queue_read_cycles(const OperandUse& use, std::int64_t tiles, std::int64_t bytes, const PipeConstants& pipes) {
    const auto clear = std::max<std::int64_t>(1, use.clear_tiles);
    const std::int64_t chunk = chunk_tiles(1, clear, tiles, longest_queue_chunk / bytes);
    return pipes.read_entry +
           static_cast<double>(tiles) / static_cast<double>(chunk) * (pipes.read_iteration + pipes.read_request);
}

/// One stream sends an operand; multicast is slower. An operand needed complete is transferred while the op is busy, as
/// far as its buffer holds two inputs. Of one that is taken in k-blocks the buffer holds two, so nothing fills it.
PipeTimes pipe_times(const Op& op, const std::vector<Origin>& origins, const PipeConstants& pipes, double link_bytes) {
    const OpConfig& cfg = op.cfg;
    PipeTimes found;
    double arrival = 0, ncrisc = 0;
    for (std::size_t k = 0; k < origins.size(); ++k) {
        if (origins[k] == Origin::Constant) continue;
        const OperandUse use = ttsim::impl::find_op(cfg.type)->use(cfg, static_cast<int>(k), 0, 0);
        const std::int64_t held = operand_tiles(cfg, k, use),
                           bytes = tile_bytes(cfg.in_df[k], cfg.tile, cfg.chip.alignment);
        const double cycles =
            static_cast<double>(held * bytes) / (shared(cfg, k) ? pipes.multicast_bytes : pipes.stream_bytes);
        arrival += static_cast<double>(held * bytes) / link_bytes;
        if (origins[k] == Origin::Op) found.slowest = std::max(found.slowest, cycles);
        if (origins[k] == Origin::Input) ncrisc += queue_read_cycles(use, held, bytes, pipes);
        if (!use.whole_input || use.chunks != OperandUse::Chunks::One) continue;
        const std::int64_t room = input_buffer_tiles(op, k, use, bytes) - held;
        const double early = std::clamp(static_cast<double>(room) / static_cast<double>(held), 0.0, 1.0);
        found.filling = std::max(found.filling, cycles * (1 - early));
    }
    found.slowest = std::max({found.slowest, arrival, ncrisc});
    return found;
}

double kernel_cycles(const OpConfig& cfg, const ChipParams& chip) {
    if (cfg.fused) {  // its sub-ops run sequentially
        const StepTime slice = step_time(cfg, *ttsim::impl::find_op(cfg.type), chip.timing, {});
        const auto longest = std::max({slice.unpack.value(), slice.math.value(), slice.pack.value()});
        return static_cast<double>(longest) * static_cast<double>(cfg.out.t);
    }
    return kernel_model(chip.timing.chip).time(kernel_shape(cfg, *ttsim::impl::find_op(cfg.type))).cycles;
}

void define_fused(OpConfig& cfg, const ChipParams& chip) {
    if (cfg.type == "fused_op") cfg.fused = make_fused(cfg.attr.fused_op_id, cfg, chip.features.dest_any_operand);
}

/// Minimum tiles of operands' buffers by the user.
std::vector<std::int64_t> user_buffers(const OpOverride& user, const Op& op) {
    std::vector<std::int64_t> least = user.input_buffers;
    least.resize(std::max(least.size(), std::min(user.input_blocks.size(), op.cfg.in.size())), 0);
    for (std::size_t k = 0; k < op.cfg.in.size() && k < user.input_blocks.size(); ++k) {
        const OperandUse use = ttsim::impl::find_op(op.cfg.type)->use(op.cfg, static_cast<int>(k), 0, 0);
        least[k] = std::max(least[k], user.input_blocks[k] * std::max<std::int64_t>(use.clear_tiles, 1));
    }
    return least;
}

/// Chooses block sizes for one grid: constants in L1 if they fit, and the largest inner block that fits. For a sparse
/// product the strip with the least kernel time.
bool fit(const Op& blank, const std::vector<Origin>& origins, Blocking blocking, const OpBudget& budget,
         const SparsePattern* pattern, const OpOverride* user, Candidate& out, std::int64_t& least) {
    const ChipParams& chip = *budget.chip;
    const std::int64_t usable = chip.l1_bytes - chip.l1_reserved;
    Op op = blank;
    set_blocking(op.cfg, blocking);
    define_fused(op.cfg, chip);
    const std::vector<bool> none(origins.size(), false);
    std::vector<bool> constant;
    for (const Origin origin : origins) constant.push_back(origin == Origin::Constant);
    bool found = false;
    std::vector<std::vector<bool>> ways{constant, none};
    if (user && user->dram_parameters) ways = {*user->dram_parameters ? none : constant};
    for (const std::vector<bool>& resident : ways) {
        for (const std::int64_t u_kt : user && user->u_kt ? std::vector{*user->u_kt} : inner_blocks(op)) {
            if (has_inner(op)) {
                op.cfg.attr.u_kt = u_kt;
                op.cfg.attr.m_k = inner_tiles(op) / u_kt;
            }
            if (pattern && !size_encoding(*pattern, op.cfg)) continue;
            if (user) op.input_buf_min_size_tiles = user_buffers(*user, op);
            if (budget.use_kernel_broadcasts)
                op.cfg.attr.kernel_broadcast = kernel_broadcasts(op, resident, chip.features.broadcast_blocks);
            const std::int64_t bytes = l1_bytes(op, resident);
            least = least == 0 ? bytes : std::min(least, bytes);
            if (bytes > usable) continue;
            const double streamed = constant_bytes(op, constant, resident, false);
            const double kernel = kernel_cycles(op.cfg, chip), dram = streaming_cycles(op, streamed, chip);
            PipeTimes piping = pipe_times(op, origins, pipe_constants(chip.files.noc), chip.timing.noc_link_bytes);
            if (budget.microbatch == 1) piping.filling = 0;  // the only input is transferred while it is produced
            const double cycles = std::max({kernel + piping.filling, dram, piping.slowest});
            if (found && cycles >= out.cycles) continue;
            out = {.blocking = blocking,
                   .u_kt = op.cfg.attr.u_kt,
                   .m_k = op.cfg.attr.m_k,
                   .l1_bytes = bytes,
                   .kernel_cycles = kernel,
                   .dram_cycles = dram,
                   .pipe_cycles = piping.slowest,
                   .filling_cycles = piping.filling,
                   .cycles = cycles,
                   .dram_bytes = streamed,
                   .resident_cycles = streaming_cycles(op, constant_bytes(op, constant, resident, true), chip),
                   .resident = resident,
                   .broadcasts = op.cfg.attr.kernel_broadcast,
                   .input_buffers = op.input_buf_min_size_tiles};
            found = true;
            if (!pattern) return true;
        }
        if (found) return true;
    }
    return false;
}

/// Adds the tiles and the encoding of a sparse product to its activations.
void add_sparse_operands(OpConfig& cfg, Op& op, const SparsePattern& pattern) {
    const DataFormat x = cfg.in_df.front();
    const bool a_family = info(x).family == FormatFamily::A;
    const DataFormat tiles = is_integer(x)   ? x
                             : !pattern.ones ? (is_block_float(x) ? cfg.acc_df : x)
                             : a_family      ? DataFormat::Bfp2
                                             : DataFormat::Bfp2_b;
    cfg.attr.identity = true;
    cfg.attr.act_t = 1;
    // the second phase multiplies the low digits of activations
    if (cfg.fidelity == Fidelity::LoFi) cfg.fidelity = Fidelity::HiFi2;
    cfg.in = {{1, 1, 1}, cfg.in.front(), {1, 1, 1}};
    cfg.in_df = {tiles, x, DataFormat::RawUInt32};
    cfg.in_tile.assign(3, TileDim{});
    op.tms = {{}, op.tms.front(), {}};
}

}  // namespace

std::vector<OperandSource> operands_of(const Node& node) {
    using Kind = OperandSource::Kind;
    if (node.op == op::buda::sparse) return {{Kind::SparseTiles, 0}, {Kind::Input, 0}, {Kind::SparseEncoding, 0}};
    std::vector<OperandSource> all;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) all.push_back({Kind::Input, k});
    return all;
}

Op make_op(const Graph& graph, const Node& node, const OpBudget& budget, const SparsePattern* pattern) {
    Op op;
    OpConfig& cfg = op.cfg;
    cfg.type = pattern ? "matmul" : node.op.base_name();
    cfg.name = node.name;
    cfg.loc = node.loc;
    cfg.chip = traits_of(budget.chip->features);
    cfg.out_df = *node.type.format;
    cfg.acc_df = dest_format(cfg.out_df, budget.chip->features);
    cfg.intermed_df = cfg.type == "reduce" || !is_block_float(cfg.out_df) ? cfg.out_df : cfg.acc_df;
    cfg.fidelity = budget.fidelity;
    set_formats(node, cfg);
    for (const OperandSource& source : operands_of(node)) {
        if (source.kind != OperandSource::Kind::Input) continue;
        const Edge& edge = node.inputs[source.input];
        const Type& type = graph.type(edge.value);
        TileShape shape{type.dims[0], type.dims[1], type.dims[2]};
        OperandTms tms;
        tms.tms = edge.tms;
        cfg.in.push_back(shape_after(shape, tms));
        cfg.in_tile.push_back(TileDim{});
        cfg.in_df.push_back(*type.format);
        op.tms.push_back(tms);
    }
    set_attributes(node, cfg);
    if (cfg.type == "splice") set_splice_runs(node, cfg);
    if (pattern) add_sparse_operands(cfg, op, *pattern);
    cfg.fidelity = with_second_operand(cfg);
    cfg.fidelity = without_redundant_fidelity_phases(cfg);
    if (is_integer(cfg.out_df) && cfg.acc_df != DataFormat::Int32) {  // a nop inserted behind an integer op
        cfg.acc_df = cfg.intermed_df = DataFormat::Int32;
        cfg.fidelity = Fidelity::HiFi4;
    }
    cfg.out.t = node.type.dims[0];
    cfg.out.mblock_m = node.type.dims[1];
    cfg.out.mblock_n = node.type.dims[2];
    return op;
}

/// Whether each core's columns are complete runs of every operand.
static bool has_complete_runs(const OpConfig& cfg, std::int64_t grid_c) {
    for (std::size_t k = 0; k < cfg.attr.splice.size(); ++k) {
        const SpliceInput& run = cfg.attr.splice[k];
        if (cfg.in[k].ct / ((run.index + run.stride) * cfg.out.ublock_ct) % grid_c != 0) return false;
    }
    return true;
}

/// The candidate grids. A size by the user must divide the tiles and fit the chip.
static std::vector<std::pair<std::int64_t, std::int64_t>> grids_of(const Op& op, const OpBudget& budget,
                                                                   const OpOverride* user) {
    const std::int64_t rt = op.cfg.out.core_rt(), ct = op.cfg.out.core_ct();
    const bool across = user && user->transpose.value_or(false);
    const std::int64_t most_r = std::max(budget.rows, budget.cols);
    std::vector<std::pair<std::int64_t, std::int64_t>> grids;
    for (const std::int64_t r : divisors(rt, across ? most_r : budget.rows))
        for (const std::int64_t c : divisors(ct, across ? most_r : budget.cols)) {
            const bool fits = across ? r <= budget.cols && c <= budget.rows : true;
            if (fits && has_complete_runs(op.cfg, c) && (!user || !user->size || *user->size == std::pair(r, c)))
                grids.emplace_back(r, c);
        }
    if (grids.empty())
        fail_input(user->loc,
                   "op '{}' cannot have a grid of {}x{}: it has {}x{} tiles, which the grid must divide, and "
                   "the chip has {}x{} cores",
                   op.name(), user->size->first, user->size->second, rt, ct, budget.rows, budget.cols);
    return grids;
}

void set_buffers(const OpOverride& user, Op& op) {
    if (!user.output_buffers) return;
    op.buf_size_mb = *user.output_buffers;
    const std::int64_t half = op.buf_size_mb / 2, t = op.cfg.out.t;
    const bool even = op.buf_size_mb == 1 || op.buf_size_mb % 2 == 0;
    if (!even || (half > 0 && half % t != 0 && t % half != 0))
        fail_input(user.loc,
                   "op '{}' cannot have output_buffers {}: it is 1, or an even number whose half and t {} divide one "
                   "another",
                   op.name(), op.buf_size_mb, t);
}

Choice choose_blocking(const Op& given, const std::vector<Origin>& origins, const OpBudget& budget,
                       const SparsePattern* pattern, const OpOverride* user) {
    Op op = given;
    if (user) set_buffers(*user, op);
    Choice choice;
    const ChipParams& chip = *budget.chip;
    choice.usable_bytes = chip.l1_bytes - chip.l1_reserved;
    const std::int64_t rt = op.cfg.out.core_rt(), ct = op.cfg.out.core_ct();
    const bool wide = op.cfg.acc_df == DataFormat::Float32 || op.cfg.acc_df == DataFormat::Int32;
    const std::int64_t limit = wide ? chip.features.dest_tiles_32b : chip.features.dest_tiles_16b;
    std::optional<std::int64_t> u_kt = user ? user->u_kt : std::nullopt;
    if (u_kt && (!has_inner(op) || inner_tiles(op) % *u_kt != 0))
        fail_input(user->loc, "op '{}' ({}) cannot have u_kt {}: {}", op.name(), op.cfg.type, *u_kt,
                   has_inner(op)
                       ? fmt::format("its inner dimension of {} tiles is not a multiple of it", inner_tiles(op))
                       : "it has no inner dimension");
    for (const auto& [r, c] : grids_of(op, budget, user)) {
        Blocking b = op.cfg.out;
        b.grid_r = r;
        b.grid_c = c;
        choose_ublock(op.cfg, b, rt / r, ct / c, limit);
        Candidate candidate;
        std::int64_t least = 0;
        if (fit(op, origins, b, budget, pattern, user, candidate, least))
            choice.fitting.push_back(candidate);
        else
            choice.misfits.push_back({r, c, least});
        if (least > 0) choice.least_bytes = choice.least_bytes == 0 ? least : std::min(choice.least_bytes, least);
    }
    std::stable_sort(choice.fitting.begin(), choice.fitting.end(),
                     [](const Candidate& a, const Candidate& b) { return a.blocking.cores() < b.blocking.cores(); });
    return choice;
}

namespace {

/// Enlarges the buffers of resident constants to a core's whole share; smaller ones would be refilled for every input.
void hold(Op& op, const std::vector<bool>& resident) {
    for (std::size_t k = 0; k < resident.size(); ++k) {
        if (!resident[k] || op.cfg.attr.kernel_broadcast.contains(static_cast<int>(k))) continue;
        const OperandUse use = ttsim::impl::find_op(op.cfg.type)->use(op.cfg, static_cast<int>(k), 0, 0);
        const std::int64_t held = operand_tiles(op.cfg, k, use);
        if (held <= input_buffer_tiles(op, k, use, tile_bytes(op.cfg.in_df[k], op.cfg.tile, op.cfg.chip.alignment)))
            continue;
        if (op.input_buf_min_size_tiles.size() <= k) op.input_buf_min_size_tiles.resize(k + 1, 0);
        op.input_buf_min_size_tiles[k] = held;
    }
}

}  // namespace

std::int64_t l1_bytes(const Op& op, const std::vector<bool>& resident) {
    const OpDef* def = ttsim::impl::find_op(op.cfg.type);
    std::int64_t used = output_buffer_tiles(op) * op.cfg.out_tile_bytes();
    for (std::size_t k = 0; k < op.cfg.in.size(); ++k) {
        const std::int64_t bytes = tile_bytes(op.cfg.in_df[k], op.cfg.tile, op.cfg.chip.alignment);
        const OperandUse use = def->use(op.cfg, static_cast<int>(k), 0, 0);
        const bool whole = resident[k] && !op.cfg.attr.kernel_broadcast.contains(static_cast<int>(k));
        used += (whole ? operand_tiles(op.cfg, k, use) : input_buffer_tiles(op, k, use, bytes)) * bytes;
    }
    return used;
}

void apply(const Candidate& candidate, const SparsePattern* pattern, const ChipParams& chip, Op& op) {
    set_blocking(op.cfg, candidate.blocking);
    define_fused(op.cfg, chip);
    op.cfg.attr.u_kt = candidate.u_kt;
    op.cfg.attr.m_k = candidate.m_k;
    op.input_buf_min_size_tiles = candidate.input_buffers;
    op.cfg.attr.kernel_broadcast = candidate.broadcasts;
    hold(op, candidate.resident);
    if (pattern) TT_CHECK(size_encoding(*pattern, op.cfg), "the encoding of '{}' must fit its fields", op.name());
}

}  // namespace ttsim::impl::ir
