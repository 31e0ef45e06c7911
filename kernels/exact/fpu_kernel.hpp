// Arithmetic of the FPU, compiled once per instruction set by fpu_{baseline,avx2,avx512}.cpp. Rules and names:
// kernels/exact/fpu.hpp. All builds give the same bits: what floats compute here is exact or rounds once.
// No inline code may be shared with other sources, since the linker could use the copy built for a newer processor.
// Hence plain pointers, an unnamed namespace and no standard headers with code.
#pragma once

#include <cstdint>

namespace ttsim::impl::exact::detail {

/// Format of Dst, the largest exponent fields that count as zero in the sources and in Dst (float32 fields), and the
/// exponent of a product with a zero operand before the phase's offset. minus_unit: -1 on chips where a sum of -1 unit
/// of a 32-bit Dst comes out 2^27 times too large, else 0.
struct Rules {
    enum class Dest : std::uint8_t { Bf16, Fp16, Fp32 } dest;
    int source_base;
    int dest_base;
    int zero_exponent;
    int minus_unit;
};

struct MatmulCall {
    Rules rules;
    const int* phases;
    int phase_count;
    bool skip_zeros;      ///< Dst holds only FPU results: zero rows of in0 change nothing
    std::int64_t k_tile;  ///< inner length of one tile
    const float* in0;
    std::int64_t ld0;
    const float* in1;
    std::int64_t ld1;
    float* dest;
    std::int64_t ldd;
    std::int64_t m, n, k;
};

/// An element-wise operation on `n` elements; `phases` for products only.
struct ElementwiseCall {
    enum class Kind : std::uint8_t { Add, Subtract, Multiply } kind;
    Rules rules;
    const int* phases;
    int phase_count;
    bool accumulate;
    const float* a;
    const float* b;
    float* dest;
    std::int64_t n;
};

struct Backend {
    void (*matmul)(const MatmulCall& call);
    void (*elementwise)(const ElementwiseCall& call);
};
extern const Backend baseline;
extern const Backend avx2;
extern const Backend avx512;

}  // namespace ttsim::impl::exact::detail

#ifdef TT_EXACT_BYTES  // size of a vector register; set by the three sources, with TT_EXACT_LANE

#if TT_EXACT_BYTES > 16
#include <immintrin.h>
#endif

