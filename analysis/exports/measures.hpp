// Data for the files of the original's performance tools: ops of an epoch, their cores, some of their inputs, and
// needed and achieved bandwidths of their pipes.
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
    std::int64_t math = 0;       ///< cycles in which FPU or SFPU is busy
    std::int64_t for_tiles = 0;  ///< cycles waited for tiles between `start` and `end`
    std::int64_t for_room = 0;   ///< cycles waited for room in the output buffer
    std::int64_t runtime() const { return last_pack - first_unpack; }
    /// The waits after the first unpack; no value when the kinds of wait cannot be separated.
    std::optional<std::int64_t> for_tiles_later() const;
    std::optional<std::int64_t> for_room_later() const;
};

struct CoreMeasure {
    std::int64_t id = 0, n = 0;  ///< id: row in the trace; n: index in the op's grid, row-major
    int x = 0, y = 0;            ///< NoC 0 coordinates
    std::int64_t inputs = 0, start = 0, end = 0, math = 0;
    std::vector<InputMeasure> recorded;  ///< the first, middle and last input
    std::int64_t total_runtime() const { return recorded.back().last_pack - recorded.front().first_unpack; }
};

/// Bandwidths of the slowest pipe of an operand or of the output.
struct PipeMeasure {
    int operand = -1;  ///< -1: output
    double bytes = 0;  ///< bytes per input on one core
    std::string other;
    bool queue = false;           ///< whether `other` is a queue
    std::optional<double> asked;  ///< bytes per cycle needed for kernel speed; no value: the kernel takes no time
    std::optional<double> got;    ///< bytes per cycle while the pipe waits neither for its source nor for room
    bool resident = false;        ///< sent once per execute, without a rate
    std::optional<double> factor() const;  ///< asked / got
};

struct OpMeasure {
    trace::OpUse use;
    const Op* op = nullptr;
    std::int64_t unpack = 0, math = 0, pack = 0;  ///< cycles per input
    std::vector<CoreMeasure> cores;               ///< cores that ran, in grid order
    std::vector<PipeMeasure> operands;            ///< by operand
    std::vector<PipeMeasure> outputs;             ///< one per reader and queue, the slowest first
    /// The core with the longest time from first unpack to last pack; nullptr: none ran.
    const CoreMeasure* slowest_core() const;
    /// The pipe that limits the op when its bw_kernel exceeds kernel speed; else nullptr.
    const PipeMeasure* slowest_pipe() const;
};

struct EpochMeasure {
    trace::EpochUse use;
    std::optional<std::int64_t> same_as;
    std::vector<OpMeasure> ops;  ///< ops of all its graphs
};

/// Every epoch with its own rows (not a repetition).
std::vector<std::int64_t> own_epochs(trace::Reader& trace);
EpochMeasure measure(ExportSource& source, std::int64_t epoch);

/// Mean cycles between last packs of consecutive inputs; no value with fewer than two inputs.
std::optional<double> cycles_per_input(const CoreMeasure& core);

}  // namespace ttsim::impl::report
