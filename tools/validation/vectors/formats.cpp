#include "tools/validation/vectors/formats.hpp"

#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/unpack.hpp"

namespace ttsim::impl::vectors {

exact::Dest dest_format(const Entry& entry, const std::string& name) {
    if (name == "bf16") return exact::Dest::Bf16;
    if (name == "fp16") return exact::Dest::Fp16;
    if (name != "fp32" && name != "32-bit") entry.fail("dst_format '{}' is not known; bf16, fp16 and fp32 are", name);
    return exact::Dest::Fp32;
}

exact::FpuConfig instruction_config(const Entry& entry) {
    const std::string a = entry.text("srca_format"), b = entry.text("srcb_format", a.c_str());
    for (const std::string& format : {a, b.rfind("all ", 0) == 0 ? a : b})
        if (format != "bf16" && format != "tf32" && format != "fp16")
            entry.fail("source format '{}' is not known; bf16, tf32, fp16 and int8 are", format);
    return {dest_format(entry, entry.text("dst_format")), a == "fp16"};
}

exact::FpuConfig tile_config(DataFormat source, exact::Dest dest) {
    return {dest, info(source).family == FormatFamily::A};
}

std::vector<float> source_floats(const exact::FpuConfig& config, const Array& registers) {
    std::vector<float> out(registers.data.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = float_of(exact::source_bits(config.fp16_sources, registers.data[i]));
    return out;
}

std::vector<float> dest_floats(exact::Dest dest, const Array& words) {
    std::vector<float> out(words.data.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint32_t w = words.data[i];
        out[i] = dest == exact::Dest::Bf16   ? float_of(w << 16)
                 : dest == exact::Dest::Fp16 ? Fp16::decode(w)
                                             : float_of(w);
    }
    return out;
}

std::vector<std::uint32_t> dest_words(exact::Dest dest, std::span<const float> values) {
    std::vector<std::uint32_t> out(values.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint32_t bits = bits_of(values[i]);
        out[i] = dest == exact::Dest::Bf16 ? bits >> 16 : dest == exact::Dest::Fp16 ? Fp16::encode(values[i]) : bits;
    }
    return out;
}

std::vector<std::int32_t> register_integers(const Array& registers) {
    std::vector<std::int32_t> out(registers.data.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint32_t w = registers.data[i];
        const auto magnitude = static_cast<std::int32_t>((w & 0x0F800000U) == 0 ? 0 : (w >> 13) & 0x3FFU);
        out[i] = (w & sign_bit) != 0 ? -magnitude : magnitude;
    }
    return out;
}

std::vector<std::int32_t> sign_magnitude_values(std::span<const std::uint32_t> words) {
    std::vector<std::int32_t> out(words.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto magnitude = static_cast<std::int32_t>(words[i] & ~sign_bit);
        out[i] = (words[i] & sign_bit) != 0 ? -magnitude : magnitude;
    }
    return out;
}

std::vector<std::uint32_t> sign_magnitude_words(std::span<const std::int32_t> values) {
    std::vector<std::uint32_t> out(values.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] =
            values[i] < 0 ? sign_bit | static_cast<std::uint32_t>(-values[i]) : static_cast<std::uint32_t>(values[i]);
    return out;
}

DataFormat source_format(DataFormat from, exact::Dest dest) {
    if (from != DataFormat::Float32) return from;
    return dest == exact::Dest::Fp32   ? DataFormat::Tf32
           : dest == exact::Dest::Fp16 ? DataFormat::Float16
                                       : DataFormat::Float16_b;
}

DataFormat summable_format(const Entry& entry) {
    const DataFormat out = entry.format("out_format");
    if (out != DataFormat::Float32 && out != DataFormat::Float16_b && out != DataFormat::Float16)
        entry.fail("out_format {} cannot be added in L1; Float32, Float16_b and Float16 can", to_string(out));
    return out;
}

std::size_t body_bytes(DataFormat format) { return static_cast<std::size_t>(tile_body_bytes(format, {})); }

exact::Tile unpacked_tile(DataFormat from, exact::Dest dest, const Array& bodies, std::size_t n) {
    const std::size_t size = body_bytes(from);
    std::vector<std::uint8_t> body(size);
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<std::uint8_t>(bodies.data.at(n * size + i));
    std::array<std::uint32_t, 1024> registers;
    const DataFormat to = source_format(from, dest);
    exact::unpack_tile(from, to, false, body, registers);
    for (std::uint32_t& word : registers) word = exact::source_bits(info(to).family == FormatFamily::A, word);
    return exact::tile_of_rows(registers);
}

exact::PackConfig packer(exact::Dest dest, DataFormat intermediate, DataFormat out) {
    using exact::PackSource;
    exact::PackConfig config;
    config.source = dest == exact::Dest::Bf16   ? PackSource::Bf16
                    : dest == exact::Dest::Fp16 ? PackSource::Fp16
                                                : PackSource::Bits32;
    config.intermediate = intermediate;
    config.out = out;
    return config;
}

std::vector<std::uint8_t> packed(const exact::PackConfig& config, std::span<const std::uint32_t> rows) {
    std::vector<std::uint8_t> body(body_bytes(config.out));
    exact::pack_tile(config, rows, body);
    return body;
}

void expect_packed(Check& check, exact::Dest dest, std::size_t n, std::span<const std::uint32_t> rows) {
    for (const std::string& name : check.entry().arrays("packed_")) {
        const auto out = parse_format(name.substr(7));
        const std::string meaning = check.entry().meaning(name);
        const auto intermediate = parse_format(meaning.substr(meaning.rfind(' ') + 1));
        DataFormat through = out.value_or(DataFormat::Invalid);
        if (intermediate)
            through = *intermediate;
        else if (out && is_block_float(*out))
            through = dest == exact::Dest::Fp16 ? DataFormat::Bfp8 : DataFormat::Bfp8_b;
        if (!out || !exact::can_pack(packer(dest, through, *out)))
            check.entry().fail("array '{}' cannot be packed from this Dst", name);
        check.expect_bytes(name, n * body_bytes(*out), packed(packer(dest, through, *out), rows));
    }
}

}  // namespace ttsim::impl::vectors
