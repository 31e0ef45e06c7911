#include "kernels/exact/block.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "kernels/exact/fpu.hpp"
#include "kernels/exact/integer.hpp"
#include "kernels/exact/pack.hpp"
#include "kernels/exact/tile.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/numerics.hpp"

namespace ttsim::impl::exact {

namespace {

std::vector<std::int32_t> integers(ConstMatrixView values) {
    std::vector<std::int32_t> out;
    out.reserve(static_cast<std::size_t>(values.rows * values.cols));
    constexpr float limit = 2147483520.0F;  // the largest float32 below 2^31
    for (std::int64_t r = 0; r < values.rows; ++r)
        for (const float* x = values.row(r); x != values.row(r) + values.cols; ++x)
            out.push_back(static_cast<std::int32_t>(std::clamp(*x, -limit, limit)));
    return out;
}

/// float32 bits of the sum of two L1 elements, rounded to nearest even. Denormal inputs and results count as zero.
template <DataFormat Format>
std::uint32_t sum_in_l1(float previous, float added) {
    const auto flushed = [](std::uint32_t b) {
        return (b & sign_bit) | where_less(least_normal_bits - 1, b & ~sign_bit, b);
    };
    const std::uint32_t sum = bits_of(float_of(flushed(bits_of(previous))) + float_of(flushed(bits_of(added))));
    if constexpr (Format == DataFormat::Float32) return flushed(sum);
    // The float32 sum of two BF16 numbers is exact, or the smaller one is too small to change the result.
    return flushed((sum + 0x7FFFU + ((sum >> 16) & 1)) & ~0xFFFFU);
}

template <DataFormat Format>
void add_row_in_l1(const float* added, float* l1, std::int64_t count) {
    std::uint32_t special = 0;
    for (std::int64_t c = 0; c < count; ++c)
        special |= less_mask(infinity_bits - 1, sum_in_l1<Format>(l1[c], added[c]) & ~sign_bit);
    if (special == 0) {
        for (std::int64_t c = 0; c < count; ++c) l1[c] = float_of(sum_in_l1<Format>(l1[c], added[c]));
        return;
    }
    constexpr unsigned shift = Format == DataFormat::Float32 ? 0 : 16;
    for (std::int64_t c = 0; c < count; ++c)
        l1[c] = float_of(accumulate_in_l1(Format, bits_of(l1[c]) >> shift, bits_of(added[c]) >> shift) << shift);
}

void integer_product(Fidelity fidelity, std::int64_t k_tile, ConstMatrixView in0, ConstMatrixView in1,
                     MatrixView sums) {
    const std::vector<std::int32_t> left = integers(in0), right = integers(in1);
    std::vector<std::int32_t> dest = integers(sums);
    integer_matmul(phases(fidelity), {.rows = sums.rows,
                                      .cols = sums.cols,
                                      .k = in0.cols,
                                      .k_tile = k_tile,
                                      .in0 = left,
                                      .in1 = right,
                                      .dest = dest});
    for (std::int64_t r = 0; r < sums.rows; ++r)
        for (std::int64_t c = 0; c < sums.cols; ++c)
            sums.at(r, c) = static_cast<float>(dest[static_cast<std::size_t>(r * sums.cols + c)]);
}

}  // namespace

void product(DataFormat format, DataFormat acc, Fidelity fidelity, const ChipTraits& chip, std::int64_t k_tile,
             ConstMatrixView in0, ConstMatrixView in1, MatrixView sums) {
    if (is_integer(acc)) return integer_product(fidelity, k_tile, in0, in1, sums);
    matmul(fpu_config(format, acc, chip), phases(fidelity), k_tile, in0, in1, sums, true);
}

void move_to_dest(DataFormat format, DataFormat acc, MatrixView values) {
    if (is_integer(acc) || is_raw(format)) return;
    copy_to_dest(fpu_config(format, acc, {}), values);
}

void spill_and_reload(DataFormat acc, DataFormat intermediate, MatrixView dest) {
    if (is_integer(acc) || (intermediate == DataFormat::Float32 && dest_of(acc) == Dest::Fp32)) return;
    pack_from_dest(acc, intermediate, dest);
    unpack_to_src(intermediate, acc, dest);
    move_to_dest(intermediate, acc, dest);
}

void add_in_l1(DataFormat format, ConstMatrixView added, MatrixView l1) {
    const bool wide = format == DataFormat::Float32;
    TT_CHECK(wide || format == DataFormat::Float16_b, "no sums in L1 of {}", to_string(format));
    for (std::int64_t r = 0; r < l1.rows; ++r) {
        if (wide)
            add_row_in_l1<DataFormat::Float32>(added.row(r), l1.row(r), l1.cols);
        else
            add_row_in_l1<DataFormat::Float16_b>(added.row(r), l1.row(r), l1.cols);
    }
}

void pack_relu(DataFormat acc, DataFormat out, const OpAttributes& attributes, MatrixView values) {
    pack_early_step(acc, out, values);
    const bool is_fp16a = info(acc).family == FormatFamily::A;
    const std::uint32_t cut =
        is_fp16a ? Fp16::truncate(bits_of(attributes.relu_threshold)) : bits_of(attributes.relu_threshold) & ~0xFFFFU;
    const std::uint32_t threshold = cut & ~(0U - (cut >> 31));  // a negative threshold acts as zero
    if (attributes.relu == ReluMode::Min)
        return for_each_element(values, [=](std::uint32_t bits) {
            const std::uint32_t positive = bits & ~(0U - (bits >> 31));
            return where_less(threshold, positive, positive);
        });
    const unsigned ignored_bits = intermediate_is_float32(acc, out) ? 13 : 0;
    for_each_element(values, [=](std::uint32_t bits) {
        const std::uint32_t positive = bits & ~(0U - (bits >> 31));
        const std::uint32_t above = less_mask(threshold >> ignored_bits, positive >> ignored_bits);
        return positive ^ ((positive ^ threshold) & above);
    });
}

}  // namespace ttsim::impl::exact
