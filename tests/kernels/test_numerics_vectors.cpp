// Unpack, pack and copy against bit patterns that an instruction-level simulator of Wormhole produced.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>

#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/numerics.hpp"
#include "kernels/formats/tile_codec.hpp"
#include "kernels/gemm/gemm.hpp"
#include "tests/kernels/vector_files.hpp"
#include "tests/skip.hpp"

using namespace ttsim::impl;
using test::VectorEntry;

namespace {

using Tile = std::array<float, 1024>;
using Words = std::array<std::uint32_t, 1024>;

MatrixView view(Tile& tile) { return {tile.data(), 32, 32, 32}; }
std::size_t body_bytes(DataFormat f) { return static_cast<std::size_t>(tile_body_bytes(f, {})); }

DataFormat format_of(const std::string& name, bool is_unsigned = false) {
    const auto f = parse_format(name);
    if (!f) throw std::runtime_error("unknown format " + name);
    return *f == DataFormat::Int8 && is_unsigned ? DataFormat::UInt8 : *f;
}

Tile decoded(DataFormat f, const std::uint8_t* body) {
    Tile tile{};
    decode_tile(f, {}, body, view(tile));
    return tile;
}

std::vector<std::uint8_t> encoded(DataFormat f, Tile tile) {
    std::vector<std::uint8_t> body(body_bytes(f));
    encode_tile(f, {}, view(tile), body.data());
    return body;
}

/// 1024 words in the order of Dst rows (face by face) as a tile.
template <class ToFloat>
Tile tile_of_rows(const std::uint32_t* words, ToFloat to_float) {
    std::array<float, 1024> rows;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = to_float(words[i]);
    std::array<std::uint8_t, 4096> body;
    std::memcpy(body.data(), rows.data(), sizeof(body));
    return decoded(DataFormat::Float32, body.data());
}

float sign_magnitude(std::uint32_t w) {
    const auto magnitude = static_cast<float>(w & ~sign_bit);
    return float_of(bits_of(magnitude) | (w & sign_bit));
}

/// Which float a Src register word stands for; exponent 0 reads as zero.
float register_value(DataFormat f, std::uint32_t word) {
    if (f == DataFormat::Int8 || f == DataFormat::UInt8) {
        const auto magnitude = static_cast<float>((word >> 13) & 0x3FFU);
        return (word & sign_bit) != 0 ? -magnitude : magnitude;
    }
    const bool five_bits = info(f).family == FormatFamily::A;
    if ((word & (five_bits ? 0x0F800000U : 0x7F800000U)) == 0) return 0.0F;
    return float_of(five_bits ? (word & sign_bit) | ((word & 0x0FFFFFFFU) + (112U << 23)) : word);
}

/// Elements the model leaves to the hardware: a signed zero magnitude (reads as -infinity there) and magnitudes whose
/// exponent wraps below zero.
std::array<bool, 1024> hardware_quirks(DataFormat f, const std::uint8_t* body, const Tile& values) {
    std::array<float, 1024> quirk{};
    if (is_block_float(f)) {
        const int width = info(f).element_bits;
        for (std::size_t i = 0; i < quirk.size(); ++i) {
            const std::size_t bit = i * static_cast<std::size_t>(width);
            const unsigned code = (unsigned{body[64 + bit / 8]} >> (bit % 8)) & ((1U << width) - 1);
            const bool wraps = body[i / 16] < static_cast<unsigned>(info(f).magnitude_bits);
            quirk[i] = wraps || code == 1U << (width - 1) ? 1.0F : 0.0F;
        }
    }
    std::array<std::uint8_t, 4096> bytes;
    std::memcpy(bytes.data(), quirk.data(), sizeof(bytes));
    const Tile by_tile = decoded(DataFormat::Float32, bytes.data());
    std::array<bool, 1024> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = by_tile[i] > 0.0F && !std::isnan(values[i]);
    return out;
}

int differing(const Tile& got, const Tile& want, const std::array<bool, 1024>& skip) {
    int count = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        if (!skip[i] && bits_of(got[i]) != bits_of(want[i]) && (got[i] != 0.0F || want[i] != 0.0F)) {
            if (count++ < 3)
                UNSCOPED_INFO("element " << i << ": got " << std::hex << bits_of(got[i]) << ", want "
                                         << bits_of(want[i]));
        }
    return count;
}

/// Not in the functions under test, and why.
void report_skipped(const std::map<std::string, std::string>& skipped) {
    for (const auto& [id, why] : skipped) std::cout << "not covered: " << id << " (" << why << ")\n";
}

bool no_vectors() { return ttsim::impl::test::skip_without(test::vector_folder() / "index.json"); }

DataFormat acc_of(const std::string& dst_format) {
    if (dst_format == "bf16") return DataFormat::Float16_b;
    if (dst_format == "fp16") return DataFormat::Float16;
    return dst_format.rfind("int32", 0) == 0 ? DataFormat::Int32 : DataFormat::Float32;
}

Tile tile_of_dst(DataFormat acc, const std::uint32_t* words) {
    if (acc == DataFormat::Float16_b) return tile_of_rows(words, [](std::uint32_t w) { return float_of(w << 16); });
    if (acc == DataFormat::Float16) return tile_of_rows(words, [](std::uint32_t w) { return Fp16::decode(w); });
    if (acc == DataFormat::Int32) return tile_of_rows(words, sign_magnitude);
    return tile_of_rows(words, [](std::uint32_t w) { return float_of(w); });
}

/// The intermediate format pack_from_dest uses.
std::string intermediate(DataFormat acc, DataFormat out) {
    if (is_block_float(out)) return acc == DataFormat::Float16 ? "Bfp8" : "Bfp8_b";
    if (is_integer(out)) return out == DataFormat::UInt8 ? "Int8" : std::string(to_string(out));
    if (acc == DataFormat::Float32 && out == DataFormat::Float16_b) return "Float16_b";
    return std::string(to_string(acc));
}

}  // namespace

