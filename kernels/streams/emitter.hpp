// Emits instruction patterns shared by all kernels. Internal to kernels/streams.
#pragma once

#include "kernels/streams/stream.hpp"

namespace ttsim::impl::streams {

/// Semaphore between math and pack (bit in sem_sel). Src banks are synchronized by their data-valid bits.
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
    /// RISC-V work for later instructions; overlaps with instructions already issued to the Tensix threads.
    void ahead(KernelThread thread, double clocks, const char* what);
    void emit(KernelThread thread, std::uint32_t word, std::uint32_t repeat = 1, double bytes = 0);

    void configure_sub_op();  ///< sub-ops reconfigure formats and kernels of unpack and math per micro-block

    // unpack
    void wait_operands();  ///< request the tiles of a micro-block from the operands' streams
    /// `lost_bytes`: L1 bandwidth that the unpacker loses to others meanwhile.
    void unpack_tile(bool srcb, DataFormat format, double lost_bytes = 0);
    void set_bank_valid(bool srcb);  ///< only marks the bank as valid: the math thread fills it
    // math
    void math_begin();  ///< RISC-V work, then wait for half of Dst unless operands are in it
    void math_end();    ///< wait until results are in Dst, then release the half unless they stay
    void copy_tile();   ///< SrcA to Dst
    void fetch_tile();  ///< copies operands from Dst to the Src banks
    void eltwise_tile(const char* mnemonic, int phase_count);
    void product(int phase_count, double instructions_per_phase, bool last_of_b);
    /// counted: the part of the instructions in the performance counter
    void sfpu_tile(double instructions, double counted);
    void activation();  ///< gelu of a product on the micro-block in Dst
    // pack
    /// RISC-V cycles of a micro-block that is sent by a stream.
    double output_clocks() const;
    void pack_block(std::int64_t tiles, double ublock_clocks, bool accumulate);

    KernelStreams release() { return std::move(streams_); }

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

/// The mode of an SFPU kernel's instruction count: "approx", "Int32", "Int8" or "".
std::string sfpu_mode(const KernelShape& shape);
bool integer_kernel(const KernelShape& shape);
double ublock_extra_cycles(const KernelShape& shape, const KernelConstants& c);

}  // namespace ttsim::impl::streams
