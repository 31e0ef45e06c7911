// Checks of single FPU instructions: MVMUL, pooling, element-wise.
#include <algorithm>

#include "kernels/exact/fpu.hpp"
#include "kernels/exact/integer.hpp"
#include "kernels/formats/float_bits.hpp"
#include "kernels/formats/unpack.hpp"
#include "tools/validation/vectors/entry.hpp"
#include "tools/validation/vectors/formats.hpp"

namespace ttsim::impl::vectors {

namespace {

constexpr int all_phases[] = {0, 1, 2, 3};
constexpr std::size_t source_elements = 256;  // 16 x 16

/// Dst += SrcB x SrcA on `rows` rows; each phase starts from the same Dst.
void check_products(Check& check, std::size_t rows) {
    const Entry& e = check.entry();
    const exact::FpuConfig config = instruction_config(e);
    const std::size_t width = rows * 16;
    const auto a = source_floats(config, e.array("srca", source_elements));
    const auto b = source_floats(config, e.array("srcb", width));
    const auto start = dest_floats(config.dest, e.array("dst_in", width));
    const std::size_t cases = a.size() / source_elements;
    if (b.size() != cases * width || start.size() != cases * width)
        e.fail("its arrays have different numbers of cases");
    const auto r = static_cast<std::int64_t>(rows);
    for (const int& phase : all_phases)
        for (std::size_t n = 0; n < cases; ++n) {
            std::vector<float> dest(start.begin() + static_cast<std::ptrdiff_t>(n * width),
                                    start.begin() + static_cast<std::ptrdiff_t>((n + 1) * width));
            exact::matmul(config, {&phase, 1}, 16, {b.data() + n * width, r, 16, 16},
                          {a.data() + n * source_elements, 16, 16, 16}, {dest.data(), r, 16, 16});
            check.expect("dst_out", (static_cast<std::size_t>(phase) * cases + n) * width,
                         dest_words(config.dest, dest));
        }
}

void check_integer_products(Check& check) {
    const Entry& e = check.entry();
    const auto a = register_integers(e.array("srca", source_elements));
    const auto b = register_integers(e.array("srcb", 128));
    const auto start = sign_magnitude_values(e.array("dst_in", 128).data);
    const std::size_t cases = a.size() / source_elements;
    if (b.size() != cases * 128 || start.size() != b.size()) e.fail("its arrays have different numbers of cases");
    for (const int& phase : all_phases)
        for (std::size_t n = 0; n < cases; ++n) {
            std::vector<std::int32_t> dest(start.begin() + static_cast<std::ptrdiff_t>(n * 128),
                                           start.begin() + static_cast<std::ptrdiff_t>((n + 1) * 128));
            exact::integer_matmul({&phase, 1}, {.rows = 8,
                                                .cols = 16,
                                                .k = 16,
                                                .k_tile = 16,
                                                .in0 = std::span(b).subspan(n * 128, 128),
                                                .in1 = std::span(a).subspan(n * source_elements, source_elements),
                                                .dest = dest});
            check.expect("dst_out", (static_cast<std::size_t>(phase) * cases + n) * 128, sign_magnitude_words(dest));
        }
}

void check_pool_max(Check& check) {
    const Entry& e = check.entry();
    const exact::FpuConfig config = instruction_config(e);
    const auto a = source_floats(config, e.array("srca", source_elements));
    const auto start = dest_floats(config.dest, e.array("dst_in", 16));
    const Array valid = e.array("dst_valid");
    const std::size_t cases = valid.data.size();
    if (a.size() != cases * source_elements || start.size() != cases * 16)
        e.fail("its arrays have different numbers of cases");
    for (std::size_t n = 0; n < cases; ++n) {
        std::vector<float> block(64);
        std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(n * 16), 16, block.begin());
        exact::pool_max(config, {a.data() + n * source_elements, 16, 16, 16}, valid.data[n] == 0,
                        std::span(block).first(16));
        check.expect("dst_out", n * 64, dest_words(config.dest, block));
    }
}

/// Ops 0 to 3 of the vectors: add, add with accumulation, subtract, subtract with accumulation.
void add_op(const exact::FpuConfig& config, int op, std::span<const float> a, std::span<const float> b,
            std::span<float> dest) {
    exact::add(config, op < 2 ? exact::AddKind::Add : exact::AddKind::Subtract, op % 2 != 0, a, b, dest);
}

void check_float_pairs(Check& check) {
    const Entry& e = check.entry();
    const exact::FpuConfig config = instruction_config(e);
    const auto a = source_floats(config, e.array("srca"));
    const auto b = source_floats(config, e.array("srcb"));
    const auto start = dest_floats(config.dest, e.array("dst_in"));
    if (b.size() != a.size() || start.size() != a.size()) e.fail("its arrays have different sizes");
    for (int op = 0; op < 4; ++op) {
        auto sum = start, product = start;
        add_op(config, op, a, b, sum);
        exact::multiply(config, {&all_phases[op], 1}, a, b, product);
        check.expect("addsub_out", static_cast<std::size_t>(op) * a.size(), dest_words(config.dest, sum));
        check.expect("mul_out", static_cast<std::size_t>(op) * a.size(), dest_words(config.dest, product));
    }
}

/// Broadcasts SrcB's column 0, row 0 or first element (mode 0, 1, 2) over every 8 x 16 block.
std::vector<float> broadcast_block(std::size_t mode, const std::vector<float>& b) {
    std::vector<float> out(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
        const std::size_t block = i / 128 * 128, row = i % 128 / 16, col = i % 16;
        out[i] = b[block + (mode == 0 ? row * 16 : mode == 1 ? col : 0)];
    }
    return out;
}

void check_broadcast_pairs(Check& check) {
    const Entry& e = check.entry();
    const exact::FpuConfig config = instruction_config(e);
    const auto a = source_floats(config, e.array("srca", 128));
    const auto b = source_floats(config, e.array("srcb", 128));
    const auto start = dest_floats(config.dest, e.array("dst_in", 128));
    if (b.size() != a.size() || start.size() != a.size()) e.fail("its arrays have different sizes");
    for (std::size_t mode = 0; mode < 3; ++mode)
        for (std::size_t op = 0; op < 5; ++op) {
            const auto shared = broadcast_block(mode, b);
            auto dest = start;
            if (op < 4)
                add_op(config, static_cast<int>(op), a, shared, dest);
            else
                exact::multiply(config, {all_phases, 1}, a, shared, dest);
            check.expect("out", (mode * 5 + op) * a.size(), dest_words(config.dest, dest));
        }
}

void check_integer_pairs(Check& check) {
    const Entry& e = check.entry();
    const auto a = register_integers(e.array("srca"));
    const auto b = register_integers(e.array("srcb"));
    const auto start = sign_magnitude_values(e.array("dst_in").data);
    if (b.size() != a.size() || start.size() != a.size()) e.fail("its arrays have different sizes");
    for (int op = 0; op < 4; ++op) {
        std::vector<std::int32_t> sum(a.size()), product(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            sum[i] = exact::integer_sum(op % 2 != 0 ? start[i] : 0, op < 2 ? a[i] + b[i] : a[i] - b[i]);
            product[i] = exact::integer_sum(start[i], exact::integer_product(op, a[i], b[i]));
        }
        check.expect("addsub_out", static_cast<std::size_t>(op) * a.size(), sign_magnitude_words(sum));
        check.expect("mul_out", static_cast<std::size_t>(op) * a.size(), sign_magnitude_words(product));
    }
}

}  // namespace

void check_mvmul(Check& check) {
    if (check.entry().text("srca_format") == "int8") return check_integer_products(check);
    check_products(check, 8);
}

void check_pool(Check& check) {
    const std::string op = check.entry().text("op");
    if (op == "GMPOOL") return check_pool_max(check);
    if (op != "GAPOOL") check.entry().fail("op '{}' is not known; GAPOOL and GMPOOL are", op);
    check_products(check, 4);
}

void check_elementwise(Check& check) {
    if (check.entry().text("srca_format") == "int8") return check_integer_pairs(check);
    if (check.entry().has("out")) return check_broadcast_pairs(check);
    check_float_pairs(check);
}

}  // namespace ttsim::impl::vectors
