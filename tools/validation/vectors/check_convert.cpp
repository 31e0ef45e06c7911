// Checks of format conversions by unpacker and packer.
#include <algorithm>

#include "kernels/exact/pack.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/unpack.hpp"
#include "tools/validation/vectors/entry.hpp"
#include "tools/validation/vectors/formats.hpp"

namespace ttsim::impl::vectors {

namespace {

std::vector<std::uint8_t> body_of(const Array& bodies, std::size_t size, std::size_t n) {
    std::vector<std::uint8_t> body(size);
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<std::uint8_t>(bodies.data[n * size + i]);
    return body;
}

void check_source_tiles(Check& check, bool transpose) {
    const Entry& e = check.entry();
    const DataFormat from = e.tile_format("in_format"), to = e.format("out_format");
    const std::size_t size = body_bytes(from);
    const Array l1 = e.array("l1", size);
    for (std::size_t n = 0; n < l1.data.size() / size; ++n) {
        std::array<std::uint32_t, 1024> registers;
        exact::unpack_tile(from, to, e.integer("unsigned", 0) != 0, body_of(l1, size, n), registers);
        if (transpose) {
            const auto before = registers;  // transposes within each face
            for (std::size_t i = 0; i < 1024; ++i) registers[i] = before[i / 256 * 256 + i % 16 * 16 + i / 16 % 16];
        }
        check.expect("src", n * 1024, registers);
    }
}

void check_direct_tiles(Check& check) {
    const Entry& e = check.entry();
    const Array l1 = e.array("l1", 4096);
    for (std::size_t n = 0; n < l1.data.size() / 4096; ++n) {
        std::vector<std::uint32_t> dest(1024), stored(2048);
        for (std::size_t i = 0; i < 4096; ++i) dest[i / 4] |= l1.data[n * 4096 + i] << (8 * (i % 4));
        for (std::size_t i = 0; i < 1024; ++i) {
            stored[i] = exact::stored_bf16(static_cast<std::uint16_t>(dest[i] >> 16));
            stored[1024 + i] = dest[i] & 0xFFFFU;
        }
        check.expect("dst", n * 1024, dest);
        check.expect("stored", n * 2048, stored);
    }
}

void check_table(Check& check) {
    std::vector<std::uint32_t> table(65536);
    for (std::uint32_t i = 0; i < table.size(); ++i)
        table[i] = exact::unpack_block_element(DataFormat::Bfp8_b, i >> 8, i & 0xFF) >> 16;
    check.expect("bf16", 0, table);
}

exact::PackSource pack_source(const Entry& e) {
    const std::string id = e.id();
    // Entries without dst_format name it in their id: dbf16, dfp16, d32.
    std::string name = e.text("dst_format", "");
    if (name.empty())
        name = id.find("_d32") != std::string::npos    ? "32-bit"
               : id.find("dfp16") != std::string::npos ? "fp16"
                                                       : "bf16";
    if (name.rfind("raw", 0) == 0) return exact::PackSource::Raw16;
    if (name.rfind("int32", 0) == 0) return exact::PackSource::Bits32;
    return packer(dest_format(e, name), {}, {}).source;
}

exact::PackConfig pack_config(const Entry& e) {
    exact::PackConfig config;
    config.source = pack_source(e);
    config.intermediate = e.format("intermediate_format");
    config.out = e.format("out_format");
    config.is_unsigned = e.integer("unsigned", 0) != 0;
    if (config.source != exact::PackSource::Raw16 && !exact::can_pack(config))
        e.fail("{} cannot be packed to {} from this Dst", to_string(config.intermediate), to_string(config.out));
    return config;
}

void check_relu(Check& check) {
    const Entry& e = check.entry();
    exact::PackConfig config = pack_config(e);
    const Array dest = e.array("dst", 1024);
    std::size_t n = 0;
    for (const nlohmann::json& setting : e.list("relu_settings")) {
        if (!setting.is_object() || !setting.contains("mode") || !setting.contains("threshold"))
            e.fail("each of 'relu_settings' needs mode and threshold");
        config.relu_mode = setting["mode"];
        config.relu_threshold = setting["threshold"];
        check.expect_bytes("l1", n++ * body_bytes(config.out), packed(config, std::span(dest.data).first(1024)));
    }
}

void check_sums_in_l1(Check& check) {
    const Entry& e = check.entry();
    exact::PackConfig config = pack_config(e);
    config.out = summable_format(e);
    const Array dest = e.array("dst", 1024);
    const std::size_t size = body_bytes(config.out), width = size / 1024;
    const Array before = e.array("l1_before", size);
    if (before.data.size() / size != dest.data.size() / 1024) e.fail("its arrays have different numbers of tiles");
    for (std::size_t n = 0; n < dest.data.size() / 1024; ++n) {
        const auto added = packed(config, std::span(dest.data).subspan(n * 1024, 1024));
        std::vector<std::uint8_t> sums(size);
        for (std::size_t i = 0; i < 1024; ++i) {
            std::uint32_t old = 0, more = 0;
            for (std::size_t b = 0; b < width; ++b) {
                old |= before.data[n * size + i * width + b] << (8 * b);
                more |= std::uint32_t{added[i * width + b]} << (8 * b);
            }
            const std::uint32_t sum = exact::accumulate_in_l1(config.out, old, more);
            for (std::size_t b = 0; b < width; ++b) sums[i * width + b] = static_cast<std::uint8_t>(sum >> (8 * b));
        }
        check.expect_bytes("l1_after", n * size, sums);
    }
}

}  // namespace

void check_unpack(Check& check) {
    const Entry& e = check.entry();
    if (e.has("bf16")) return check_table(check);
    if (e.has("stored")) return check_direct_tiles(check);
    check_source_tiles(check, e.id().find("transpose") != std::string::npos);
}

void check_pack(Check& check) {
    const Entry& e = check.entry();
    if (e.has("l1_before")) return check_sums_in_l1(check);
    const std::string op = e.text("op");
    if (op == "PACR with ReLU") return check_relu(check);
    if (op != "PACR") e.fail("op '{}' is not known; PACR, with ReLU or L1 accumulation, is", op);
    const exact::PackConfig config = pack_config(e);
    const Array dest = e.array("dst", 1024);
    for (std::size_t n = 0; n < dest.data.size() / 1024; ++n)
        check.expect_bytes("l1", n * body_bytes(config.out),
                           packed(config, std::span(dest.data).subspan(n * 1024, 1024)));
}

}  // namespace ttsim::impl::vectors
