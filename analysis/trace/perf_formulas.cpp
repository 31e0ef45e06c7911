#include "analysis/trace/perf_formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ttsim::impl::trace {

namespace {
const PipeRate* slowest(const std::vector<PipeRate>& pipes) {
    const auto less = [](const PipeRate& a, const PipeRate& b) { return a.slowdown() < b.slowdown(); };
    const auto most = std::max_element(pipes.begin(), pipes.end(), less);
    return most != pipes.end() && most->slowdown() > 1 ? &*most : nullptr;
}
}  // namespace

std::string slowest_pipe(const std::vector<PipeRate>& pipes) {
    const PipeRate* const pipe = slowest(pipes);
    return pipe ? pipe->name : "";
}

double bandwidth_bound(double kernel_cycles, const std::vector<PipeRate>& pipes) {
    const PipeRate* const pipe = slowest(pipes);
    return pipe ? kernel_cycles * pipe->slowdown() : kernel_cycles;
}

double epoch_utilization(const std::vector<OpShare>& ops, double cycles, double all_cores) {
    double sum = 0;
    for (const OpShare& op : ops) sum += op.cores * op.utilization * op.cycles;
    return cycles > 0 && all_cores > 0 ? sum / cycles / all_cores : 0;
}

StageUse in_sequence(const std::vector<StageUse>& stages) {
    StageUse all;
    for (const StageUse& stage : stages) {
        all.cycles += stage.cycles;
        all.utilization += stage.utilization * stage.cycles;
    }
    all.utilization = all.cycles > 0 ? all.utilization / all.cycles : 0;
    return all;
}

std::string speed_text(double speed) {
    return speed > 0 && speed < 1 ? fmt::format("{:.2f}", speed) : fmt::format("{:.0f}", std::floor(speed));
}

double estimate_error(const std::vector<Estimate>& estimates) {
    double off = 0, all = 0;
    for (const Estimate& one : estimates) {
        off += std::abs(one.estimated - one.found);
        all += one.found;
    }
    return all > 0 ? off / all : 0;
}

}  // namespace ttsim::impl::trace