TEST_CASE("unpacked tiles equal the register contents of the vectors") {
    if (no_vectors()) return;
    std::map<std::string, std::string> skipped;
    int tiles = 0, quirks = 0;
    for (const VectorEntry& e : test::vector_entries("unpack")) {
        if (e.text("op") != "UNPACR" || e.id().find("transpose") != std::string::npos) {
            skipped[e.id()] = "no conversion into Src";
            continue;
        }
        const DataFormat in = format_of(e.text("in_format"), e.json.value("unsigned", 0) != 0);
        if (in == DataFormat::UInt16) {
            skipped[e.id()] = "the register holds exchanged bit fields, not a value";
            continue;
        }
        const DataFormat to = format_of(e.text("out_format"), in == DataFormat::UInt8);
        const DataFormat acc = to == DataFormat::Tf32 ? DataFormat::Float32 : to;
        const auto l1 = e.bytes("l1");
        const auto src = e.words("src");
        for (std::size_t t = 0; t * 1024 < src.size(); ++t, ++tiles) {
            const std::uint8_t* body = l1.data() + t * body_bytes(in);
            Tile values = decoded(in, body);
            const auto skip = hardware_quirks(in, body, values);
            for (const bool q : skip) quirks += q ? 1 : 0;
            unpack_to_src(in, acc, view(values));
            const Tile want =
                tile_of_rows(src.data() + t * 1024, [&](std::uint32_t w) { return register_value(to, w); });
            INFO(e.id() << " tile " << t);
            if (e.from_simulator())
                CHECK(differing(values, want, skip) == 0);
            else
                std::cout << e.id() << " (not gated): " << differing(values, want, skip) << " elements differ\n";
        }
    }
    std::cout << "unpack: " << tiles << " tiles compared, " << quirks << " elements of hardware quirks left out\n";
    report_skipped(skipped);
    CHECK(tiles >= 40);
}

