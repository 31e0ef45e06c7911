#include "kernels/exact/fpu.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "kernels/exact/fpu_kernel.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/instruction_set.hpp"

namespace ttsim::impl::exact {

namespace {

const detail::Backend& backend() {
    switch (instruction_set()) {
        case HostInstructions::Avx512:
            return detail::avx512;
        case HostInstructions::Avx2:
            return detail::avx2;
        case HostInstructions::Baseline:
            break;
    }
    return detail::baseline;
}

detail::Rules make_rules(const FpuConfig& config) {
    const bool fp16_dest = config.dest == Dest::Fp16;
    detail::Rules rules{};
    rules.dest = fp16_dest                   ? detail::Rules::Dest::Fp16
                 : config.dest == Dest::Bf16 ? detail::Rules::Dest::Bf16
                                             : detail::Rules::Dest::Fp32;
    rules.source_base = config.fp16_sources ? 112 : 0;
    rules.dest_base = fp16_dest ? 112 : 0;
    // Zero operands with 5-bit exponents, rebiased for a 32-bit Dst, still have a nonzero product exponent.
    rules.minus_unit = config.minus_unit ? -1 : 0;
    rules.zero_exponent = config.fp16_sources && config.dest == Dest::Fp32 ? 97 : rules.dest_base;
    return rules;
}

detail::ElementwiseCall elementwise_call(const FpuConfig& config, detail::ElementwiseCall::Kind kind,
                                         std::span<const float> a, std::span<const float> b, std::span<float> dest) {
    TT_CHECK(a.size() == dest.size() && b.size() == dest.size(), "{} and {} elements into {}", a.size(), b.size(),
             dest.size());
    return {kind,
            make_rules(config),
            nullptr,
            0,
            true,
            a.data(),
            b.data(),
            dest.data(),
            static_cast<std::int64_t>(a.size())};
}

}  // namespace

Dest dest_of(DataFormat acc) {
    if (info(acc).family == FormatFamily::A) return Dest::Fp16;
    return info(acc).family == FormatFamily::B ? Dest::Bf16 : Dest::Fp32;
}

FpuConfig fpu_config(DataFormat format, DataFormat acc, const ChipTraits& chip) {
    const Dest dest = dest_of(acc);
    const FormatFamily family = info(format).family;
    return {dest, family == FormatFamily::A || (family == FormatFamily::Float32 && dest == Dest::Fp16),
            chip.fpu_minus_unit};
}

void matmul(const FpuConfig& config, std::span<const int> phases, std::int64_t k_tile, ConstMatrixView in0,
            ConstMatrixView in1, MatrixView dest, bool results_only) {
    TT_CHECK(in0.cols == in1.rows && in0.rows == dest.rows && in1.cols == dest.cols, "{}x{} times {}x{} into {}x{}",
             in0.rows, in0.cols, in1.rows, in1.cols, dest.rows, dest.cols);
    TT_CHECK(k_tile == 16 || k_tile == 32, "inner length {} of a tile", k_tile);
    const detail::Rules rules = make_rules(config);
    const bool skip = results_only && rules.zero_exponent <= rules.dest_base;
    backend().matmul({rules, phases.data(), static_cast<int>(phases.size()), skip, k_tile, in0.data, in0.stride,
                      in1.data, in1.stride, dest.data, dest.stride, dest.rows, dest.cols, in0.cols});
}

void add(const FpuConfig& config, AddKind kind, bool accumulate, std::span<const float> a, std::span<const float> b,
         std::span<float> dest) {
    using Kind = detail::ElementwiseCall::Kind;
    detail::ElementwiseCall call =
        elementwise_call(config, kind == AddKind::Add ? Kind::Add : Kind::Subtract, a, b, dest);
    call.accumulate = accumulate;
    backend().elementwise(call);
}

void multiply(const FpuConfig& config, std::span<const int> phases, std::span<const float> a, std::span<const float> b,
              std::span<float> dest) {
    detail::ElementwiseCall call = elementwise_call(config, detail::ElementwiseCall::Kind::Multiply, a, b, dest);
    call.phases = phases.data();
    call.phase_count = static_cast<int>(phases.size());
    backend().elementwise(call);
}

void pool_max(const FpuConfig& config, ConstMatrixView source, bool undefined, std::span<float> dest) {
    const std::uint32_t base = config.fp16_sources ? 112 : 0;
    const std::uint32_t cut = config.dest == Dest::Bf16 ? ~0xFFFFU : ~0x1FFFU;
    const auto sort_key = [](std::uint32_t bits) {
        return static_cast<std::int32_t>(bits ^ ((0U - (bits >> 31)) & ~sign_bit));
    };
    for (std::size_t c = 0; c < dest.size(); ++c) {
        std::uint32_t largest = undefined ? ~0U & cut : bits_of(dest[c]) & cut;
        for (std::int64_t r = 0; r < source.rows; ++r) {
            const std::uint32_t bits = bits_of(source.at(r, static_cast<std::int64_t>(c))) & cut;
            const std::uint32_t x = ((bits >> 23) & 0xFF) <= base ? 0 : bits;
            largest = sort_key(x) > sort_key(largest) ? x : largest;
        }
        dest[c] = float_of(largest);
    }
}

}  // namespace ttsim::impl::exact
