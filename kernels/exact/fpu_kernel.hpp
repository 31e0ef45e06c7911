// Arithmetic of the FPU, compiled once per instruction set by fpu_{baseline,avx2,avx512}.cpp. Rules and names:
// kernels/exact/fpu.hpp. It uses integers only, so all builds give the same bits.
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

// NOLINTBEGIN(misc-definitions-in-headers): each of the three sources is meant to have its own copy
namespace ttsim::impl::exact::detail {
namespace {

/// Products of a group fit into 16 bits: 8 * 31 * 127 < 2^15. Without vector shifts of 16-bit lanes, 32-bit lanes are
/// used.
using Lane = TT_EXACT_LANE;
constexpr int bytes = TT_EXACT_BYTES;
constexpr int lanes = bytes / int{sizeof(Lane)};  // of group sums
constexpr int words = bytes / 4;                  // of Dst
constexpr int panel = 32;                         // columns of Dst processed together
constexpr int group = 8;                          // products summed before they are added to Dst
constexpr int issue = 2 * group;                  // inner length of one instruction
constexpr int max_tile = 32;
static_assert(max_tile == panel);

using LaneVector [[gnu::vector_size(bytes), gnu::aligned(2), gnu::may_alias]] = Lane;
using Word [[gnu::vector_size(bytes), gnu::aligned(4), gnu::may_alias]] = std::int32_t;
using FloatVector [[gnu::vector_size(bytes), gnu::aligned(4), gnu::may_alias]] = float;
using Narrow [[gnu::vector_size(words * sizeof(Lane)), gnu::aligned(2), gnu::may_alias]] = Lane;

/// Exponent of a zero operand: below all others; the sum of two still fits a lane.
constexpr Lane no_exponent = -4096;

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
/// x / 2^distance rounded to nearest, ties towards +infinity (half up for magnitudes).
Word round_shift(Word x, Word distance) { return (((x + x) >> smaller(distance, Word{} + 31)) + 1) >> 1; }

/// x >> distance for 0 <= x < 2^13.
LaneVector shifted_right(LaneVector x, LaneVector distance) {
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

/// Significand bits of Dst.
template <Rules::Dest D>
constexpr int kept = D == Rules::Dest::Fp32   ? 24
                     : D == Rules::Dest::Bf16 ? 8
                                              : 11;

/// Adds two terms of value t * 2^(e - 150) to Dst, which is held as float32 bits.
template <Rules::Dest D>
[[gnu::always_inline]] inline Word accumulate(Word dest, Word t1, Word e1, Word t2, Word e2, const Rules& rules) {
    using Dest = Rules::Dest;
    constexpr int base = D == Dest::Fp16 ? 112 : 0;
    constexpr int overflow_exponent = D == Dest::Fp16 ? 144 : 255;
    constexpr int largest = D == Dest::Fp16 ? 0x47FFE000 : 0x7F800000;
    const Word dest_sign = dest >> 31;
    const Word field = (dest >> 23) & 255;
    const Word dest_zero = field <= base;
    const Word dest_exponent = dest_zero ? Word{} + base : field;
    Word magnitude = dest_zero ? Word{} : (dest & 0x007FFFFF) | 0x00800000;
    const Word common = larger(larger(e1, e2), dest_exponent);
    t1 = round_shift(t1, common - e1);
    t2 = round_shift(t2, common - e2);
    magnitude = round_shift(magnitude, common - dest_exponent);
    if constexpr (D != Dest::Fp32) {
        t1 = (((t1 >> 12) + 1) >> 1) << 13;
        t2 = (((t2 >> 12) + 1) >> 1) << 13;
        magnitude = (((magnitude >> 12) + 1) >> 1) << 13;
    }
    const Word sum = t1 + t2 + with_sign(magnitude, dest_sign);
    const Word sign = sum >> 31;
    const Word size = with_sign(sum, sign);
    const Word top = top_bit(size);
    constexpr int keep = kept<D>;
    const Word aligned = size << smaller(30 - top, Word{} + 31);
    const Word significand = ((aligned >> (30 - keep)) + 1) >> 1;
    const Word carry = significand >> keep;
    Word exponent = common + top - 23 + carry;
    Word mantissa = (significand & ((1 << (keep - 1)) - 1)) << (24 - keep);
    if constexpr (D == Dest::Fp32) {
        const Word quirk = (sum == -1) & rules.minus_unit;
        exponent = quirk ? common + 4 : exponent;
        mantissa = quirk ? Word{} : mantissa;
    }
    const Word sign_bit = sign & static_cast<std::int32_t>(0x80000000U);
    const Word number = (exponent << 23) | mantissa;
    const Word normal = (exponent >= overflow_exponent ? Word{} + largest : number) | sign_bit;
    const Word is_zero = (size == 0) | (common <= base) | (exponent <= base);
    return is_zero ? Word{} : normal;
}

template <class V>
V load(const void* from) {
    return *static_cast<const V*>(from);
}
template <class V>
void store(void* to, V value) {
    *static_cast<V*>(to) = value;
}

// --- products of 16 inner indices -----------------------------------------------------------------------------------

/// SrcA operand of one tile: exponents, and signed factors of the high and low phases.
struct Port {
    alignas(bytes) Lane exponent[max_tile][panel];
    alignas(bytes) Lane factor[2][max_tile][panel];
};
/// The same for a row of in0 (SrcB).
struct Row {
    alignas(bytes) Lane exponent[max_tile];
    alignas(bytes) Lane factor[2][max_tile];
    bool empty[max_tile / issue];
};

Lane exponent_lane(std::int32_t bits, int base) {
    const std::int32_t field = (bits >> 23) & 255;
    return field <= base ? no_exponent : static_cast<Lane>(field);
}
std::int32_t significand(std::int32_t bits) { return 0x400 | ((bits >> 13) & 0x3FF); }
Lane signed_factor(std::int32_t factor, std::int32_t bits, int base) {
    const std::int32_t sign = bits >> 31;
    const std::int32_t value = (factor ^ sign) - sign;
    return static_cast<Lane>(((bits >> 23) & 255) <= base ? 0 : value);
}

/// Copies elements of a row. A full panel has a constant size, which avoids a call.
void copy(void* to, const void* from, int count) {
    if (count == panel)
        __builtin_memcpy(to, from, panel * sizeof(float));
    else
        __builtin_memcpy(to, from, static_cast<unsigned>(count) * sizeof(float));
}

/// `count` elements of a row of in1 (SrcA), the rest of the panel zero. Factors are doubled, see round_shift.
void load_port(const float* from, int count, int base, Lane* exponent, Lane* high, Lane* low) {
    std::int32_t bits[panel] = {};
    copy(bits, from, count);
    for (int i = 0; i < panel; ++i) {
        const std::int32_t m = significand(bits[i]);
        exponent[i] = exponent_lane(bits[i], base);
        high[i] = signed_factor((m >> 6) * 2, bits[i], base);
        low[i] = signed_factor(((m >> 1) & 31) * 2, bits[i], base);
    }
}

/// `count` elements of a row of in0 (SrcB), the rest of the tile zero.
void load_row(const float* from, int count, int base, Row& row) {
    std::int32_t bits[max_tile] = {};
    copy(bits, from, count);
    for (int i = 0; i < max_tile; ++i) {
        const std::int32_t m = significand(bits[i]);
        row.exponent[i] = exponent_lane(bits[i], base);
        row.factor[0][i] = signed_factor(m >> 4, bits[i], base);
        row.factor[1][i] = signed_factor((m & 15) * 8, bits[i], base);
    }
    for (int half = 0; half < max_tile / issue; ++half) {
        bool empty = true;
        for (int i = 0; i < issue; ++i) empty = empty && row.exponent[half * issue + i] == no_exponent;
        row.empty[half] = empty;
    }
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

/// Sum of 8 products aligned to the largest exponent, each rounded half up in magnitude.
[[gnu::always_inline]] inline void add_group(const Port& a, const Row& b, int k, int column, const Phase& phase,
                                             int base, Lane* sums, Lane* exponents) {
    LaneVector e[group];
    LaneVector max_exponent = LaneVector{} + static_cast<Lane>(phase.zero_exponent - phase.offset);
    for (int i = 0; i < group; ++i) {
        e[i] = load<LaneVector>(a.exponent[k + i] + column) + b.exponent[k + i];
        max_exponent = larger(max_exponent, e[i]);
    }
    const Lane(*factor_a)[panel] = a.factor[phase.high_or_low_a];
    const Lane* factor_b = b.factor[phase.high_or_low_b];
    LaneVector sum{};
    for (int i = 0; i < group; ++i) {
        const LaneVector doubled_product = load<LaneVector>(factor_a[k + i] + column) * factor_b[k + i];
        const LaneVector distance = smaller(max_exponent - e[i], LaneVector{} + Lane{15});
        const LaneVector rounded =
            (shifted_right(doubled_product < 0 ? -doubled_product : doubled_product, distance) + 1) >> 1;
        sum = doubled_product < 0 ? sum - rounded : sum + rounded;
    }
    max_exponent += static_cast<Lane>(phase.offset);
    const LaneVector underflow = max_exponent <= static_cast<Lane>(base);
    store(sums + column, underflow ? LaneVector{} : sum);
    store(exponents + column, underflow ? LaneVector{} + static_cast<Lane>(base) : max_exponent);
}

/// One FPU instruction on one row of a panel: 16 inner indices from k.
template <Rules::Dest D>
void issue_row(const Port& a, const Row& b, int k, const Phase& phase, const Rules& rules, std::int32_t* dest) {
    alignas(bytes) Lane sums[2][panel], exponents[2][panel];
    for (int c = 0; c < panel; c += lanes) {
        add_group(a, b, k, c, phase, rules.dest_base, sums[0], exponents[0]);
        add_group(a, b, k + group, c, phase, rules.dest_base, sums[1], exponents[1]);
    }
    for (int c = 0; c < panel; c += words) {
        const auto wide = [c](const Lane* from) { return __builtin_convertvector(load<Narrow>(from + c), Word); };
        store(dest + c, accumulate<D>(load<Word>(dest + c), wide(sums[0]) << 13, wide(exponents[0]),
                                      wide(sums[1]) << 13, wide(exponents[1]), rules));
    }
}

/// Multiplies all rows by one panel of columns, for one tile of the inner dimension.
template <Rules::Dest D>
void multiply_tile(const MatmulCall& call, std::int64_t column, int columns, std::int64_t k, int length) {
    alignas(bytes) Port a;
    for (int i = 0; i < max_tile; ++i) {
        const bool inside = i < length;
        load_port(inside ? call.in1 + (k + i) * call.ld1 + column : call.in1, inside ? columns : 0,
                  call.rules.source_base, a.exponent[i], a.factor[0][i], a.factor[1][i]);
    }
    for (std::int64_t r = 0; r < call.m; ++r) {
        Row b;
        load_row(call.in0 + r * call.ld0 + k, length, call.rules.source_base, b);
        if (call.skip_zeros && b.empty[0] && b.empty[1]) continue;
        float* to = call.dest + r * call.ldd + column;
        alignas(bytes) std::int32_t dest[panel] = {};
        copy(dest, to, columns);
        for (int p = 0; p < call.phase_count; ++p)
            for (int half = 0; half * issue < length; ++half)
                if (!call.skip_zeros || !b.empty[half])
                    issue_row<D>(a, b, half * issue, make_phase(call.phases[p], call.rules), call.rules, dest);
        copy(to, dest, columns);
    }
}

template <Rules::Dest D>
void multiply(const MatmulCall& call) {
    for (std::int64_t c = 0; c < call.n; c += panel) {
        const int columns = call.n - c < panel ? static_cast<int>(call.n - c) : panel;
        for (std::int64_t k = 0; k < call.k; k += call.k_tile) {
            const int length = static_cast<int>(call.k - k < call.k_tile ? call.k - k : call.k_tile);
            multiply_tile<D>(call, c, columns, k, length);
        }
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
    const Word product = with_sign(fa * fb, a.sign ^ b.sign) << 13;
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
    return accumulate<D>(dest, zero ? Word{} : sum << 13, zero ? Word{} + rules.zero_exponent : big_exponent, Word{},
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
