#include "kernels/formats/round_bfp8.hpp"

#include "kernels/formats/block_group.hpp"
#include "kernels/instruction_set.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ttsim::impl {

#if defined(__x86_64__)

bool can_round_bfp8_fast() { return instruction_set() == HostInstructions::Avx512; }

namespace {

/// A group in one register; its largest magnitude stays in all lanes, so nothing leaves the vector registers.
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512i largest_of_group(__m512i magnitudes) {
    __m512i most = _mm512_max_epi32(magnitudes, _mm512_shuffle_i32x4(magnitudes, magnitudes, 0x4E));
    most = _mm512_max_epi32(most, _mm512_shuffle_i32x4(most, most, 0xB1));
    most = _mm512_max_epi32(most, _mm512_shuffle_epi32(most, _MM_PERM_BADC));
    return _mm512_max_epi32(most, _mm512_shuffle_epi32(most, _MM_PERM_CDAB));
}

/// Rounds the groups from column `c` to the first one whose shared exponent is at an end of the range, and returns its
/// column, or `cols`. Without a call in the loop the constants stay in registers.
[[gnu::target("avx512f")]] std::int64_t round_usual(float* row, std::int64_t c, std::int64_t cols) {
    const __m512i sign = _mm512_set1_epi32(static_cast<int>(sign_bit)),
                  magnitude = _mm512_set1_epi32(static_cast<int>(~sign_bit)),
                  infinity = _mm512_set1_epi32(static_cast<int>(infinity_bits)),
                  below_normal = _mm512_set1_epi32(static_cast<int>(least_normal_bits - 1)),
                  half = _mm512_set1_epi32(0x10000), kept = _mm512_set1_epi32(static_cast<int>(0xFFFE0000U)),
                  least_shared = _mm512_set1_epi32(8 << 23),
                  shared_range = _mm512_set1_epi32(static_cast<int>((largest_shared_of_sums - 8) << 23)),
                  to_bias = _mm512_set1_epi32(17 << 23), one_and_a_half = _mm512_set1_epi32(0x00400000),
                  to_unit = _mm512_set1_epi32(6 << 23);
    const __m512 past_ties = _mm512_set1_ps(1.0F + 0x1p-12F), most_units = _mm512_set1_ps(127.0F);
    for (; c < cols; c += group_size) {
        // round_b<half_of_6_bits>
        const __m512i bits = _mm512_loadu_si512(row + c);
        const __m512i before = _mm512_min_epi32(_mm512_and_si512(bits, magnitude), infinity);
        const __m512i rounded = _mm512_and_si512(_mm512_add_epi32(before, half), kept);
        const __mmask16 normal = _mm512_cmpgt_epi32_mask(before, below_normal);
        const __m512i magnitudes = _mm512_maskz_mov_epi32(normal, rounded);
        const __m512i prepared = _mm512_maskz_or_epi32(normal, rounded, _mm512_and_si512(bits, sign));
        const __m512i shared = _mm512_and_si512(largest_of_group(magnitudes), infinity);
        if (_mm512_cmpgt_epu32_mask(_mm512_sub_epi32(shared, least_shared), shared_range) != 0) [[unlikely]]
            return c;
        // round_to_units()
        const __m512 bias = _mm512_castsi512_ps(_mm512_or_si512(_mm512_add_epi32(shared, to_bias), one_and_a_half));
        const __m512 unit = _mm512_castsi512_ps(_mm512_sub_epi32(shared, to_unit));
        const __m512 largest = _mm512_mul_ps(unit, most_units);
        const __m512 sum = _mm512_add_ps(_mm512_mul_ps(_mm512_castsi512_ps(prepared), past_ties), bias);
        const __m512 below = _mm512_min_ps(_mm512_sub_ps(sum, bias), largest);
        const __m512 negative = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(largest), sign));
        _mm512_storeu_ps(row + c, _mm512_max_ps(below, negative));
    }
    return cols;
}

}  // namespace

void round_bfp8_fast(MatrixView m, void (*by_shifts)(float* group)) {
    if (m.stride == m.cols) m = {m.data, 1, m.rows * m.cols, m.rows * m.cols};
    for (std::int64_t r = 0; r < m.rows; ++r) {
        float* row = m.row(r);
        for (std::int64_t c = 0; (c = round_usual(row, c, m.cols)) < m.cols; c += group_size) by_shifts(row + c);
    }
}

#else

bool can_round_bfp8_fast() { return false; }
void round_bfp8_fast(MatrixView, void (*)(float*)) {}

#endif

}  // namespace ttsim::impl
