// How long an op's kernel takes for one input on one core when inputs are always there and outputs always have room:
// the loop nest of micro-blocks, each timed by the scoreboard once per configuration and position.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "kernels/timing/scoreboard.hpp"

namespace ttsim::impl {

/// A share of the loop nest: so many micro-blocks of one kind.
struct KernelPart {
    MicroBlock block;
    double count = 0;  ///< per input
    ScoreboardResult time;
};

struct KernelTime {
    double cycles = 0;  ///< per input
    KernelLimit limit = KernelLimit::Unpack;
    double per_input = 0;  ///< fill, drain and reconfiguration, its share of one input
    std::vector<KernelPart> parts;
    /// Percent of the cycles in which FPU or SFPU are engaged, and in which the chip's performance counter counts.
    double engaged_percent() const;
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
    /// One micro-block; remembered.
    const ScoreboardResult& micro_block(const KernelShape& shape, MicroBlock block) const;
    /// One micro-block of element-wise sub-ops that pass it on in Dst; remembered.
    const ScoreboardResult& chain_block(const std::vector<KernelShape>& links) const;
    const StreamContext& context() const { return context_; }
    const KernelConstants& constants() const { return constants_; }

private:
    struct Memo;
    KernelConstants constants_;
    StreamContext context_;
    std::unique_ptr<Memo> memo_;
};

/// Whether there is a kernel model for its op.
bool has_kernel_model(const KernelShape& shape);

/// The shape with infinite bandwidth in and out: it asks no stream for tiles or room.
KernelShape unhindered(KernelShape shape);

/// The model of a chip, by name or path, with its own constants; built once for each chip file.
const KernelModel& kernel_model(const std::string& chip_name);

}  // namespace ttsim::impl
