// Rounding from L1 into SrcA/SrcB and back into Dst.
#include "kernels/formats/numerics.hpp"

#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/unpack.hpp"

namespace ttsim::impl {

namespace {

/// Significand bits of the two ports: of the high phases, and of all phases.
constexpr std::uint32_t port_a_high = ~0U << (23 - 4);
constexpr std::uint32_t port_a_all = ~0U << (23 - 9);
constexpr std::uint32_t port_b_high = ~0U << (23 - 6);
constexpr std::uint32_t port_b_all = ~0U << (23 - 10);

bool is_32_bit(DataFormat acc) { return element_bytes(acc) == 4; }

/// Denormals and zeros of a format with a small exponent become +0.
template <class Small>
void flush_small(MatrixView values) {
    for_each_element(values, [](std::uint32_t b) { return where_less(Small::least_normal - 1, b & ~sign_bit, b); });
}

void flush_normal(MatrixView values) {
    for_each_element(values, [](std::uint32_t b) { return flush(b); });
}

/// Whether flush() changes any value. Few tiles have such values, and reading is faster than writing.
bool any_to_flush(ConstMatrixView values) {
    return any_of_elements(values, [](std::uint32_t b) { return where_less(b & ~sign_bit, least_normal_bits, b); });
}

void unpack_float32(DataFormat acc, MatrixView values) {
    if (is_32_bit(acc))
        for_each_element(values, [](std::uint32_t b) { return flush(b & ~0x1FFFU); });
    else if (info(acc).family == FormatFamily::A)
        for_each_element(values, [](std::uint32_t b) {
            const std::uint32_t cut = Fp16::truncate(b);
            return where_less(0, cut & ~sign_bit, cut);
        });
    else
        for_each_element(values, [](std::uint32_t b) { return flush(b & ~0xFFFFU); });
}

}  // namespace

void unpack_to_src(DataFormat format, DataFormat acc, MatrixView values) {
    switch (info(format).family) {
        case FormatFamily::Float32:
            return unpack_float32(acc, values);
        case FormatFamily::A:
            return format == DataFormat::Fp8_e4m3 ? flush_small<Fp8E4>(values) : flush_small<Fp16>(values);
        case FormatFamily::B:
            if (!any_to_flush(values)) return;
            if (is_block_float(format))
                for_each_element(values, [](std::uint32_t bits) { return exact::wrapped_block_exponent(bits); });
            return flush_normal(values);
        case FormatFamily::Integer:
        case FormatFamily::Raw:
        case FormatFamily::None:
            return;
    }
}

std::uint32_t operand_mask(Fidelity fidelity, SrcPort port) {
    return ~0U << (23 - visible_mantissa_bits(fidelity, port));
}

void mask_operand(Fidelity fidelity, SrcPort port, MatrixView values) {
    const std::uint32_t mask = operand_mask(fidelity, port);
    for_each_element(values, [mask](std::uint32_t b) { return b & mask; });
}

void low_part(SrcPort port, ConstMatrixView values, MatrixView low) {
    const std::uint32_t high_mask = port == SrcPort::A ? port_a_high : port_b_high;
    const std::uint32_t all_mask = port == SrcPort::A ? port_a_all : port_b_all;
    with_vector_instructions([=] {
        for (std::int64_t r = 0; r < values.rows; ++r) {
            const float* in = values.row(r);
            float* out = low.row(r);
            for (std::int64_t c = 0; c < values.cols; ++c) {
                const std::uint32_t bits = bits_of(in[c]);
                const float rest = float_of(bits & all_mask) - float_of(bits & high_mask);
                out[c] = float_of(where_less(bits & ~sign_bit, infinity_bits, bits_of(rest)));
            }
        }
    });
}

void round_to_dest(DataFormat acc, MatrixView values) {
    if (is_integer(acc)) return saturate_to_integer(acc, values);
    if (is_raw(acc) || acc == DataFormat::Invalid) return;
    if (is_32_bit(acc)) return flush_normal(values);
    if (info(acc).family == FormatFamily::A)
        return for_each_element(values, [](std::uint32_t b) {
            // Clamp to infinity first, so that a NaN cannot carry into the sign.
            const std::uint32_t a = (min_magnitude(b & ~sign_bit, infinity_bits) + 0x1000U) & ~0x1FFFU;
            return where_less(Fp16::least_normal - 1, a, min_magnitude(a, Fp16::largest) | (b & sign_bit));
        });
    for_each_element(values, [](std::uint32_t b) {
        const std::uint32_t a = (min_magnitude(b & ~sign_bit, infinity_bits) + 0x8000U) & ~0xFFFFU;
        return where_less(least_normal_bits - 1, a, a | (b & sign_bit));
    });
}

bool exceeds_range(DataFormat acc, ConstMatrixView values) {
    // With 5-bit exponents overflow saturates at the largest number, and later additions can reduce it again.
    const std::uint32_t limit = info(acc).family == FormatFamily::A ? Fp16::largest - least_normal_bits : infinity_bits;
    return any_of_elements(values, [limit](std::uint32_t b) { return less_mask(limit - 1, b & ~sign_bit); });
}

}  // namespace ttsim::impl