// NOLINTBEGIN(misc-definitions-in-headers): each of the three sources is meant to have its own copy
namespace ttsim::impl::exact::detail {
namespace {

/// Products of a group fit into 16 bits: 8 * 31 * 127 < 2^15. Without vector shifts of 16-bit lanes, 32-bit lanes are
/// used.
using Lane = TT_EXACT_LANE;
constexpr int bytes = TT_EXACT_BYTES;
constexpr int lanes = bytes / int{sizeof(Lane)};  // of group sums
constexpr int words = bytes / 4;                  // of Dst
constexpr int shorts = bytes / 2;                 // of exponents
constexpr int panel = 32;                         // columns of Dst processed together
constexpr int most_rows = 128;                    // of Dst processed together: they take 70 KB
constexpr int group = 8;                          // products summed before they are added to Dst
constexpr int issue = 2 * group;                  // inner length of one instruction
constexpr int max_tile = 32;
constexpr int max_phases = 4;
static_assert(max_tile == panel);

using LaneVector [[gnu::vector_size(bytes), gnu::aligned(2), gnu::may_alias]] = Lane;
using Word [[gnu::vector_size(bytes), gnu::aligned(4), gnu::may_alias]] = std::int32_t;
using Unsigned [[gnu::vector_size(bytes), gnu::aligned(4), gnu::may_alias]] = std::uint32_t;
using FloatVector [[gnu::vector_size(bytes), gnu::aligned(4), gnu::may_alias]] = float;
using Narrow [[gnu::vector_size(words * sizeof(Lane)), gnu::aligned(2), gnu::may_alias]] = Lane;
/// Exponents, which have 16 bits on all processors.
using Short = std::int16_t;
using ShortVector [[gnu::vector_size(bytes), gnu::aligned(2), gnu::may_alias]] = Short;
using NarrowShort [[gnu::vector_size(words * sizeof(Short)), gnu::aligned(2), gnu::may_alias]] = Short;

/// Exponent of a zero operand: below all others; the sum of two still fits 16 bits.
constexpr Short no_exponent = -4096;

template <class V>
V larger(V a, V b) {
    return a > b ? a : b;
}
template <class V>
V smaller(V a, V b) {
    return a < b ? a : b;
}
/// -x if s is all ones, x if s is 0.
template <class V>
V with_sign(V x, V s) {
    return (x ^ s) - s;
}
/// x >> distance and x << distance for any distance from 0 on. The processor's shifts by vectors do not wrap around.
#if TT_EXACT_BYTES == 64
Word shifted_right(Word x, Word distance) {
    return reinterpret_cast<Word>(_mm512_srav_epi32(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(distance)));
}
Word shifted_left(Word x, Word distance) {
    return reinterpret_cast<Word>(_mm512_sllv_epi32(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(distance)));
}
#elif TT_EXACT_BYTES == 32
Word shifted_right(Word x, Word distance) {
    return reinterpret_cast<Word>(_mm256_srav_epi32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(distance)));
}
Word shifted_left(Word x, Word distance) {
    return reinterpret_cast<Word>(_mm256_sllv_epi32(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(distance)));
}
#else
Word shifted_right(Word x, Word distance) { return x >> smaller(distance, Word{} + 31); }
Word shifted_left(Word x, Word distance) { return x << smaller(distance, Word{} + 31); }
#endif
/// x / 2^distance rounded to nearest, ties towards +infinity (half up for magnitudes).
Word round_shift(Word x, Word distance) { return (shifted_right(x + x, distance) + 1) >> 1; }

/// x >> distance for 0 <= x < 2^13 and a distance below 16.
LaneVector lane_shifted_right(LaneVector x, LaneVector distance) {
#ifdef TT_EXACT_FLOAT_SHIFTS  // without vector shifts: scale by a power of two and truncate, which is exact
    const Word scale = (127 - distance) << 23;
    const FloatVector scaled = __builtin_convertvector(x, FloatVector) * reinterpret_cast<const FloatVector&>(scale);
    return __builtin_convertvector(scaled, Word);
#else
    return x >> distance;
#endif
}

/// Position of the highest bit of a positive x; -127 for 0.
Word top_bit(Word x) {
    const Word leading = x & ~(x >> 1);  // clears the bit below the top bit, so that the conversion cannot round up
    const FloatVector f = __builtin_convertvector(leading, FloatVector);
    return (reinterpret_cast<const Word&>(f) >> 23) - 127;
}

/// The exponent field of zero in Dst.
template <Rules::Dest D>
constexpr int smallest_exponent = D == Rules::Dest::Fp16 ? 112 : 0;

/// Adds two terms of t * 2^13 * 2^(e - 150) to a Dst of 32 bits, which is held as float32 bits.
[[gnu::always_inline]] inline Word accumulate_wide(Word dest, Word t1, Word e1, Word t2, Word e2, const Rules& rules) {
    const Word dest_sign = dest >> 31;
    const Word dest_exponent = (dest >> 23) & 255;
    const Word significand_bits = dest_exponent == 0 ? Word{} : (dest & 0x007FFFFF) | 0x00800000;
    const Word common = larger(larger(e1, e2), dest_exponent);
    const Word sum = round_shift(t1 << 13, common - e1) + round_shift(t2 << 13, common - e2) +
                     with_sign(round_shift(significand_bits, common - dest_exponent), dest_sign);
    const Word sign = sum >> 31;
    const Word size = with_sign(sum, sign);
    const Word top = top_bit(size);
    const Word aligned = shifted_left(size, 30 - top);
    const Word significand = ((aligned >> 6) + 1) >> 1;
    const Word carry = significand >> 24;
    const Word quirk = (sum == -1) & rules.minus_unit;
    const Word exponent = quirk ? common + 4 : common + top - 23 + carry;
    const Word mantissa = quirk ? Word{} : significand & 0x007FFFFF;
    const Word sign_bit = sign & static_cast<std::int32_t>(0x80000000U);
    const Word normal = (exponent >= 255 ? Word{} + 0x7F800000 : (exponent << 23) | mantissa) | sign_bit;
    const Word is_zero = (size == 0) | (common <= 0) | (exponent <= 0);
    return is_zero ? Word{} : normal;
}

/// round_shift(x << 13, distance), then the same to units of 2^13: floor(floor(y / 2^distance + 1/2) / 2^13 + 1/2) for
/// y = x << 13, in one step. `quadrupled`: x << 14.
Word round_to_unit(Word quadrupled, Word distance) { return (shifted_right(quadrupled, distance) + 8193) >> 14; }

/// The same for a Dst of 16 bits. Terms are rounded to units of 2^13 twice. Their sum has fewer than 24 bits, so a
/// conversion to float normalizes it exactly.
template <Rules::Dest D>
[[gnu::always_inline]] inline Word accumulate_narrow(Word dest, Word t1, Word e1, Word t2, Word e2) {
    constexpr bool is_fp16 = D == Rules::Dest::Fp16;
    constexpr int base = smallest_exponent<D>;
    constexpr int overflow_exponent = is_fp16 ? 144 : 255;
    constexpr int largest = is_fp16 ? 0x47FFE000 : 0x7F800000;
    constexpr int dropped_bits = is_fp16 ? 13 : 16;
    const Word dest_sign = dest >> 31;
    const Word dest_exponent = larger((dest >> 23) & 255, Word{} + base);
    const Word doubled = dest_exponent == base ? Word{} : ((dest << 1) & 0x00FFFFFF) | 0x01000000;
    const Word common = larger(larger(e1, e2), dest_exponent);
    const Word sum = round_to_unit(t1 << 14, common - e1) + round_to_unit(t2 << 14, common - e2) +
                     with_sign(round_to_unit(doubled, common - dest_exponent), dest_sign);
    const FloatVector normalized = __builtin_convertvector(sum, FloatVector);
    const Word rounded = (reinterpret_cast<const Word&>(normalized) + (1 << (dropped_bits - 1))) & -(1 << dropped_bits);
    const Word raised = common - (127 + 10);  // units of 2^(13 - 150)
    const Word exponent = ((rounded >> 23) & 255) + raised;
    const Word overflow = (rounded & static_cast<std::int32_t>(0x80000000U)) | largest;
    const Unsigned bits =
        reinterpret_cast<const Unsigned&>(rounded) + (reinterpret_cast<const Unsigned&>(raised) << 23);
    const Word normal = exponent >= overflow_exponent ? overflow : reinterpret_cast<const Word&>(bits);
    const Word smallest = rounded == 0 ? Word{} : smaller(common, exponent);
    return smallest <= base ? Word{} : normal;
}

template <Rules::Dest D>
[[gnu::always_inline]] inline Word accumulate(Word dest, Word t1, Word e1, Word t2, Word e2, const Rules& rules) {
    if constexpr (D == Rules::Dest::Fp32)
        return accumulate_wide(dest, t1, e1, t2, e2, rules);
    else
        return accumulate_narrow<D>(dest, t1, e1, t2, e2);
}

template <class V>
V load(const void* from) {
    return *static_cast<const V*>(from);
}
template <class V>
void store(void* to, V value) {
    *static_cast<V*>(to) = value;
}
Word wide(const Short* from) {
#if TT_EXACT_BYTES == 64  // GCC 12 converts in two halves
    return reinterpret_cast<Word>(_mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#elif TT_EXACT_BYTES == 32
    return reinterpret_cast<Word>(_mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#else
    return __builtin_convertvector(load<NarrowShort>(from), Word);
#endif
}
[[maybe_unused]] Word wide(const std::int32_t* from) { return load<Word>(from); }
/// A register of lanes, from exponents.
template <class V>
V lanes_of(const Short* from) {
    if constexpr (sizeof(V{}[0]) == sizeof(Short))
        return load<V>(from);
    else
        return wide(from);
}

// --- products of 16 inner indices -----------------------------------------------------------------------------------

// A group of 8 products is aligned to its largest exponent, and each product rounded, ties away from zero. The fast way
// uses the rounding of float additions: with sum = 1.5 * 2^23 units, sum + product is rounded to whole units, to
// nearest even. One factor is larger by 2^-13, which decides ties away from zero: products have 12 bits, so this adds
// less than half of their last bit. The sum of the group stays within 2^15 units, so that a unit is the last bit of all
// partial sums. It needs exponents whose products are normal floats; other operands take the way of integers.

/// Exponent fields of operands of the fast way.
constexpr int smallest_fast = 72;
constexpr int largest_fast = 183;
/// Added to the largest sum of two exponent fields, it gives the exponent field of 1.5 * 2^23 units: factors are
/// integers times 2^(field - 131) and 2^(field - 133).
constexpr int magic_exponent = 127 + 23 - 131 - 133;
constexpr float tie_breaker = 1.0F + 0x1p-13F;

/// SrcA operand of one tile: exponents, and signed factors of the high and low phases.
struct Port {
    alignas(bytes) Short exponent[max_tile][panel];
    alignas(bytes) std::int32_t bits[max_tile][panel];  ///< float32
    alignas(bytes) float fast_factor[2][max_tile][panel];
    alignas(bytes) Lane factor[2][max_tile][panel];  ///< doubled, see round_shift
    bool is_fast, has_factors;
};
/// The same for a row of in0 (SrcB).
struct Row {
    alignas(bytes) std::int32_t exponent[max_tile];  ///< each twice, since processors repeat 32 bits fastest
    alignas(bytes) std::int32_t bits[max_tile];
    alignas(bytes) float fast_factor[2][max_tile];
    bool is_fast;
    bool empty[max_tile / issue];
};
/// Its signed factors for the way of integers.
struct RowFactors {
    alignas(bytes) Lane at[2][max_tile];
};

/// The factors of SrcA and SrcB in the high and low phases, without sign.
template <class V>
V significand(V bits) {
    return ((bits >> 13) & 0x3FF) | 0x400;
}
template <class V>
V factor_a(V bits, int low) {
    return low != 0 ? (significand(bits) >> 1) & 31 : significand(bits) >> 6;
}
template <class V>
V factor_b(V bits, int low) {
    return low != 0 ? (significand(bits) & 15) << 3 : significand(bits) >> 4;
}

/// What both ways need of a register of float32 bits.
struct Fields {
    Word bits, exponent, is_zero;
};
Fields fields(const std::int32_t* from, int base) {
    const Word bits = load<Word>(from);
    const Word exponent = (bits >> 23) & 255;
    return {bits, exponent, exponent <= base};
}
/// factor * 2^(exponent - down), with the sign.
FloatVector fast_factor(Word factor, const Fields& x, int down) {
    const Word scale = ((x.exponent + (127 - down)) << 23) | (x.bits & static_cast<std::int32_t>(0x80000000U));
    const FloatVector value =
        __builtin_convertvector(factor, FloatVector) * reinterpret_cast<const FloatVector&>(scale);
    return x.is_zero ? FloatVector{} : value;
}
/// All ones in lanes that the fast way must not take.
Word not_fast(const Fields& x) { return ~x.is_zero & ((x.exponent < smallest_fast) | (x.exponent > largest_fast)); }
bool any(Word mask) {
#if TT_EXACT_BYTES == 64
    return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#endif
    std::int32_t each[words];
    store(each, mask);
    std::int32_t all = 0;
    for (const std::int32_t lane : each) all |= lane;
    return all != 0;
}
Narrow signed_factor(Word factor, const Fields& x) {
    return __builtin_convertvector(x.is_zero ? Word{} : with_sign(factor, x.bits >> 31), Narrow);
}

/// Copies elements of a row. A full panel has a constant size, which avoids a call.
void copy(void* to, const void* from, int count) {
    if (count == panel)
        __builtin_memcpy(to, from, panel * sizeof(float));
    else
        __builtin_memcpy(to, from, static_cast<unsigned>(count) * sizeof(float));
}

/// `rows` rows of `columns` elements of in1 (SrcA), the rest of the tile zero. `parts`: 1 without factors of low
/// phases.
void load_port(const float* from, std::int64_t stride, int rows, int columns, int base, int parts, Port& port) {
    Word slow{};
    for (int k = 0; k < max_tile; ++k) {
        std::int32_t* const bits = port.bits[k];
        if (k >= rows || columns < panel) __builtin_memset(bits, 0, sizeof(port.bits[k]));
        if (k < rows) copy(bits, from + k * stride, columns);
        for (int i = 0; i < panel; i += words) {
            const Fields x = fields(bits + i, base);
            store(port.exponent[k] + i,
                  __builtin_convertvector(x.is_zero ? Word{} + no_exponent : x.exponent, NarrowShort));
            for (int low = 0; low < parts; ++low)
                store(port.fast_factor[low][k] + i, fast_factor(factor_a(x.bits, low), x, 131));
            slow |= not_fast(x);
        }
    }
    port.is_fast = !any(slow);
    port.has_factors = false;
}

/// Integers for the way of integers.
void add_factors(Port& port, int base) {
    for (int k = 0; k < max_tile; ++k)
        for (int i = 0; i < panel; i += words) {
            const Fields x = fields(port.bits[k] + i, base);
            for (int low = 0; low < 2; ++low)
                store(port.factor[low][k] + i, signed_factor(factor_a(x.bits, low) * 2, x));
        }
    port.has_factors = true;
}

/// `count` elements of a row of in0 (SrcB), the rest of the tile zero.
void load_row(const float* from, int count, int base, int parts, Row& row) {
    if (count < max_tile) __builtin_memset(row.bits, 0, sizeof(row.bits));
    copy(row.bits, from, count);
    Word slow{}, filled[max_tile / issue] = {};
    for (int i = 0; i < max_tile; i += words) {
        const Fields x = fields(row.bits + i, base);
        const Word exponent = x.is_zero ? Word{} + no_exponent : x.exponent;
        store(row.exponent + i, (exponent & 0xFFFF) | (exponent << 16));
        for (int low = 0; low < parts; ++low)
            store(row.fast_factor[low] + i, fast_factor(factor_b(x.bits, low), x, 133) * tie_breaker);
        slow |= not_fast(x);
        filled[i / issue] |= ~x.is_zero;
    }
    row.is_fast = !any(slow);
    for (int half = 0; half < max_tile / issue; ++half) row.empty[half] = !any(filled[half]);
}

RowFactors row_factors(const Row& row, int base) {
    RowFactors out;
    for (int i = 0; i < max_tile; i += words) {
        const Fields x = fields(row.bits + i, base);
        for (int low = 0; low < 2; ++low) store(out.at[low] + i, signed_factor(factor_b(x.bits, low), x));
    }
    return out;
}

struct Phase {
    int high_or_low_a, high_or_low_b;
    int offset;         ///< offset of the product exponent, including the float32 bias
    int zero_exponent;  ///< initial value of the group maximum
};

Phase make_phase(int phase, const Rules& rules) {
    const int shift = ((phase & 1) != 0 ? 5 : 0) + ((phase & 2) != 0 ? 7 : 0);
    const int zero = rules.zero_exponent - (rules.zero_exponent > rules.dest_base ? shift : 0);
    return {phase & 1, phase >> 1, -127 - shift, zero};
}

struct Phases {
    Phase at[max_phases];
    int count;
    int parts;  ///< of factors that they use: 1 without low phases
};
Phases make_phases(const MatmulCall& call) {
    Phases out{};
    out.count = call.phase_count;
    out.parts = 1;
    for (int p = 0; p < out.count; ++p) {
        out.at[p] = make_phase(call.phases[p], call.rules);
        if (call.phases[p] != 0) out.parts = 2;
    }
    return out;
}

/// A register of an exponent that a row holds twice.
ShortVector repeated(std::int32_t twice) {
    const Word filled = Word{} + twice;
    return reinterpret_cast<const ShortVector&>(filled);
}

/// Operands of a group of products on one row of a panel.
struct Group {
    const Short (*exponent_a)[panel];
    const std::int32_t* exponent_b;
    const float (*fast_a)[panel];
    const float* fast_b;
    const Lane (*factor_a)[panel];
    const Lane* factor_b;
};
/// `factors` of b: null for the fast way.
Group make_group(const Port& a, const Row& b, const RowFactors* factors, int k, const Phase& phase) {
    return {a.exponent + k,
            b.exponent + k,
            a.fast_factor[phase.high_or_low_a] + k,
            b.fast_factor[phase.high_or_low_b] + k,
            a.factor[phase.high_or_low_a] + k,
            factors != nullptr ? factors->at[phase.high_or_low_b] + k : nullptr};
}

/// For all columns: the largest exponents of the products, at least that of zero products, without the phase's offset.
[[gnu::always_inline]] inline void largest_exponents(const Group& x, const Phase& phase, Short* out) {
    constexpr int count = panel / shorts;
    ShortVector largest[count];
    for (ShortVector& one : largest) one = ShortVector{} + static_cast<Short>(phase.zero_exponent - phase.offset);
    for (int i = 0; i < group; ++i) {
        const ShortVector exponent_b = repeated(x.exponent_b[i]);
        for (int v = 0; v < count; ++v)
            largest[v] = larger(largest[v], load<ShortVector>(x.exponent_a[i] + v * shorts) + exponent_b);
    }
    for (int v = 0; v < count; ++v) store(out + v * shorts, largest[v]);
}

/// Sums of a group for all columns, in units of their exponents.
struct Sums {
    alignas(bytes) Short exponent[panel];
    alignas(bytes) std::int32_t sum[panel];
};

/// From the largest exponents to those of the units in Dst, of at least zero's.
template <Rules::Dest D>
[[gnu::always_inline]] inline void add_offset(const Phase& phase, Short* exponents) {
    const ShortVector zero = ShortVector{} + static_cast<Short>(smallest_exponent<D>);
    for (int c = 0; c < panel; c += shorts)
        store(exponents + c, larger(load<ShortVector>(exponents + c) + static_cast<Short>(phase.offset), zero));
}

/// The fast way. Columns side by side share the copies of a row's factor.
template <Rules::Dest D>
[[gnu::always_inline]] inline void fast_sums(const Group& x, const Phase& phase, Sums& out) {
    largest_exponents(x, phase, out.exponent);
    add_offset<D>(phase, out.exponent);
    constexpr int count = panel / words;
    Word zero[count];
    FloatVector sum[count];
    for (int v = 0; v < count; ++v) {
        zero[v] = ((wide(out.exponent + v * words) + (magic_exponent - phase.offset)) << 23) | 0x00400000;
        sum[v] = reinterpret_cast<const FloatVector&>(zero[v]);
    }
    for (int i = 0; i < group; ++i) {
        const FloatVector factor_b = x.fast_b[i] - FloatVector{};  // adding 0 would take an instruction
        for (int v = 0; v < count; ++v) sum[v] += load<FloatVector>(x.fast_a[i] + v * words) * factor_b;
    }
    for (int v = 0; v < count; ++v) store(out.sum + v * words, reinterpret_cast<const Word&>(sum[v]) - zero[v]);
}

/// The sum of a register of columns with integers. `largest`: without the phase's offset.
[[gnu::always_inline]] inline LaneVector integer_sum(const Group& x, int column, LaneVector largest) {
    LaneVector sum{};
    for (int i = 0; i < group; ++i) {
        const LaneVector exponent =
            lanes_of<LaneVector>(x.exponent_a[i] + column) + static_cast<Short>(x.exponent_b[i]);
        const LaneVector doubled_product = load<LaneVector>(x.factor_a[i] + column) * x.factor_b[i];
        const LaneVector distance = smaller(largest - exponent, LaneVector{} + Lane{15});
        const LaneVector rounded =
            (lane_shifted_right(doubled_product < 0 ? -doubled_product : doubled_product, distance) + 1) >> 1;
        sum = doubled_product < 0 ? sum - rounded : sum + rounded;
    }
    return sum;
}

template <Rules::Dest D>
[[gnu::always_inline]] inline void integer_sums(const Group& x, const Phase& phase, Sums& out) {
    largest_exponents(x, phase, out.exponent);
    for (int c = 0; c < panel; c += lanes) {
        alignas(bytes) Lane sum[lanes];
        store(sum, integer_sum(x, c, lanes_of<LaneVector>(out.exponent + c)));
        for (int i = 0; i < lanes; i += words) store(out.sum + c + i, wide(sum + i));
    }
    add_offset<D>(phase, out.exponent);
}

/// One FPU instruction on one row of a panel: 16 inner indices from k. A sum whose exponent is that of zero underflows.
template <Rules::Dest D>
[[gnu::always_inline]] inline void issue_row(const Port& a, const Row& b, const RowFactors* factors, int k,
                                             const Phase& phase, const Rules& rules, std::int32_t* dest) {
    Sums sums[2];
    for (int g = 0; g < 2; ++g) {
        const Group products = make_group(a, b, factors, k + g * group, phase);
        if (factors == nullptr)
            fast_sums<D>(products, phase, sums[g]);
        else
            integer_sums<D>(products, phase, sums[g]);
    }
    for (int c = 0; c < panel; c += words) {
        const Word exponent1 = wide(sums[0].exponent + c), exponent2 = wide(sums[1].exponent + c);
        const Word sum1 = exponent1 == smallest_exponent<D> ? Word{} : load<Word>(sums[0].sum + c);
        const Word sum2 = exponent2 == smallest_exponent<D> ? Word{} : load<Word>(sums[1].sum + c);
        store(dest + c, accumulate<D>(load<Word>(dest + c), sum1, exponent1, sum2, exponent2, rules));
    }
}

/// All instructions on one row of a panel. `factors` of b: null for the fast way.
template <Rules::Dest D>
[[gnu::always_inline]] inline void issue_tile(const MatmulCall& call, const Phases& phases, const Port& a, const Row& b,
                                              const RowFactors* factors, int length, std::int32_t* dest) {
    for (int p = 0; p < phases.count; ++p)
        for (int half = 0; half * issue < length; ++half)
            if (!call.skip_zeros || !b.empty[half])
                issue_row<D>(a, b, factors, half * issue, phases.at[p], call.rules, dest);
}

/// Multiplies `count` rows by one panel of columns, for one tile of the inner dimension. `dest`: their first element.
template <Rules::Dest D>
void multiply_panel(const MatmulCall& call, const Phases& phases, Port& a, const Row* rows, int count, int columns,
                    int length, float* dest) {
    const int base = call.rules.source_base;
    for (int r = 0; r < count; ++r, dest += call.ldd) {
        const Row& b = rows[r];
        if (call.skip_zeros && b.empty[0] && b.empty[1]) continue;
        alignas(bytes) std::int32_t sums[panel] = {};
        copy(sums, dest, columns);
        if (a.is_fast && b.is_fast) {
            issue_tile<D>(call, phases, a, b, nullptr, length, sums);
        } else {
            if (!a.has_factors) add_factors(a, base);
            const RowFactors factors = row_factors(b, base);
            issue_tile<D>(call, phases, a, b, &factors, length, sums);
        }
        copy(dest, sums, columns);
    }
}

/// Multiplies `count` rows from `first` by all columns, for one tile of the inner dimension.
template <Rules::Dest D>
void multiply_rows(const MatmulCall& call, const Phases& phases, std::int64_t first, int count, std::int64_t k,
                   int length) {
    const int base = call.rules.source_base;
    Row rows[most_rows];
    for (int r = 0; r < count; ++r)
        load_row(call.in0 + (first + r) * call.ld0 + k, length, base, phases.parts, rows[r]);
    for (std::int64_t c = 0; c < call.n; c += panel) {
        const int columns = call.n - c < panel ? static_cast<int>(call.n - c) : panel;
        Port a;
        load_port(call.in1 + k * call.ld1 + c, call.ld1, length, columns, base, phases.parts, a);
        multiply_panel<D>(call, phases, a, rows, count, columns, length, call.dest + first * call.ldd + c);
    }
}

template <Rules::Dest D>
void multiply(const MatmulCall& call) {
    const Phases phases = make_phases(call);
    for (std::int64_t r = 0; r < call.m; r += most_rows)
        for (std::int64_t k = 0; k < call.k; k += call.k_tile) {
            const int count = call.m - r < most_rows ? static_cast<int>(call.m - r) : most_rows;
            const int length = static_cast<int>(call.k - k < call.k_tile ? call.k - k : call.k_tile);
            multiply_rows<D>(call, phases, r, count, k, length);
        }
}

// --- element-wise ---------------------------------------------------------------------------------------------------

struct Operand {
    Word sign, exponent, significand, zero;
};
Operand operand(Word bits, int base) {
    const Word exponent = (bits >> 23) & 255;
    const Word zero = exponent <= base;
    return {bits >> 31, exponent, zero ? Word{} : ((bits >> 13) & 0x3FF) | 0x400, zero};
}

template <Rules::Dest D>
Word multiply_pair(Word a_bits, Word b_bits, Word dest, const Phase& phase, const Rules& rules) {
    const Operand a = operand(a_bits, rules.source_base), b = operand(b_bits, rules.source_base);
    const Word fa = phase.high_or_low_a == 0 ? a.significand >> 6 : (a.significand >> 1) & 31;
    const Word fb = phase.high_or_low_b == 0 ? b.significand >> 4 : (b.significand & 15) << 3;
    const Word exponent = a.exponent + b.exponent + phase.offset;
    const Word zero = a.zero | b.zero | (exponent <= rules.dest_base);
    const Word product = with_sign(fa * fb, a.sign ^ b.sign);
    return accumulate<D>(dest, zero ? Word{} : product, zero ? Word{} + phase.zero_exponent : exponent, Word{},
                         Word{} + rules.dest_base, rules);
}

template <Rules::Dest D>
Word add_pair(Word a_bits, Word b_bits, Word dest, const Rules& rules) {
    const Operand a = operand(a_bits, rules.source_base), b = operand(b_bits, rules.source_base);
    const Word less = (a_bits & 0x7FFFFFFF) < (b_bits & 0x7FFFFFFF);
    const Word big = less ? b.significand : a.significand, small = less ? a.significand : b.significand;
    const Word big_sign = less ? b.sign : a.sign, small_sign = less ? a.sign : b.sign;
    const Word big_exponent = less ? b.exponent : a.exponent, small_exponent = less ? a.exponent : b.exponent;
    const Word shifted = round_shift(small, big_exponent - small_exponent);
    const Word sum = with_sign(big + with_sign(shifted, big_sign ^ small_sign), big_sign);
    const Word zero = a.zero & b.zero;
    return accumulate<D>(dest, zero ? Word{} : sum, zero ? Word{} + rules.zero_exponent : big_exponent, Word{},
                         Word{} + rules.dest_base, rules);
}

template <Rules::Dest D>
void run_elementwise(const ElementwiseCall& call) {
    const std::int32_t flip = call.kind == ElementwiseCall::Kind::Subtract ? static_cast<std::int32_t>(0x80000000U) : 0;
    for (std::int64_t i = 0; i < call.n; i += words) {
        const auto size = static_cast<unsigned>(call.n - i < words ? call.n - i : words) * sizeof(float);
        Word a{}, b{}, dest{};
        __builtin_memcpy(&a, call.a + i, size);
        __builtin_memcpy(&b, call.b + i, size);
        if (call.accumulate) __builtin_memcpy(&dest, call.dest + i, size);
        if (call.kind == ElementwiseCall::Kind::Multiply)
            for (int p = 0; p < call.phase_count; ++p)
                dest = multiply_pair<D>(a, b, dest, make_phase(call.phases[p], call.rules), call.rules);
        else
            dest = add_pair<D>(a, b ^ flip, dest, call.rules);
        __builtin_memcpy(call.dest + i, &dest, size);
    }
}

void run_matmul(const MatmulCall& call) {
    if (call.rules.dest == Rules::Dest::Bf16) return multiply<Rules::Dest::Bf16>(call);
    if (call.rules.dest == Rules::Dest::Fp16) return multiply<Rules::Dest::Fp16>(call);
    multiply<Rules::Dest::Fp32>(call);
}
void run_pairs(const ElementwiseCall& call) {
    if (call.rules.dest == Rules::Dest::Bf16) return run_elementwise<Rules::Dest::Bf16>(call);
    if (call.rules.dest == Rules::Dest::Fp16) return run_elementwise<Rules::Dest::Fp16>(call);
    run_elementwise<Rules::Dest::Fp32>(call);
}

}  // namespace
}  // namespace ttsim::impl::exact::detail
// NOLINTEND(misc-definitions-in-headers)

#endif
