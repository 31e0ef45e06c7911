// Checks of operations on full tiles: matmul, element-wise, copy, reduce.
#include <algorithm>

#include "kernels/exact/integer.hpp"
#include "kernels/exact/pack.hpp"
#include "kernels/exact/tile.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/unpack.hpp"
#include "tools/validation/vectors/entry.hpp"
#include "tools/validation/vectors/formats.hpp"

namespace ttsim::impl::vectors {

namespace {

using exact::Dest;
using exact::Tile;

std::vector<std::uint32_t> rows_as_words(Dest dest, const Tile& tile) {
    const auto rows = exact::rows_of_tile(tile);
    std::vector<float> values(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = float_of(rows[i]);
    return dest_words(dest, values);
}

/// Operands and configuration of a matmul entry.
struct Product {
    const Entry& e;
    Dest dest;
    DataFormat f0, f1;
    exact::FpuConfig config;
    Array in0, in1;
    std::vector<Fidelity> fidelities;

    explicit Product(const Entry& entry)
        : e(entry),
          dest(dest_format(entry,
                           entry.text("dst_format", entry.id().find("_d32") != std::string::npos ? "fp32" : "bf16"))),
          f0(entry.tile_format("in0_format")),
          f1(entry.tile_format("in1_format")),
          config(tile_config(source_format(f0, dest), dest)),
          in0(entry.array("in0", body_bytes(f0))),
          in1(entry.array("in1", body_bytes(f1))) {
        if (tiles() != in1.data.size() / body_bytes(f1)) entry.fail("in0 and in1 have different numbers of tiles");
        for (const std::string& name : entry.words("fidelities")) fidelities.push_back(entry.fidelity(name));
    }
    std::size_t tiles() const { return in0.data.size() / body_bytes(f0); }
    void add(Fidelity fidelity, std::size_t n, bool transpose, Tile& sums) const {
        const Tile left = unpacked_tile(f0, dest, in0, n);
        const Tile right = unpacked_tile(f1, dest, in1, n);
        exact::matmul(config, phases(fidelity), 32, exact::view(left),
                      exact::view(transpose ? exact::transposed(right) : right), exact::view(sums));
    }
};

void check_products_of_tiles(Check& check) {
    const Entry& e = check.entry();
    const Product p(e);
    const auto k_tiles = static_cast<std::size_t>(e.integer("k_tiles", 1));
    const bool transpose = e.text("op").find("transpose") != std::string::npos;
    if (k_tiles < 1 || p.tiles() % k_tiles != 0)
        e.fail("{} tiles do not split into cases of {} (k_tiles)", p.tiles(), k_tiles);
    std::size_t at = 0;
    for (const Fidelity fidelity : p.fidelities)
        for (std::size_t n = 0; n < p.tiles(); n += k_tiles, ++at) {
            Tile sums{};
            for (std::size_t k = 0; k < k_tiles; ++k) p.add(fidelity, n + k, transpose, sums);
            const auto rows = rows_as_words(p.dest, sums);
            check.expect("dst", at * 1024, rows);
            expect_packed(check, p.dest, at, rows);
        }
}

/// Dst after spilling to L1 and reloading.
Tile reloaded(const Product& p, DataFormat intermediate, std::span<const std::uint8_t> body) {
    Array spilled;
    spilled.data.assign(body.begin(), body.end());
    Tile tile = unpacked_tile(intermediate, p.dest, spilled, 0);
    exact::copy_to_dest(tile_config(source_format(intermediate, p.dest), p.dest), exact::view(tile));
    return tile;
}

void check_reload(Check& check) {
    const Entry& e = check.entry();
    const Product p(e);
    const DataFormat intermediate = e.tile_format("intermediate_format");
    const exact::PackConfig config = packer(p.dest, e.format("pack_intermediate"), intermediate);
    if (!exact::can_pack(config)) e.fail("its intermediate cannot be packed");
    for (std::size_t at = 0; at < p.fidelities.size(); ++at) {
        Tile sums{};
        for (std::size_t k = 0; k < p.tiles(); ++k) {
            p.add(p.fidelities[at], k, false, sums);
            if (k != 1) continue;
            const auto body = packed(config, rows_as_words(p.dest, sums));
            check.expect_bytes("spilled", at * body.size(), body);
            sums = reloaded(p, intermediate, body);
        }
        check.expect("dst", at * 1024, rows_as_words(p.dest, sums));
    }
}

void check_tiles_summed_in_l1(Check& check) {
    const Entry& e = check.entry();
    const Product p(e);
    const DataFormat out = summable_format(e);
    const exact::PackConfig config = packer(p.dest, out, out);
    if (!exact::can_pack(config)) e.fail("{} cannot be packed from this Dst", to_string(out));
    const std::size_t size = body_bytes(out), width = size / 1024;
    for (std::size_t at = 0; at < p.fidelities.size(); ++at) {
        std::vector<std::uint32_t> l1(1024);
        for (std::size_t k = 0; k < p.tiles(); ++k) {
            Tile sums{};
            p.add(p.fidelities[at], k, false, sums);
            const auto rows = rows_as_words(p.dest, sums);
            std::vector<std::uint8_t> bytes(size);
            for (std::size_t i = 0; i < 1024; ++i) {
                const std::uint32_t added = exact::pack_late(config, exact::pack_early(config, rows[i]));
                l1[i] = k == 0 ? added : exact::accumulate_in_l1(out, l1[i], added);
                for (std::size_t b = 0; b < width; ++b)
                    bytes[i * width + b] = static_cast<std::uint8_t>(l1[i] >> (8 * b));
            }
            check.expect_bytes("l1", (at * p.tiles() + k) * size, bytes);
        }
    }
}

/// A body of Int8 elements as a row-major tile of integers.
std::vector<std::int32_t> integer_tile(const Array& bodies, std::size_t n) {
    std::vector<std::uint32_t> words(1024);
    for (std::size_t i = 0; i < 1024; ++i) {
        const std::uint32_t element = bodies.data[n * 1024 + i];
        words[i] = element >> 7 << 31 | (element & 0x7FU);
    }
    const Tile places = exact::tile_of_rows(words);
    std::vector<std::uint32_t> by_tile(1024);
    for (std::size_t i = 0; i < 1024; ++i) by_tile[i] = bits_of(places[i]);
    return sign_magnitude_values(by_tile);
}

void check_integer_tiles(Check& check) {
    const Entry& e = check.entry();
    const Array in0 = e.array("in0", 1024), in1 = e.array("in1", 1024);
    const auto k_tiles = static_cast<std::size_t>(e.integer("k_tiles", 1));
    const std::size_t tiles = in0.data.size() / 1024;
    if (in1.data.size() != in0.data.size() || k_tiles < 1 || tiles % k_tiles != 0)
        e.fail("its arrays have different numbers of tiles");
    exact::PackConfig config{
        .source = exact::PackSource::Bits32, .intermediate = DataFormat::Int8, .out = DataFormat::Int8};
    std::size_t at = 0;
    for (const std::string& name : e.words("fidelities"))
        for (std::size_t n = 0; n < tiles; n += k_tiles, ++at) {
            std::vector<std::int32_t> sums(1024);
            for (std::size_t k = 0; k < k_tiles; ++k) {
                const auto left = integer_tile(in0, n + k), right = integer_tile(in1, n + k);
                exact::integer_matmul(phases(e.fidelity(name)),
                                      {.rows = 32, .cols = 32, .k = 32, .in0 = left, .in1 = right, .dest = sums});
            }
            Tile places;
            const auto words = sign_magnitude_words(sums);
            for (std::size_t i = 0; i < 1024; ++i) places[i] = float_of(words[i]);
            const auto rows = exact::rows_of_tile(places);
            check.expect("dst", at * 1024, rows);
            if (e.has("packed_Int8")) check.expect_bytes("packed_Int8", at * 1024, packed(config, rows));
        }
}

/// Runs an op such as "mul_HiFi3" on tiles, with in0 in SrcA.
Tile run_pair(const Entry& e, const exact::FpuConfig& config, const std::string& op, const Tile& a, const Tile& b) {
    Tile dest{};
    if (op == "add")
        exact::add(config, exact::AddKind::Add, false, a, b, dest);
    else if (op == "sub")
        exact::add(config, exact::AddKind::Subtract, false, a, b, dest);
    else if (op.rfind("mul_", 0) == 0)
        exact::multiply(config, phases(e.fidelity(op.substr(4))), a, b, dest);
    else
        e.fail("run '{}' is not known; add, sub and mul_<fidelity> are", op);
    return dest;
}

exact::Broadcast broadcast_kind(const Entry& e, const std::string& name) {
    if (name == "row") return exact::Broadcast::Row;
    if (name == "col") return exact::Broadcast::Column;
    if (name != "scalar") e.fail("broadcast '{}' is not known; row, col and scalar are", name);
    return exact::Broadcast::Scalar;
}

bool is_meaningful(std::size_t index, const std::string& along) {
    const std::size_t row = index / 16, col = index % 16;
    if (along == "col") return row == 0 || row == 16;
    if (along == "row") return col == 0 && row / 16 % 2 == 0;
    return index == 0;
}

/// The result of a reduction as 64 Dst rows.
std::vector<std::uint32_t> reduced_rows(Dest dest, const std::string& along, std::span<const float> result) {
    Tile tile{};
    for (std::size_t i = 0; i < result.size(); ++i) tile[along == "row" ? i * 32 : i] = result[i];
    return rows_as_words(dest, tile);
}

}  // namespace

void check_tile_matmul(Check& check) {
    const Entry& e = check.entry();
    if (e.text("in0_format") == "Int8") return check_integer_tiles(check);
    if (e.has("spilled")) return check_reload(check);
    if (e.has("l1")) return check_tiles_summed_in_l1(check);
    check_products_of_tiles(check);
}

void check_tile_pairs(Check& check) {
    const Entry& e = check.entry();
    const Dest dest = dest_format(e, e.text("dst_format"));
    const DataFormat f0 = e.tile_format("in0_format"), f1 = e.tile_format("in1_format");
    const exact::FpuConfig config = tile_config(source_format(f0, dest), dest);
    const Array in0 = e.array("in0", body_bytes(f0)), in1 = e.array("in1", body_bytes(f1));
    const std::size_t cases = in0.data.size() / body_bytes(f0);
    if (in1.data.size() / body_bytes(f1) != cases) e.fail("in0 and in1 have different numbers of tiles");
    std::size_t at = 0;
    for (const std::string& run : e.words("runs"))
        for (std::size_t n = 0; n < cases; ++n, ++at) {
            const Tile a = unpacked_tile(f0, dest, in0, n);
            Tile b = unpacked_tile(f1, dest, in1, n);
            const std::size_t colon = run.find(':');
            if (colon != std::string::npos) b = exact::broadcast(broadcast_kind(e, run.substr(0, colon)), b);
            const Tile result = run_pair(e, config, run.substr(colon == std::string::npos ? 0 : colon + 1), a, b);
            const auto rows = rows_as_words(dest, result);
            check.expect("dst", at * 1024, rows);
            expect_packed(check, dest, at, rows);
        }
}

void check_tile_copy(Check& check) {
    const Entry& e = check.entry();
    const Dest dest = dest_format(e, e.text("dst_format"));
    const DataFormat from = e.tile_format("in_format");
    const Array l1 = e.array("l1", body_bytes(from));
    for (std::size_t n = 0; n < l1.data.size() / body_bytes(from); ++n) {
        Tile tile = unpacked_tile(from, dest, l1, n);
        exact::copy_to_dest(tile_config(source_format(from, dest), dest), exact::view(tile));
        const auto rows = rows_as_words(dest, tile);
        check.expect("dst", n * 1024, rows);
        expect_packed(check, dest, n, rows);
    }
}

void check_tile_reduce(Check& check) {
    const Entry& e = check.entry();
    const Dest dest = dest_format(e, e.text("dst_format"));
    const DataFormat from = e.tile_format("in_format");
    const exact::FpuConfig config = tile_config(source_format(from, dest), dest);
    const Array tiles = e.array("tiles", body_bytes(from));
    std::size_t at = 0;
    for (const std::string& run : e.words("runs")) {
        const std::size_t first = run.find(':'), last = run.rfind(':');
        if (first == last) e.fail("run '{}' must be along:what:fidelity", run);
        const std::string along = run.substr(0, first), what = run.substr(first + 1, last - first - 1);
        const Tile scalers =
            unpacked_tile(from, dest, e.array(what == "avg" ? "scaler_avg" : "scaler_one", body_bytes(from)), 0);
        exact::TileReducer reducer(config, what == "max" ? exact::Reduction::Max : exact::Reduction::Sum,
                                   along == "col"   ? exact::ReduceAlong::Column
                                   : along == "row" ? exact::ReduceAlong::Row
                                                    : exact::ReduceAlong::Scalar,
                                   phases(e.fidelity(run.substr(last + 1))), std::span(scalers).first<16>());
        for (std::size_t n = 0; n < tiles.data.size() / body_bytes(from); ++n)
            reducer.add(exact::view(unpacked_tile(from, dest, tiles, n)));
        check.expect("dst", at++ * 1024, reduced_rows(dest, along, reducer.result()), is_meaningful, along);
    }
}

}  // namespace ttsim::impl::vectors
