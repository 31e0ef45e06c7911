// The conversions between formats, bit by bit the same on every instruction set of this machine.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <iostream>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/formats/tile_codec.hpp"
#include "kernels/instruction_set.hpp"

using namespace ttsim::impl;

namespace {

/// Rows of 2^n scaled noise, of any bits at all, and of the values at which the rules change, NaN and infinity too.
Tensor awkward(std::int64_t rows, std::int64_t cols) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    constexpr float special[] = {0.0F,     -0.0F,    0.5F,    -0.5F,  127.5F, -128.0F, 255.5F,
                                 65535.5F, 65504.0F, 6.1e-5F, 1e-40F, 3e38F,  -3e38F,  2147483648.0F};
    Tensor t(1, rows, cols);
    for (std::int64_t r = 0; r < rows; ++r) {
        const auto scale = std::ldexp(1.0F, static_cast<int>(random() % 276) - 149);
        for (std::int64_t c = 0; c < cols; ++c) {
            float& x = t.slice(0).at(r, c);
            if (r % 4 == 0) x = float_of(static_cast<std::uint32_t>(random()));
            if (r % 4 == 1) x = special[random() % std::size(special)];
            if (r % 4 == 2) x = normal(random) * scale;
            if (r % 4 == 3) x = normal(random);
        }
    }
    return t;
}

constexpr DataFormat formats[] = {
    DataFormat::Float32, DataFormat::Tf32,     DataFormat::Float16,   DataFormat::Float16_b, DataFormat::Bfp8,
    DataFormat::Bfp8_b,  DataFormat::Bfp4,     DataFormat::Bfp4_b,    DataFormat::Bfp2,      DataFormat::Bfp2_b,
    DataFormat::Lf8,     DataFormat::Fp8_e4m3, DataFormat::Int8,      DataFormat::UInt8,     DataFormat::UInt16,
    DataFormat::Int32,   DataFormat::RawUInt8, DataFormat::RawUInt16, DataFormat::RawUInt32};
constexpr DataFormat dest_formats[] = {DataFormat::Float16, DataFormat::Float16_b, DataFormat::Float32,
                                       DataFormat::Int32};

/// The words of `in` after `work`, one list per instruction set, must be alike.
void compare(const std::string& what, const Tensor& in, const std::function<void(Tensor&)>& work) {
    Tensor baseline;
    for (const HostInstructions set : instruction_sets) {
        if (!supported(set)) continue;
        const UseInstructionSet use(set);
        Tensor out = in;
        work(out);
        if (set == HostInstructions::Baseline) {
            baseline = out;
            continue;
        }
        std::int64_t different = 0;
        for (std::size_t i = 0; i < out.data.size(); ++i)
            different += bits_of(out.data[i]) != bits_of(baseline.data[i]) ? 1 : 0;
        INFO(what << " with " << to_string(set));
        CHECK(different == 0);
    }
}

}  // namespace

TEST_CASE("the best instruction set of the machine is in use") {
    for (const HostInstructions set : instruction_sets) {
        if (!supported(set)) std::cout << "not run: this machine has no " << to_string(set) << "\n";
        CHECK((!supported(set) || instruction_set() >= set));
    }
    const HostInstructions best = instruction_set();
    {
        const UseInstructionSet use(HostInstructions::Baseline);
        CHECK(instruction_set() == HostInstructions::Baseline);
    }
    CHECK(instruction_set() == best);
}

TEST_CASE("all instruction sets convert to the same bits") {
    // 40 columns: groups of 16, and a rest that is padded.
    const Tensor values = awkward(256, 40);
    for (const DataFormat format : formats) {
        const std::string name(to_string(format));
        compare(name + " from the host", values, [=](Tensor& t) { host_convert(format, t.slice(0)); });
        compare(name + " requantized", values,
                [=](Tensor& t) { host_convert(format, t.slice(0), BlockRounding::Truncate); });
        for (const DataFormat dest : dest_formats) {
            const std::string both = name + " " + std::string(to_string(dest));
            compare(both + " unpacked", values, [=](Tensor& t) { unpack_to_src(format, dest, t.slice(0)); });
            compare(both + " packed", values, [=](Tensor& t) { pack_from_dest(dest, format, t.slice(0)); });
            compare(both + " early", values, [=](Tensor& t) { pack_early_step(dest, format, t.slice(0)); });
        }
    }
    for (const DataFormat dest : dest_formats)
        compare(std::string(to_string(dest)) + " as Dst", values, [=](Tensor& t) { round_to_dest(dest, t.slice(0)); });
    for (const Fidelity fidelity : {Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi4})
        for (const SrcPort port : {SrcPort::A, SrcPort::B}) {
            compare("masked", values, [=](Tensor& t) { mask_operand(fidelity, port, t.slice(0)); });
            compare("low part", values, [=](Tensor& t) {
                const Tensor in = t;
                low_part(port, in.slice(0), t.slice(0));
            });
        }
}

TEST_CASE("all instruction sets make the same bytes of tiles, and the same values of bytes") {
    for (const DataFormat format : formats)
        for (const TileDim dim : {TileDim{32, 32}, TileDim{16, 32}, TileDim{32, 16}, TileDim{8, 32}, TileDim{1, 32}}) {
            const auto size = static_cast<std::size_t>(tile_body_bytes(format, dim));
            std::mt19937 random(11);
            for (int n = 0; n < 8; ++n) {
                // What a queue holds: values of the format. What a file may hold: any bytes.
                Tensor values = awkward(dim.h, dim.w);
                if (n % 2 == 0) host_convert(format, values.slice(0));
                std::vector<std::uint8_t> bytes(size), any(size);
                for (std::uint8_t& byte : any) byte = static_cast<std::uint8_t>(random());
                compare(std::string(to_string(format)) + " tile", values, [&](Tensor& t) {
                    bytes.assign(size, 0);
                    encode_tile(format, dim, t.slice(0), bytes.data());
                    t = Tensor(1, 1, static_cast<std::int64_t>(size));
                    for (std::size_t i = 0; i < size; ++i) t.data[i] = bytes[i];
                });
                compare(std::string(to_string(format)) + " bytes", values,
                        [&](Tensor& t) { decode_tile(format, dim, any.data(), t.slice(0)); });
            }
        }
}
