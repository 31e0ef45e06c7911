#include "kernels/formats/round_bfp8.hpp"

#include "kernels/formats/block_group.hpp"
#include "kernels/instruction_set.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ttsim::impl {

#if defined(__x86_64__)

bool can_round_bfp8_fast() { return instruction_set() != HostInstructions::Baseline; }

namespace {

/// A group in one register; its largest magnitude stays in all lanes, so nothing leaves the vector registers.
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512i largest_of_group(__m512i magnitudes) {
    __m512i most = _mm512_max_epi32(magnitudes, _mm512_shuffle_i32x4(magnitudes, magnitudes, 0x4E));
    most = _mm512_max_epi32(most, _mm512_shuffle_i32x4(most, most, 0xB1));
    most = _mm512_max_epi32(most, _mm512_shuffle_epi32(most, _MM_PERM_BADC));
    return _mm512_max_epi32(most, _mm512_shuffle_epi32(most, _MM_PERM_CDAB));
}

// round_usual_*() round the groups from column `c` to the first one whose shared exponent is at an end of the range,
// and return its column, or `cols`. Without a call in the loop the constants stay in registers.

[[gnu::target("avx512f")]] std::int64_t round_usual_avx512(float* row, std::int64_t c, std::int64_t cols) {
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

/// Half a group.
struct HalfGroup {
    __m256i prepared, magnitudes;
};

/// round_b<half_of_6_bits>
[[gnu::target("avx2"), gnu::always_inline]] inline HalfGroup prepare(const float* from) {
    const __m256i sign = _mm256_set1_epi32(static_cast<int>(sign_bit)),
                  infinity = _mm256_set1_epi32(static_cast<int>(infinity_bits)),
                  below_normal = _mm256_set1_epi32(static_cast<int>(least_normal_bits - 1)),
                  half = _mm256_set1_epi32(0x10000), kept = _mm256_set1_epi32(static_cast<int>(0xFFFE0000U));
    const __m256i bits = _mm256_castps_si256(_mm256_loadu_ps(from));
    const __m256i before = _mm256_min_epi32(_mm256_andnot_si256(sign, bits), infinity);
    const __m256i normal = _mm256_and_si256(_mm256_cmpgt_epi32(before, below_normal), kept);
    const __m256i magnitudes = _mm256_and_si256(_mm256_add_epi32(before, half), normal);
    // the sign of a number without magnitude vanishes too
    return {_mm256_or_si256(magnitudes, _mm256_and_si256(_mm256_and_si256(bits, sign), normal)), magnitudes};
}

/// In all lanes.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i largest_of_group(__m256i left, __m256i right) {
    __m256i most = _mm256_max_epi32(left, right);
    most = _mm256_max_epi32(most, _mm256_permute2x128_si256(most, most, 1));
    most = _mm256_max_epi32(most, _mm256_shuffle_epi32(most, 0x4E));
    return _mm256_max_epi32(most, _mm256_shuffle_epi32(most, 0xB1));
}

/// round_to_units()
[[gnu::target("avx2"), gnu::always_inline]] inline void round_half(__m256i prepared, __m256 bias, __m256 largest,
                                                                   float* to) {
    const __m256 past_ties = _mm256_set1_ps(1.0F + 0x1p-12F), sign = _mm256_set1_ps(-0.0F);
    const __m256 sum = _mm256_add_ps(_mm256_mul_ps(_mm256_castsi256_ps(prepared), past_ties), bias);
    const __m256 below = _mm256_min_ps(_mm256_sub_ps(sum, bias), largest);
    _mm256_storeu_ps(to, _mm256_max_ps(below, _mm256_xor_ps(largest, sign)));
}

[[gnu::target("avx2")]] std::int64_t round_usual_avx2(float* row, std::int64_t c, std::int64_t cols) {
    const __m256i infinity = _mm256_set1_epi32(static_cast<int>(infinity_bits)),
                  least_shared = _mm256_set1_epi32(8 << 23),
                  shared_range = _mm256_set1_epi32(static_cast<int>((largest_shared_of_sums - 8) << 23)),
                  to_bias = _mm256_set1_epi32(17 << 23), one_and_a_half = _mm256_set1_epi32(0x00400000),
                  to_unit = _mm256_set1_epi32(6 << 23);
    const __m256 most_units = _mm256_set1_ps(127.0F);
    for (; c < cols; c += group_size) {
        const HalfGroup left = prepare(row + c), right = prepare(row + c + group_size / 2);
        const __m256i shared = _mm256_and_si256(largest_of_group(left.magnitudes, right.magnitudes), infinity);
        const __m256i above_least = _mm256_sub_epi32(shared, least_shared);  // below 0: too small
        const __m256i outside = _mm256_or_si256(above_least, _mm256_sub_epi32(shared_range, above_least));
        if (_mm256_movemask_ps(_mm256_castsi256_ps(outside)) != 0) [[unlikely]]
            return c;
        const __m256 bias = _mm256_castsi256_ps(_mm256_or_si256(_mm256_add_epi32(shared, to_bias), one_and_a_half));
        const __m256 unit = _mm256_castsi256_ps(_mm256_sub_epi32(shared, to_unit));
        const __m256 largest = _mm256_mul_ps(unit, most_units);
        round_half(left.prepared, bias, largest, row + c);
        round_half(right.prepared, bias, largest, row + c + group_size / 2);
    }
    return cols;
}

}  // namespace

void round_bfp8_fast(MatrixView m, void (*by_shifts)(float* group)) {
    if (m.stride == m.cols) m = {m.data, 1, m.rows * m.cols, m.rows * m.cols};
    const auto round_usual = instruction_set() == HostInstructions::Avx512 ? round_usual_avx512 : round_usual_avx2;
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
