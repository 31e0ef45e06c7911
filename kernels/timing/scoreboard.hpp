// Plays the three instruction streams of a kernel against the units of a Tensix core, micro-block after micro-block.
//
// What holds an instruction back: its thread (one instruction a clock, RISC-V work in between), its unit (issue rate;
// bytes over rate for unpackers and packers, which share the L1 ports), the Src bank it fills or reads (two a side),
// the semaphores between math and pack (two halves of Dst), and STALLWAIT.
#pragma once

#include <array>
#include <string_view>

#include "kernels/streams/stream.hpp"

namespace ttsim::impl {

/// What the scoreboard needs to know of a chip besides its instruction table.
struct ScoreboardTiming {
    double unpack_bytes = 64;   ///< per clock, both unpackers together
    double pack_elements = 64;  ///< per clock, all packers
    int src_banks = 2;
    int dst_halves = 2;
};

enum class KernelLimit : std::uint8_t { Unpack, Math, Pack, InputStream, OutputStream };
std::string_view to_string(KernelLimit limit);

/// In clocks.
struct ScoreboardResult {
    double fill = 0;                          ///< first instruction to the end of the first micro-block
    double lead = 0;                          ///< of it, before the first tile is unpacked
    double steady = 0;                        ///< between the ends of later micro-blocks
    double drain = 0;                         ///< last unpack to last pack
    std::array<double, thread_count> busy{};  ///< per thread and micro-block, without waits for the other threads
    double engaged = 0;                       ///< per micro-block: instructions of FPU and SFPU are in issue
    double counted = 0;                       ///< per micro-block: such instructions in the chip's performance counter
    KernelLimit limit = KernelLimit::Unpack;  ///< the thread with the most work
};

/// Throws Error(Internal) when the streams wait for each other for ever.
ScoreboardResult play(const KernelStreams& streams, const InstructionSet& set, const ScoreboardTiming& timing,
                      int micro_blocks = 4);

}  // namespace ttsim::impl
