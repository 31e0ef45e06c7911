#include "kernels/instruction_set.hpp"

#include <atomic>

#include "base/error.hpp"

namespace ttsim::impl {

namespace {

HostInstructions largest_supported() {
    if (supported(HostInstructions::Avx512)) return HostInstructions::Avx512;
    return supported(HostInstructions::Avx2) ? HostInstructions::Avx2 : HostInstructions::Baseline;
}

std::atomic<HostInstructions>& selected_set() {
    static std::atomic<HostInstructions> set{largest_supported()};
    return set;
}

}  // namespace

const char* to_string(HostInstructions set) {
    if (set == HostInstructions::Avx512) return "avx512";
    return set == HostInstructions::Avx2 ? "avx2" : "baseline";
}

bool supported(HostInstructions set) {
    if (set == HostInstructions::Baseline) return true;
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (set == HostInstructions::Avx2) return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

HostInstructions instruction_set() { return selected_set().load(std::memory_order_relaxed); }

UseInstructionSet::UseInstructionSet(HostInstructions set) : previous_(instruction_set()) {
    TT_CHECK(supported(set), "this processor has no {}", to_string(set));
    selected_set() = set;
}

UseInstructionSet::~UseInstructionSet() { selected_set() = previous_; }

}  // namespace ttsim::impl
