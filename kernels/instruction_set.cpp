#include "kernels/instruction_set.hpp"

#include <atomic>

#include "base/error.hpp"

namespace tt {

namespace {

InstructionSet largest() {
    if (supported(InstructionSet::Avx512)) return InstructionSet::Avx512;
    return supported(InstructionSet::Avx2) ? InstructionSet::Avx2 : InstructionSet::Baseline;
}

std::atomic<InstructionSet>& chosen() {
    static std::atomic<InstructionSet> set{largest()};
    return set;
}

}  // namespace

const char* to_string(InstructionSet set) {
    if (set == InstructionSet::Avx512) return "avx512";
    return set == InstructionSet::Avx2 ? "avx2" : "baseline";
}

bool supported(InstructionSet set) {
    if (set == InstructionSet::Baseline) return true;
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (set == InstructionSet::Avx2) return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

InstructionSet instruction_set() { return chosen().load(std::memory_order_relaxed); }

UseInstructionSet::UseInstructionSet(InstructionSet set) : before_(instruction_set()) {
    TT_CHECK(supported(set), "this processor has no {}", to_string(set));
    chosen() = set;
}

UseInstructionSet::~UseInstructionSet() { chosen() = before_; }

}  // namespace tt
