// Simulates the three instruction streams of a kernel on the units of a Tensix core, micro-block by micro-block.
// An instruction waits for: its thread (one instruction per cycle, RISC-V work in between), its unit (issue rate; bytes
// over rate for unpackers and packers, which share the L1 ports), the Src bank it fills or reads (two per side), the
// semaphores between math and pack (two halves of Dst), and STALLWAIT.
#pragma once

#include <array>
#include <string_view>

#include "kernels/streams/stream.hpp"

namespace ttsim::impl {

/// Chip parameters of the scoreboard besides the instruction set.
struct ScoreboardTiming {
    double unpack_bytes = 64;   ///< per cycle, both unpackers together
    double pack_elements = 64;  ///< per cycle, all packers
    int src_banks = 2;
    int dst_halves = 2;
};

enum class KernelLimit : std::uint8_t { Unpack, Math, Pack, InputStream, OutputStream };
std::string_view to_string(KernelLimit limit);

/// Times in cycles.
struct ScoreboardResult {
    double fill = 0;                          ///< first instruction to the end of the first micro-block
    double lead = 0;                          ///< part of fill before the first tile is unpacked
    double steady = 0;                        ///< between the ends of later micro-blocks
    double drain = 0;                         ///< last unpack to last pack
    std::array<double, thread_count> busy{};  ///< per thread and micro-block, excluding waits for other threads
    double math_busy = 0;                     ///< per micro-block: cycles in which FPU or SFPU instructions issue
    double counted = 0;  ///< per micro-block: FPU and SFPU instructions in the chip's performance counter
    KernelLimit limit = KernelLimit::Unpack;  ///< the thread with the most work
};

/// Throws Error(Internal) if the streams deadlock.
ScoreboardResult run_scoreboard(const KernelStreams& streams, const InstructionSet& set, const ScoreboardTiming& timing,
                                int micro_blocks = 4);

}  // namespace ttsim::impl
