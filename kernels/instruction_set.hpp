// Which of the processor's instructions the hot loops use: one choice for the whole process, made once at run time.
// Products are built from sources of their own, once per set (gemm_kernel.hpp, exact/fpu_kernel.hpp, golden_eigen.hpp);
// loops over elements run through with_vector_instructions().
#pragma once

#include <cstdint>

namespace ttsim::impl {

/// Each holds the ones before it.
enum class HostInstructions : std::uint8_t { Baseline, Avx2, Avx512 };

inline constexpr HostInstructions instruction_sets[] = {HostInstructions::Baseline, HostInstructions::Avx2,
                                                        HostInstructions::Avx512};

/// "baseline", "avx2" or "avx512".
const char* to_string(HostInstructions set);
/// Whether this processor has it.
bool supported(HostInstructions set);
/// The one in use: the largest that is supported, unless a test chose another.
HostInstructions instruction_set();

/// Uses another set as long as it lives, to compare their bits. Not while other threads compute.
class UseInstructionSet {
public:
    explicit UseInstructionSet(HostInstructions set);
    ~UseInstructionSet();
    UseInstructionSet(const UseInstructionSet&) = delete;
    UseInstructionSet& operator=(const UseInstructionSet&) = delete;

private:
    HostInstructions before_;
};

// `flatten` puts all that f calls into the function with the target attribute. What cannot be inlined stays as it was
// built, so no inline function shared with other sources is ever compiled for a newer machine.
#if defined(__x86_64__)
template <class F>
[[gnu::target("avx2,fma"), gnu::flatten, gnu::noinline]] void with_avx2(const F& f) {
    f();
}
template <class F>
[[gnu::target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,prefer-vector-width=512"), gnu::flatten, gnu::noinline]] void
with_avx512(const F& f) {
    f();
}
#endif

/// Calls f, a lambda around a loop, built for the set in use. Its bits are the same with all: nothing is contracted.
template <class F>
void with_vector_instructions(const F& f) {
#if defined(__x86_64__)
    switch (instruction_set()) {
        case HostInstructions::Avx512:
            return with_avx512(f);
        case HostInstructions::Avx2:
            return with_avx2(f);
        case HostInstructions::Baseline:
            break;
    }
#endif
    f();
}

}  // namespace ttsim::impl