TEST_CASE("every Bfp8_b element decodes to the value of the exhaustive table") {
    if (no_vectors()) return;
    for (const VectorEntry& e : test::vector_entries("unpack")) {
        if (e.id() != "unpack/table_bfp8b_bf16") continue;
        const auto table = e.words("bf16");
        for (std::size_t exponent = 8; exponent < 256; exponent += 4) {
            std::vector<std::uint8_t> body(body_bytes(DataFormat::Bfp8_b));
            for (std::size_t i = 0; i < 1024; ++i) {
                body[i / 16] = static_cast<std::uint8_t>(exponent + i / 256);
                body[64 + i] = static_cast<std::uint8_t>(i % 256);
            }
            const Tile want =
                tile_of_rows(table.data() + exponent * 256, [](std::uint32_t w) { return float_of(w << 16); });
            const Tile got = decoded(DataFormat::Bfp8_b, body.data());
            INFO("exponent " << exponent);
            CHECK(differing(got, want, hardware_quirks(DataFormat::Bfp8_b, body.data(), got)) == 0);
        }
    }
}

TEST_CASE("packed tiles equal the bytes of the vectors") {
    if (no_vectors()) return;
    std::map<std::string, std::string> skipped;
    int tiles = 0;
    for (const VectorEntry& e : test::vector_entries("pack")) {
        if (!e.from_simulator() || e.text("dst_format").empty()) {
            skipped[e.id()] = "ReLU, L1 accumulation or not from the simulator";
            continue;
        }
        const DataFormat out = format_of(e.text("out_format"), e.json.value("unsigned", 0) != 0);
        const DataFormat acc = acc_of(e.text("dst_format"));
        if (out == DataFormat::UInt16) {
            skipped[e.id()] = "bit fields, not a value";
            continue;
        }
        if (e.text("intermediate_format") != intermediate(acc, out)) {
            skipped[e.id()] = "another intermediate format than pack_from_dest uses";
            continue;
        }
        const auto dst = e.words("dst");
        const auto l1 = e.bytes("l1");
        for (std::size_t t = 0; t * 1024 < dst.size(); ++t, ++tiles) {
            Tile values = tile_of_dst(acc, dst.data() + t * 1024);
            pack_from_dest(acc, out, view(values));
            const std::uint8_t* want = l1.data() + t * body_bytes(out);
            INFO(e.id() << " tile " << t);
            if (out == DataFormat::Int32) {
                CHECK(differing(values, decoded(out, want), {}) == 0);  // beyond 2^24 as float32 precision allows
                continue;
            }
            const auto got = encoded(out, values);
            int different = 0;
            for (std::size_t i = 0; i < got.size(); ++i)
                if (got[i] != want[i] && different++ < 3)
                    UNSCOPED_INFO("byte " << i << ": got " << int{got[i]} << ", want " << int{want[i]});
            CHECK(different == 0);
            CHECK(encoded(out, decoded(out, want)) == std::vector<std::uint8_t>(want, want + body_bytes(out)));
        }
    }
    std::cout << "pack: " << tiles << " tiles compared\n";
    report_skipped(skipped);
    CHECK(tiles >= 40);
}

TEST_CASE("tiles copied through Dst equal the vectors") {
    if (no_vectors()) return;
    int tiles = 0, packed = 0, left_out = 0;
    for (const VectorEntry& e : test::vector_entries("copy")) {
        const DataFormat in = format_of(e.text("in_format"));
        const DataFormat acc = acc_of(e.text("dst_format") == "fp32" ? "32-bit" : e.text("dst_format"));
        const auto l1 = e.bytes("l1");
        const auto dst = e.words("dst");
        for (std::size_t t = 0; t * 1024 < dst.size(); ++t, ++tiles) {
            const std::uint8_t* body = l1.data() + t * body_bytes(in);
            Tile values = decoded(in, body);
            auto skip = hardware_quirks(in, body, values);
            // Copies into a 32-bit Dst are additions there: exponent 255 loses its mantissa.
            for (std::size_t i = 0; i < skip.size(); ++i) skip[i] = skip[i] || std::isnan(values[i]);
            unpack_to_src(in, acc, view(values));
            round_to_dest(acc, view(values));
            INFO(e.id() << " tile " << t);
            CHECK(differing(values, tile_of_dst(acc, dst.data() + t * 1024), skip) == 0);
            if (std::any_of(skip.begin(), skip.end(), [](bool b) { return b; })) {
                ++left_out;
                continue;
            }
            for (const auto& a : e.json.at("arrays")) {
                const std::string name = a.at("name");
                if (name.rfind("packed_", 0) != 0) continue;
                const DataFormat out = format_of(name.substr(7));
                const std::string meaning = a.at("meaning");
                if (meaning.substr(meaning.rfind(' ') + 1) != intermediate(acc, out)) continue;
                Tile result = values;
                pack_from_dest(acc, out, view(result));
                const auto got = encoded(out, result);
                const auto want = e.bytes(name);
                INFO(name);
                CHECK(std::equal(got.begin(), got.end(), want.begin() + static_cast<std::ptrdiff_t>(t * got.size())));
                ++packed;
            }
        }
    }
    std::cout << "copy: " << tiles << " tiles compared, " << packed << " packed bodies; packing of " << left_out
              << " tiles with hardware quirks or NaN left out\n";
    CHECK(tiles >= 20);
    CHECK(packed >= 20);
}

