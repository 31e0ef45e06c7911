// Instruction streams of one micro-block: the instructions of the unpack, math and pack threads, with MOPs and replays
// expanded.
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

/// An instruction issued `repeat` times back to back, or RISC-V work of `risc` cycles that issues nothing.
struct StreamItem {
    std::uint32_t word = 0;
    std::uint32_t repeat = 1;
    double bytes = 0;       ///< UNPACR, PACR: bytes moved per instruction
    double risc = 0;        ///< > 0: no instruction
    const char* what = "";  ///< risc: name of the constant
    bool ahead = false;     ///< risc: overlaps with instructions issued before
};

struct KernelStreams {
    std::array<std::vector<StreamItem>, thread_count> threads;
    double counted = 0;  ///< FPU and SFPU instructions in the chip's performance counter
    std::vector<StreamItem>& of(KernelThread t) { return threads[static_cast<std::size_t>(t)]; }
    const std::vector<StreamItem>& of(KernelThread t) const { return threads[static_cast<std::size_t>(t)]; }
    std::int64_t instructions(KernelThread t) const;
    void append(const KernelStreams& next);
};

/// A micro-block of an op: its position among the k-blocks and, for sparse matmul, the tiles of the strip in it.
struct MicroBlock {
    BlockPosition position = BlockPosition::Only;
    std::int64_t strip_tiles = 0;
};

/// Chip parameters needed to build kernels.
struct StreamContext {
    const InstructionSet& set;
    const KernelConstants& constants;
    int fpu_rows;         ///< Dst rows per element-wise FPU instruction, ChipFeatures::fpu_rows
    int sfpu_iterations;  ///< per face: 4 with 64 lanes, 8 with 32
};
StreamContext stream_context(const std::string& chip_name);
StreamContext stream_context(const std::string& chip_name, const KernelConstants& constants);

KernelStreams build_streams(const KernelShape& shape, MicroBlock block, const StreamContext& context);

/// Assembly text, one line per item and thread.
std::string disassemble(const KernelStreams& streams, const InstructionSet& set);

}  // namespace ttsim::impl
