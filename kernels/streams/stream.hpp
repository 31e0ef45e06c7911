// The instruction streams of one micro-block: what the unpack, math and pack threads issue, MOPs and replays expanded.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/instruction.hpp"
#include "kernels/kernel_constants.hpp"
#include "kernels/kernel_shape.hpp"

namespace ttsim::impl {

enum class KernelThread : std::uint8_t { Unpack, Math, Pack };
inline constexpr std::size_t thread_count = 3;
std::string_view to_string(KernelThread thread);

/// One instruction, issued `repeat` times back to back; or RISC-V work that issues nothing for `risc` clocks.
struct StreamItem {
    std::uint32_t word = 0;
    std::uint32_t repeat = 1;
    double bytes = 0;       ///< UNPACR, PACR: moved by each
    double risc = 0;        ///< > 0: no instruction
    const char* what = "";  ///< risc: which constant
    bool ahead = false;     ///< risc: overlaps with instructions issued before
};

struct KernelStreams {
    std::array<std::vector<StreamItem>, thread_count> threads;
    double counted = 0;  ///< instructions of FPU and SFPU as the chip's performance counter shows them
    std::vector<StreamItem>& of(KernelThread t) { return threads[static_cast<std::size_t>(t)]; }
    const std::vector<StreamItem>& of(KernelThread t) const { return threads[static_cast<std::size_t>(t)]; }
    std::int64_t instructions(KernelThread t) const;
    void append(const KernelStreams& next);
};

/// Which micro-block of an op: its place among the k-blocks and, for sparse matmul, how many tiles of the strip meet
/// it.
struct MicroBlock {
    BlockPosition position = BlockPosition::Only;
    std::int64_t strip_tiles = 0;
};

/// What a chip's kernels are built from.
struct StreamContext {
    const InstructionSet& set;
    const KernelConstants& constants;
    int fpu_rows;         ///< Dst rows an element-wise FPU instruction handles: 4 on Grayskull, 8 on Wormhole
    int sfpu_iterations;  ///< per face: 4 with 64 lanes, 8 with 32
};
StreamContext stream_context(const std::string& chip_name);
StreamContext stream_context(const std::string& chip_name, const KernelConstants& constants);

KernelStreams build_streams(const KernelShape& shape, MicroBlock block, const StreamContext& context);

/// One line per item and thread, as an assembler prints it.
std::string disassemble(const KernelStreams& streams, const InstructionSet& set);

}  // namespace ttsim::impl
