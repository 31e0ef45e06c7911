// Bit-true SFPU instructions, for one lane. Words are LReg contents: float32 bits or 32-bit integers.
#pragma once

#include <cstdint>
#include <span>

namespace ttsim::impl::exact::sfpu {

/// SFPMAD a * b + c. SFPMUL is mad(a, b, 0), SFPADD mad(1.0, a, c), SFPMULI mad(imm, a, 0), SFPADDI mad(1.0, imm, a);
/// immediates are BF16.
std::uint32_t mad(std::uint32_t a, std::uint32_t b, std::uint32_t c);

/// SFPLUT with the input's sign kept: `coefficients` are LReg0..2, slope << 8 | offset.
std::uint32_t lut8(std::uint32_t x, std::span<const std::uint32_t, 3> coefficients);
/// SFPLUTFP32 with six FP16 entries, slope * |x| + offset: LReg0..2 hold two slopes each, LReg4..6 two offsets each.
std::uint32_t lut16(std::uint32_t x, std::span<const std::uint32_t, 6> coefficients);

/// SFP_STOCH_RND without randomness, by instruction mode.
enum class Rounding : std::uint8_t { Bf16 = 1, UInt8 = 2, Int8 = 3, UInt16 = 6, Int16 = 7 };
std::uint32_t round_to(Rounding mode, std::uint32_t x);

/// SFPCAST of a sign-magnitude integer to float32.
std::uint32_t cast(std::uint32_t x);

// Fields and integers. `c` is the source register, `d` the destination before the instruction.
std::uint32_t exman(int mode, std::uint32_t c);
std::uint32_t exexp(int mode, std::uint32_t c);
std::uint32_t setexp(int mode, std::uint32_t immediate, std::uint32_t c, std::uint32_t d);
std::uint32_t setman(std::uint32_t c, std::uint32_t d);
std::uint32_t setsgn(int mode, std::uint32_t immediate, std::uint32_t c, std::uint32_t d);
std::uint32_t absolute(int mode, std::uint32_t c);
std::uint32_t leading_zeros(int mode, std::uint32_t c);
std::uint32_t mov(int mode, std::uint32_t c);
std::uint32_t divp2(int mode, std::uint32_t immediate, std::uint32_t c);
std::uint32_t iadd(int mode, std::uint32_t immediate, std::uint32_t c, std::uint32_t d);
std::uint32_t shift(int mode, std::uint32_t immediate, std::uint32_t c, std::uint32_t d);

/// Lane flag after SFPEXEXP or SFPIADD with this result: it was set before and the condition holds.
bool flag_after_exexp(int mode, std::uint32_t result);
bool flag_after_iadd(int mode, std::uint32_t result);

/// SFPSWAP: mode 0 exchanges, 1 leaves the smaller in the destination, 9 the larger (sign-magnitude total order).
struct Pair {
    std::uint32_t d, c;
};
Pair swap(int mode, std::uint32_t d, std::uint32_t c);

// SFPLOAD and SFPSTORE: Dst elements in natural order (UInt16: as stored).
enum class Access : std::uint8_t { Fp16, Bf16, Fp32, SignMagnitude, UInt16, Int32 };
std::uint32_t load(Access access, std::uint32_t dest);
std::uint32_t store(Access access, std::uint32_t lreg);

}  // namespace ttsim::impl::exact::sfpu
