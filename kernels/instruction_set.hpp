// Selects the host's vector instruction set for hot loops, once per process at run time. Products are separate sources
// built once per set (gemm_kernel.hpp, exact/fpu_kernel.hpp, golden_eigen.hpp). Loops over elements run through
// with_vector_instructions().
#pragma once

#include <cstdint>

namespace ttsim::impl {

/// Each includes the previous ones.
enum class HostInstructions : std::uint8_t { Baseline, Avx2, Avx512 };

inline constexpr HostInstructions instruction_sets[] = {HostInstructions::Baseline, HostInstructions::Avx2,
                                                        HostInstructions::Avx512};

/// "baseline", "avx2" or "avx512".
const char* to_string(HostInstructions set);
/// Whether this processor supports the set.
bool supported(HostInstructions set);
/// The set in use: the largest supported one, unless a test selected another.
HostInstructions instruction_set();

/// Selects another set during its lifetime, for tests that compare bits. Not while other threads compute.
class UseInstructionSet {
public:
    explicit UseInstructionSet(HostInstructions set);
    ~UseInstructionSet();
    UseInstructionSet(const UseInstructionSet&) = delete;
    UseInstructionSet& operator=(const UseInstructionSet&) = delete;

private:
    HostInstructions previous_;
};

// `flatten` inlines all calls of f into the function with the target attribute. Code that cannot be inlined remains as
// it was built, so no shared inline function is compiled for a newer processor.
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

/// Calls f, a lambda with a loop, built for the set in use. All sets give the same bits, since nothing is contracted.
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
