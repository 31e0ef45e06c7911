// Emits the instruction patterns all kernels share. Internal to kernels/streams.
#pragma once

#include "kernels/streams/stream.hpp"

namespace ttsim::impl::streams {

/// Semaphores of the hand-over from math to pack (bit in sem_sel). Src banks hand over by their data-valid bits.
inline constexpr std::uint32_t math_pack = 1U << 1;
inline constexpr std::uint32_t wait_while_zero = 1, wait_while_full = 2;
inline constexpr auto unpack = KernelThread::Unpack, math = KernelThread::Math;

class Emitter {
public:
    Emitter(const KernelShape& shape, const StreamContext& context);

    const KernelShape& shape;
    const StreamContext& context;
    const KernelConstants& c;

    void risc(KernelThread thread, double clocks, const char* what);
    /// RISC-V work on what comes later: it overlaps with instructions already handed to the Tensix threads.
    void ahead(KernelThread thread, double clocks, const char* what);
    void one(KernelThread thread, std::uint32_t word, std::uint32_t repeat = 1, double bytes = 0);

    void set_up();  ///< of a sub-op: formats and kernels of unpack and math change from micro-block to micro-block

    // unpack
    void wait_operands();  ///< ask the operands' streams for the tiles of a micro-block
    void unpack_tile(bool srcb, DataFormat format);
    void unpack_nothing(bool srcb);  ///< the bank is only declared valid: the math thread fills it
    // math
    void math_begin();  ///< RISC-V work, then wait for half of Dst, unless operands are in it
    void math_end();    ///< wait until results are in Dst, hand the half over unless they stay
    void copy_tile();   ///< SrcA to Dst
    void fetch_tile();  ///< operands that are in Dst, to the Src banks
    void eltwise_tile(const char* mnemonic, int phase_count);
    void product(int phase_count, double instructions_per_phase, bool last_of_b);
    /// counted: of the instructions, those that the performance counter shows
    void sfpu_tile(double instructions, double counted);
    void activation();  ///< a product's gelu on the micro-block that stands in Dst
    // pack
    /// RISC-V work of a micro-block that leaves by a stream.
    double output_clocks() const;
    void pack_block(std::int64_t tiles, double ublock_clocks, bool accumulate);

    KernelStreams take() { return std::move(streams_); }

private:
    struct Words {
        std::uint32_t unpack_a, unpack_b, wait_free, post, wait_full, get, mova2d, movd2a, release_a, release_ab,
            drain_math, sfp_load, sfp_body, sfp_store, sfp_setup, mvmul, pacr, pacr_last, next_face;
    };
    static Words words(const InstructionSet& set);
    KernelStreams streams_;
    Words w_;
};

// The families.
void build_unary(Emitter& e);
void build_binary(Emitter& e);
void build_reduce(Emitter& e);
void build_matmul(Emitter& e, BlockPosition position);
void build_depthwise(Emitter& e);
void build_sparse(Emitter& e, MicroBlock block);

/// "approx", "Int32", "Int8" or "": the mode under which an SFPU kernel's count is listed.
std::string sfpu_mode(const KernelShape& shape);
bool integer_kernel(const KernelShape& shape);
double extra(const KernelShape& shape, const KernelConstants& c);

}  // namespace ttsim::impl::streams
