// What the files of the original's performance tools are filled from: the ops of an epoch, their cores, some of their
// inputs, and what their pipes needed and could carry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/exports/source.hpp"
#include "analysis/trace/analysis.hpp"

namespace ttsim::impl::report {

inline double as_real(std::int64_t n) { return static_cast<double>(n); }

/// One input on one core; cycles from the start of the run.
struct InputMeasure {
    std::int64_t input = 0, start = 0, end = 0, first_unpack = 0, last_pack = 0;
    std::int64_t math = 0;       ///< cycles in which FPU or SFPU work
    std::int64_t for_tiles = 0;  ///< waited, between `start` and `end`
    std::int64_t for_room = 0;
    std::int64_t runtime() const { return last_pack - first_unpack; }
    /// Without what was waited before the first unpack; none where that cannot be told.
    std::optional<std::int64_t> for_tiles_later() const;
    std::optional<std::int64_t> for_room_later() const;
};

struct CoreMeasure {
    std::int64_t id = 0, n = 0;  ///< row of the trace; place in the op's grid, row-major
    int x = 0, y = 0;            ///< NoC 0
    std::int64_t inputs = 0, start = 0, end = 0, math = 0;
    std::vector<InputMeasure> recorded;  ///< first, middle, last input
    std::int64_t total_runtime() const { return recorded.back().last_pack - recorded.front().first_unpack; }
};

/// Bandwidths of the worst pipe of an operand or of the output.
struct PipeMeasure {
    int operand = -1;  ///< -1: output
    double bytes = 0;  ///< of an input, on one core
    std::string other;
    bool queue = false;                    ///< what `other` is
    std::optional<double> asked;           ///< bytes per cycle, to run at kernel speed; none: the kernel takes no time
    std::optional<double> got;             ///< bytes per cycle while it neither waited for its source nor for room
    bool resident = false;                 ///< once per execute; has no rate
    std::optional<double> factor() const;  ///< asked / got
};

struct OpMeasure {
    trace::OpUse use;
    const Op* op = nullptr;
    std::int64_t unpack = 0, math = 0, pack = 0;  ///< cycles of an input
    std::vector<CoreMeasure> cores;               ///< that ran, in grid order
    std::vector<PipeMeasure> operands;            ///< by operand
    std::vector<PipeMeasure> outputs;             ///< by reader and queue; the slowest first
    /// The core that took longest from first unpack to last pack; nullptr: none ran.
    const CoreMeasure* slowest_core() const;
    /// What keeps the op from kernel speed, if its bw_kernel exceeds that.
    const PipeMeasure* slowest_pipe() const;
};

struct EpochMeasure {
    trace::EpochUse use;
    std::optional<std::int64_t> same_as;
    std::vector<OpMeasure> ops;  ///< of all its graphs
};

/// Every epoch that has rows of its own.
std::vector<std::int64_t> own_epochs(trace::Reader& trace);
EpochMeasure measure(ExportSource& source, std::int64_t epoch);

/// Cycles between last packs of consecutive inputs on average; none with fewer than two inputs.
std::optional<double> cycles_per_input(const CoreMeasure& core);

}  // namespace ttsim::impl::report
