#include "tools/validation/sweep_pipes.hpp"

#include <algorithm>

#include "isa/tile.hpp"

namespace ttsim::impl {

namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

/// Bytes with header and padding, as the streams move them.
double stream_bytes(DataFormat format, double tiles) {
    return format == DataFormat::Invalid ? 0 : real(tile_bytes(format, {})) * tiles;
}

/// Whether an operand buffer holds only two of the units that are freed at once. It holds 32 KiB of tiles if that is
/// more. With two, the space of one unit becomes free while the other is unpacked, and new tiles arrive after a
/// turnaround time.
bool holds_two(double unit_bytes) {
    constexpr double smallest_buffer = 32768;
    return 2 * unit_bytes >= smallest_buffer;
}

double reduce_supply(const KernelShape& s, const SweepPipes& p) {
    const double block = stream_bytes(s.in0, real(s.ublock_tiles()));
    if (!holds_two(block)) return 0;
    return real(s.t * s.ublocks()) * (block / p.reduce_supply_bytes + p.supply_iteration);
}

/// Waits of a reduction along z whose buffer holds a micro-block of two slices. The first slice of a result is only
/// copied; meanwhile the space that the last slice of the result before has left is filled for the second one.
double slice_waits(const KernelShape& s, const KernelTime& kernel, const KernelConstants& c) {
    const double block = stream_bytes(s.in0, real(s.ublock_tiles()));
    if (family_of(s) != KernelFamily::ReduceZ || s.z == 1 || !holds_two(block)) return 0;
    // A tile of a later slice is moved to Dst and compared.
    const bool wide = !is_block_float(s.in0);
    const double tile = c.sweep.slice_moves + c.math_copy_tile + c.sfpu_count("reduce", wide ? "z16" : "z") +
                        (wide ? c.math_16bit_tile : 0);
    const double compared = c.reduce_z_step + real(s.ublock_tiles()) * tile;
    const double copied = kernel.parts.front().time.steady - real(s.z - 1) * compared;
    const double turn = block / c.sweep.reduce_supply_bytes + c.sweep.supply_iteration;
    return real(s.t * s.ublocks()) * std::max(0.0, turn - copied);
}

/// Every product has its own tile of activations; a column of micro-blocks is freed at once.
double depthwise_supply(const KernelShape& s, const SweepPipes& p) {
    const double unit = stream_bytes(s.in0, real(s.mblock_m * s.ublock_tiles()));
    const double units = real(s.t * s.mblock_n * s.m_k * s.u_kt);
    return units * (unit / p.depthwise_supply_bytes + (holds_two(unit) ? p.supply_iteration : 0));
}

double eltwise_supply(const KernelShape& s, bool single, const SweepPipes& p) {
    if (real(s.ublock_tiles()) < p.supply_block) return 0;
    const double tiles = real(s.t * s.z * s.ublocks() * s.ublock_tiles());
    const double in0 = stream_bytes(s.in0, tiles), in1 = stream_bytes(s.in1, tiles);
    if (in0 + in1 <= p.supply_window) return 0;
    return std::max(in0, in1) / p.supply_bytes + tiles * (p.supply_tile + (single ? p.supply_tile_single : 0));
}

/// Clocks of the slowest operand stream; 0 for inputs that fit in the operand buffers.
double supply(const KernelShape& s, bool single, const SweepPipes& p) {
    switch (family_of(s)) {
        case KernelFamily::Sparse:
            return 0;
        case KernelFamily::ReduceTile:
            return reduce_supply(s, p);
        case KernelFamily::Depthwise:
            return depthwise_supply(s, p);
        case KernelFamily::Matmul: {
            const double in0 = stream_bytes(s.in0, real(s.t * s.mblock_m * s.ublock_rt * s.m_k * s.u_kt));
            return in0 <= p.supply_window ? 0 : in0 / p.matmul_supply_bytes;
        }
        case KernelFamily::Copy:
        case KernelFamily::Unary:
        case KernelFamily::Binary:
        case KernelFamily::SfpuBinary:
        case KernelFamily::Splice:
        case KernelFamily::ReduceZ:
            return eltwise_supply(s, single, p);
    }
    return 0;
}

double drain(const KernelShape& s, const SweepPipes& p) {
    const KernelFamily family = family_of(s);
    if (family == KernelFamily::Sparse || family == KernelFamily::ReduceTile) return 0;
    return stream_bytes(s.out, real(s.t * s.ublocks() * s.ublock_tiles())) / p.drain_bytes;
}

/// Additional time of the first micro-block over a later one, from its first unpack on.
double filling(const KernelTime& kernel) {
    const ScoreboardResult& first = kernel.parts.front().time;
    return first.fill - first.steady - first.lead;
}

}  // namespace

SweepTime time_in_sweep(const KernelShape& shape, const KernelTime& kernel, std::int64_t inputs,
                        const KernelConstants& constants) {
    const bool single = (inputs > 0 ? real(inputs) : constants.sweep.inputs) <= 1;
    SweepTime out;
    out.supply = supply(shape, single, constants.sweep);
    out.drain = drain(shape, constants.sweep);
    out.limit = kernel.limit;
    const double own = kernel.cycles - kernel.per_input + slice_waits(shape, kernel, constants);
    if (out.supply > own) out.limit = KernelLimit::InputStream;
    if (out.drain > std::max(own, out.supply)) out.limit = KernelLimit::OutputStream;
    const double ends = single && !kernel.parts.empty() ? filling(kernel) : 0;
    out.cycles = std::max(1.0, std::max({own, out.supply, out.drain}) + kernel.per_input + ends);
    return out;
}

}  // namespace ttsim::impl