namespace {

/// One matmul of the vectors with float32 sums: masked operands, all k in one go, one rounding.
Tile fast_matmul(DataFormat acc, Fidelity fidelity, const std::vector<Tile>& in0, const std::vector<Tile>& in1) {
    Tile out{};
    for (std::size_t k = 0; k < in0.size(); ++k) {
        Tile b = in0[k], a = in1[k], b_low{}, a_low{}, low{};
        low_part(SrcPort::B, view(b), view(b_low));
        low_part(SrcPort::A, view(a), view(a_low));
        mask_operand(fidelity, SrcPort::B, view(b));
        mask_operand(fidelity, SrcPort::A, view(a));
        gemm(view(b), view(a), view(out), true);
        if (fidelity != Fidelity::HiFi3) continue;
        gemm(view(b_low), view(a_low), view(low), false);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] -= low[i];
    }
    round_to_dest(acc, view(out));
    return out;
}

}  // namespace

TEST_CASE("fast matmul stays near the vectors at every fidelity") {
    if (no_vectors()) return;
    for (const VectorEntry& e : test::vector_entries("matmul")) {
        if (e.text("op") != "tile matmul out = in0 x in1, accumulated over k tiles") continue;
        const DataFormat f0 = format_of(e.text("in0_format")), f1 = format_of(e.text("in1_format"));
        if (is_integer(f0)) continue;
        const std::string kind = e.text("dst_format");
        const DataFormat acc = acc_of(kind == "fp32" ? "32-bit" : kind);
        const std::size_t k_tiles = e.json.at("k_tiles");
        const std::size_t cases = e.json.at("case_classes").size();
        if (e.json.at("case_classes")[0] != "gauss") continue;
        const auto l1_0 = e.bytes("in0"), l1_1 = e.bytes("in1");
        const auto dst = e.words("dst");
        std::vector<Tile> in0, in1;
        for (std::size_t k = 0; k < k_tiles; ++k) {
            in0.push_back(decoded(f0, l1_0.data() + k * body_bytes(f0)));
            in1.push_back(decoded(f1, l1_1.data() + k * body_bytes(f1)));
            unpack_to_src(f0, acc, view(in0.back()));
            unpack_to_src(f1, acc, view(in1.back()));
        }
        std::cout << e.id() << " rms error / rms:";
        std::size_t at = 0;
        for (const std::string name : e.json.at("fidelities")) {
            const Tile got = fast_matmul(acc, *parse_fidelity(name), in0, in1);
            const Tile want = tile_of_dst(acc, dst.data() + at++ * cases * 1024);
            double error = 0, power = 0;
            for (std::size_t i = 0; i < got.size(); ++i) {
                error += std::pow(double{got[i]} - double{want[i]}, 2);
                power += std::pow(double{want[i]}, 2);
            }
            std::cout << "  " << name << " " << std::sqrt(error / power);
            INFO(e.id() << " " << name);
            CHECK(std::sqrt(error / power) < (element_bytes(acc) == 4 ? 3e-3 : 2e-2));
        }
        std::cout << "\n";
    }
}
