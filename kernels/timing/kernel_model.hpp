// Cycles of an op's kernel for one input on one core without stalls on input or output: the loop nest of micro-blocks,
// each timed by the scoreboard once per configuration and position.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "kernels/timing/scoreboard.hpp"

namespace ttsim::impl {

/// A part of the loop nest: a number of micro-blocks of one kind.
struct KernelPart {
    MicroBlock block;
    double count = 0;  ///< per input
    ScoreboardResult time;
};

struct KernelTime {
    double cycles = 0;  ///< per input
    KernelLimit limit = KernelLimit::Unpack;
    double per_input = 0;  ///< fill, drain and reconfiguration per input
    std::vector<KernelPart> parts;
    /// Percent of cycles in which FPU or SFPU are busy, and in which the chip's performance counter counts.
    double math_busy_percent() const;
    double counted_percent() const;
};

class KernelModel {
public:
    explicit KernelModel(const std::string& chip_name);
    KernelModel(const std::string& chip_name, const KernelConstants& constants);
    ~KernelModel();
    KernelModel(const KernelModel&) = delete;
    KernelModel& operator=(const KernelModel&) = delete;

    KernelTime time(const KernelShape& shape) const;
    /// Time of one micro-block; cached.
    const ScoreboardResult& micro_block(const KernelShape& shape, MicroBlock block) const;
    /// Time of one micro-block of element-wise sub-ops that pass results in Dst; cached.
    const ScoreboardResult& chained_block(const std::vector<KernelShape>& links) const;
    const StreamContext& context() const { return context_; }
    const KernelConstants& constants() const { return constants_; }

private:
    struct Memo;
    KernelConstants constants_;
    StreamContext context_;
    std::unique_ptr<Memo> memo_;
};

/// Whether the shape's op has a kernel model.
bool has_kernel_model(const KernelShape& shape);

/// The shape with infinite bandwidth in and out: no waits for tiles or space of streams.
KernelShape without_stream_waits(KernelShape shape);

/// The model of a chip, by name or path, with its constants; built once per chip file.
const KernelModel& kernel_model(const std::string& chip_name);

}  // namespace ttsim::impl
