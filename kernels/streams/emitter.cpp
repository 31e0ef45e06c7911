#include "kernels/streams/emitter.hpp"

#include <algorithm>
#include <cmath>

#include "isa/tile.hpp"

namespace ttsim::impl::streams {

namespace {
constexpr std::uint32_t faces = 4, packers = 4;
constexpr std::uint32_t unpacker_b = 1;
constexpr std::uint32_t clear_a = 1, clear_b = 2;

/// Fraction of a tile that an SFPU kernel visits: all rows, the first 4 rows, or the first 16 columns.
double visited_fraction(VectorMode mode) {
    switch (mode) {
        case VectorMode::R:
            return 4.0 / 32;
        case VectorMode::C:
            return 16.0 / 32;
        case VectorMode::RC:
            break;
    }
    return 1;
}

bool is_16_bit(DataFormat f) { return f == DataFormat::Float16 || f == DataFormat::Float16_b; }
}  // namespace

Emitter::Words Emitter::words(const InstructionSet& set) {
    Words w{};
    w.unpack_a = set.encode("UNPACR", {{"set_dat_valid", 1}, {"last", 1}});
    w.unpack_b = set.encode("UNPACR", {{"set_dat_valid", 1}, {"last", 1}, {"unpack_block_selection", unpacker_b}});
    w.wait_free =
        set.encode("SEMWAIT", {{"wait_sem_cond", wait_while_full}, {"sem_sel", math_pack}, {"stall_res", 1U << 6}});
    w.post = set.encode("SEMPOST", {{"sem_sel", math_pack}});
    w.wait_full =
        set.encode("SEMWAIT", {{"wait_sem_cond", wait_while_zero}, {"sem_sel", math_pack}, {"stall_res", 1U << 2}});
    w.get = set.encode("SEMGET", {{"sem_sel", math_pack}});
    w.mova2d = set.encode("MOVA2D", {{"addr_mode", 2}});
    w.movd2a = set.encode("MOVD2A", {{"addr_mode", 2}});
    w.release_a = set.encode("SETRWC", {{"clear_ab_vld", clear_a}});
    w.release_ab = set.encode("SETRWC", {{"clear_ab_vld", clear_a | clear_b}});
    w.drain_math = set.encode("STALLWAIT", {{"stall_res", 1U << 1}, {"wait_res", 1U << 4}});
    w.sfp_load = set.encode("SFPLOAD", {{"lreg_ind", 0}});
    w.sfp_body = set.encode("SFPMAD", {{"lreg_src_a", 1}, {"lreg_src_b", 0}, {"lreg_src_c", 2}, {"lreg_dest", 1}});
    w.sfp_store = set.encode("SFPSTORE", {{"lreg_ind", 1}});
    w.sfp_setup = set.encode("SFPLOADI", {{"lreg_ind", 2}});
    w.next_face = set.encode("SETRWC", {{"rwc_d", 8}});
    w.mvmul = set.encode("MVMUL", {{"addr_mode", 1}});
    w.pacr = set.encode("PACR", {{"pack_sel", 15}});
    w.pacr_last = set.encode("PACR", {{"pack_sel", 15}, {"last", 1}});
    return w;
}

Emitter::Emitter(const KernelShape& s, const StreamContext& ctx)
    : shape(s), context(ctx), c(ctx.constants), w_(words(ctx.set)) {}

void Emitter::risc(KernelThread thread, double clocks, const char* what) {
    if (clocks > 0) streams_.of(thread).push_back({0, 1, 0, clocks, what, false});
}

void Emitter::ahead(KernelThread thread, double clocks, const char* what) {
    if (clocks > 0) streams_.of(thread).push_back({0, 1, 0, clocks, what, true});
}

void Emitter::emit(KernelThread thread, std::uint32_t word, std::uint32_t repeat, double bytes) {
    if (repeat > 0) streams_.of(thread).push_back({word, repeat, bytes, 0, "", false});
}

void Emitter::configure_sub_op() {
    if (!shape.sub_op) return;
    risc(KernelThread::Unpack, c.sub_op, "sub_op");
    risc(KernelThread::Math, c.sub_op, "sub_op");
}

void Emitter::set_bank_valid(bool srcb) { emit(KernelThread::Unpack, srcb ? w_.unpack_b : w_.unpack_a); }

void Emitter::unpack_tile(bool srcb, DataFormat format, double lost_bytes) {
    emit(KernelThread::Unpack, srcb ? w_.unpack_b : w_.unpack_a, 1,
         static_cast<double>(tile_body_bytes(format, {})) + lost_bytes);
}

void Emitter::math_begin() {
    risc(KernelThread::Math, c.math_ublock + (integer_kernel(shape) ? c.math_ublock_int : 0), "math_ublock");
    if (shape.in_dest == 0) emit(KernelThread::Math, w_.wait_free);
}

void Emitter::math_end() {
    emit(KernelThread::Math, w_.drain_math);
    if (!shape.stays_in_dest) emit(KernelThread::Math, w_.post);
}

void Emitter::copy_tile() {
    // A move copies 8 rows of 16 on both chips.
    emit(KernelThread::Math, w_.mova2d, 8);
    // The unpacker writes 32-bit elements directly to Dst.
    if (info(shape.in0).element_bits < 32) streams_.counted += 8;
    emit(KernelThread::Math, w_.release_a);
    risc(KernelThread::Math, c.math_copy_tile, "math_copy_tile");
}

void Emitter::fetch_tile() {
    // A move copies 4 rows of 16.
    emit(KernelThread::Math, w_.movd2a, 16 * static_cast<std::uint32_t>(shape.in_dest));
}

void Emitter::eltwise_tile(const char* mnemonic, int phase_count) {
    const auto rows = static_cast<std::uint32_t>(context.fpu_rows);
    emit(KernelThread::Math, context.set.encode(mnemonic, {{"addr_mode", 1}}),
         64 / rows * static_cast<std::uint32_t>(phase_count));
    streams_.counted += 64.0 / rows * phase_count;
    emit(KernelThread::Math, w_.release_ab);
    risc(KernelThread::Math, c.math_elw_tile, "math_elw_tile");
}

void Emitter::product(int phase_count, double instructions_per_phase, bool last_of_b) {
    const auto count = static_cast<std::uint32_t>(std::lround(instructions_per_phase * phase_count));
    emit(KernelThread::Math, w_.mvmul, std::max(1U, count));
    streams_.counted += std::max(1U, count);
    emit(KernelThread::Math, last_of_b ? w_.release_ab : w_.release_a);
    risc(KernelThread::Math, c.math_product, "math_product");
}

void Emitter::sfpu_tile(double instructions, double counted) {
    const auto iterations = faces * static_cast<std::uint32_t>(context.sfpu_iterations);
    double total = instructions;
    if (is_16_bit(shape.in0)) total += c.math_16bit_tile;
    const auto part = visited_fraction(shape.vector);
    streams_.counted += counted * part;
    const auto count = static_cast<std::uint32_t>(std::lround(total * part));
    const auto visits = static_cast<std::uint32_t>(std::lround(iterations * part));
    const std::uint32_t each = count / visits;
    // Load, arithmetic and store per iteration; the remainder is setup. Kernels of one or two instructions are
    // arithmetic only.
    emit(KernelThread::Math, w_.sfp_setup, count - each * visits);
    for (std::uint32_t i = 0; i < visits && each > 0; ++i) {
        if (each > 2) emit(KernelThread::Math, w_.sfp_load);
        emit(KernelThread::Math, w_.sfp_body, each > 2 ? each - 2 : each);
        if (each > 2) emit(KernelThread::Math, w_.sfp_store);
    }
}

void Emitter::activation() {
    if (!shape.gelu) return;
    emit(KernelThread::Math, w_.drain_math);  // the SFPU reads the products from Dst
    const std::string mode = sfpu_mode(shape);
    for (std::int64_t i = 0; i < shape.ublock_tiles(); ++i)
        sfpu_tile(c.sfpu_count("gelu", mode), c.sfpu_counted_instructions("gelu", mode));
}

void Emitter::wait_operands() {
    if (shape.waits) risc(KernelThread::Unpack, c.stream_wait, "stream_wait");
}

double Emitter::output_clocks() const {
    return c.pack_ublock + (integer_kernel(shape) ? c.pack_int : 0) + (shape.pushes ? c.stream_push : 0);
}

void Emitter::pack_block(std::int64_t tiles, double ublock_clocks, bool accumulate) {
    if (shape.stays_in_dest) return;
    // A single tile needs no address loop.
    risc(KernelThread::Pack, ublock_clocks + (tiles > 1 ? c.pack_many : 0), "pack_ublock");
    emit(KernelThread::Pack, w_.wait_full);
    // Packers convert elements at a fixed rate. Accumulation in L1 moves 16 bytes per packer and clock; it does not
    // support shared exponents.
    const double bytes = std::max(2 * 1024.0, static_cast<double>(tile_body_bytes(shape.intermed, {})));
    const double elements = (accumulate ? bytes : 1024.0) / faces;
    for (std::int64_t i = 0; i < tiles; ++i) {
        risc(KernelThread::Pack, c.pack_tile, "pack_tile");
        emit(KernelThread::Pack, w_.pacr, faces - 1, elements);
        emit(KernelThread::Pack, w_.pacr_last, 1, elements);
    }
    emit(KernelThread::Pack, w_.get);
}

std::string sfpu_mode(const KernelShape& shape) {
    if (is_integer(shape.in0)) return std::string(to_string(shape.in0));
    return shape.approximate ? "approx" : "";
}

bool integer_kernel(const KernelShape& shape) {
    return is_integer(shape.in0) || is_integer(shape.out) || shape.acc == DataFormat::Int32;
}

double ublock_extra_cycles(const KernelShape& shape, const KernelConstants& c) {
    double sum = 0;
    const std::string count = shape.op + (shape.ublock_tiles() > 1 ? "/many" : "/one");
    for (const std::string& key : {shape.op, fmt::format("{}/{}", shape.op, to_string(shape.in0)), count})
        if (const auto found = c.ublock_extra.find(key); found != c.ublock_extra.end()) sum += found->second;
    return sum;
}

}  // namespace ttsim::impl::streams
