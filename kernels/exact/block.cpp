#include "kernels/exact/block.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "kernels/exact/fpu.hpp"
#include "kernels/exact/integer.hpp"
#include "kernels/exact/pack.hpp"
#include "kernels/exact/tile.hpp"
#include "kernels/exact/unpack.hpp"
#include "kernels/float_bits.hpp"
#include "kernels/numerics.hpp"

namespace tt::exact {

namespace {

std::vector<std::int32_t> integers(ConstMatrixView values) {
    std::vector<std::int32_t> out;
    out.reserve(static_cast<std::size_t>(values.rows * values.cols));
    constexpr float beyond = 2147483520.0F;  // the last float32 below 2^31
    for (std::int64_t r = 0; r < values.rows; ++r)
        for (const float* x = values.row(r); x != values.row(r) + values.cols; ++x)
            out.push_back(static_cast<std::int32_t>(std::clamp(*x, -beyond, beyond)));
    return out;
}

/// Rare, and looking for them is vector code.
bool has_denormals(ConstMatrixView values) {
    std::uint32_t found = 0;
    for (std::int64_t r = 0; r < values.rows; ++r) {
        const float* row = values.row(r);
        for (std::int64_t c = 0; c < values.cols; ++c) {
            const std::uint32_t size = bits_of(row[c]) & ~sign_bit;
            found |= where_less(0, size, less_mask(size, least_normal_bits));
        }
    }
    return found != 0;
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

void unpack_operand(DataFormat format, DataFormat acc, MatrixView values) {
    if (is_block_float(format) && info(format).family == FormatFamily::B && has_denormals(values))
        for_each_datum(values, [](std::uint32_t bits) { return wrapped_block_exponent(bits); });
    unpack_to_src(format, acc, values);
}

void product(DataFormat format, DataFormat acc, Fidelity fidelity, std::int64_t k_tile, ConstMatrixView in0,
             ConstMatrixView in1, MatrixView sums) {
    if (is_integer(acc)) return integer_product(fidelity, k_tile, in0, in1, sums);
    matmul(fpu_config(format, acc), phases(fidelity), k_tile, in0, in1, sums, true);
}

void move_to_dest(DataFormat format, DataFormat acc, MatrixView values) {
    if (is_integer(acc) || is_raw(format)) return;
    copy_to_dest(fpu_config(format, acc), values);
}

void spill_and_reload(DataFormat acc, DataFormat intermediate, MatrixView dest) {
    if (is_integer(acc) || (intermediate == DataFormat::Float32 && dest_of(acc) == Dest::Fp32)) return;
    pack_from_dest(acc, intermediate, dest);
    unpack_operand(intermediate, acc, dest);
    move_to_dest(intermediate, acc, dest);
}

void add_in_l1(DataFormat format, ConstMatrixView added, MatrixView l1) {
    const unsigned shift = format == DataFormat::Float32 ? 0 : 16;
    TT_CHECK(shift == 0 || format == DataFormat::Float16_b, "no sums in L1 of {}", to_string(format));
    for (std::int64_t r = 0; r < l1.rows; ++r)
        for (std::int64_t c = 0; c < l1.cols; ++c) {
            float& x = l1.at(r, c);
            const std::uint32_t sum = accumulate_in_l1(format, bits_of(x) >> shift, bits_of(added.at(r, c)) >> shift);
            x = float_of(sum << shift);
        }
}

void pack_relu(DataFormat acc, DataFormat out, const OpAttributes& attributes, MatrixView values) {
    pack_early_step(acc, out, values);
    const bool short_exponent = info(acc).family == FormatFamily::A;
    const std::uint32_t cut = short_exponent ? Fp16::truncate(bits_of(attributes.relu_threshold))
                                             : bits_of(attributes.relu_threshold) & ~0xFFFFU;
    const std::uint32_t threshold = cut & ~(0U - (cut >> 31));  // a negative one is as good as zero
    if (attributes.relu == ReluMode::Min)
        return for_each_datum(values, [=](std::uint32_t bits) {
            const std::uint32_t positive = bits & ~(0U - (bits >> 31));
            return where_less(threshold, positive, positive);
        });
    const unsigned unseen = intermediate_is_float32(acc, out) ? 13 : 0;
    for_each_datum(values, [=](std::uint32_t bits) {
        const std::uint32_t positive = bits & ~(0U - (bits >> 31));
        const std::uint32_t above = less_mask(threshold >> unseen, positive >> unseen);
        return positive ^ ((positive ^ threshold) & above);
    });
}

}  // namespace tt::exact
