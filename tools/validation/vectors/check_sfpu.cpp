// Checks of SFPU instructions.
#include "kernels/exact/sfpu.hpp"

#include <functional>

#include "tools/validation/vectors/entry.hpp"

namespace ttsim::impl::vectors {

namespace {

namespace sfpu = exact::sfpu;
using Words = std::vector<std::uint32_t>;

template <class F>
Words mapped(std::size_t count, F f) {
    Words out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = f(i);
    return out;
}

void check_mad(Check& check) {
    const Array a = check.entry().array("a"), b = check.entry().array("b", a.data.size()),
                c = check.entry().array("c", a.data.size());
    const std::size_t n = a.data.size();
    check.expect("mad", 0, mapped(n, [&](std::size_t i) { return sfpu::mad(a.data[i], b.data[i], c.data[i]); }));
    check.expect("mul", 0, mapped(n, [&](std::size_t i) { return sfpu::mad(a.data[i], b.data[i], 0); }));
    check.expect("add", 0, mapped(n, [&](std::size_t i) { return sfpu::mad(0x3F800000U, a.data[i], c.data[i]); }));
}

void check_immediates(Check& check) {
    const Array x = check.entry().array("x"), imm = check.entry().array("imm");
    const std::size_t n = x.data.size();
    for (std::size_t k = 0; k < imm.data.size(); ++k) {
        const std::uint32_t value = imm.data[k] << 16;
        check.expect("muli", k * n, mapped(n, [&](std::size_t i) { return sfpu::mad(x.data[i], value, 0); }));
        check.expect("addi", k * n, mapped(n, [&](std::size_t i) { return sfpu::mad(0x3F800000U, value, x.data[i]); }));
    }
}

template <std::size_t Count, class Lut>
void check_lut(Check& check, Lut lut) {
    const Array x = check.entry().array("x"), sets = check.entry().array("coef", Count);
    const std::size_t n = x.data.size();
    for (std::size_t k = 0; k < sets.data.size() / Count; ++k) {
        const std::span<const std::uint32_t, Count> coefficients(sets.data.data() + k * Count, Count);
        check.expect("y", k * n, mapped(n, [&](std::size_t i) { return lut(x.data[i], coefficients); }));
    }
}

void check_rounding(Check& check) {
    using sfpu::Rounding;
    const Array x = check.entry().array("x");
    for (const auto& [name, mode] : {std::pair{"to_bf16", Rounding::Bf16},
                                     {"to_uint8", Rounding::UInt8},
                                     {"to_int8", Rounding::Int8},
                                     {"to_uint16", Rounding::UInt16},
                                     {"to_int16", Rounding::Int16}})
        check.expect(name, 0,
                     mapped(x.data.size(), [&, m = mode](std::size_t i) { return sfpu::round_to(m, x.data[i]); }));
}

void check_cast(Check& check) {
    const Array x = check.entry().array("x");
    check.expect("y", 0, mapped(x.data.size(), [&](std::size_t i) { return sfpu::cast(x.data[i]); }));
}

using BinaryOp = std::function<std::uint32_t(std::uint32_t c, std::uint32_t d)>;
struct BitOp {
    const char* name;
    BinaryOp run;
};

/// Name of the result array and the instruction on (LReg c, LReg dest).
const std::vector<BitOp>& bit_ops() {
    static const std::vector<BitOp> ops = {
        {"exman0", [](auto c, auto) { return sfpu::exman(0, c); }},
        {"exman1", [](auto c, auto) { return sfpu::exman(1, c); }},
        {"exexp0", [](auto c, auto) { return sfpu::exexp(0, c); }},
        {"exexp1", [](auto c, auto) { return sfpu::exexp(1, c); }},
        {"exexp2", [](auto c, auto) { return sfpu::exexp(2, c); }},
        {"exexp10", [](auto c, auto) { return sfpu::exexp(10, c); }},
        {"setexp0", [](auto c, auto d) { return sfpu::setexp(0, 0, c, d); }},
        {"setexp2", [](auto c, auto d) { return sfpu::setexp(2, 0, c, d); }},
        {"setexp1", [](auto c, auto d) { return sfpu::setexp(1, 126, c, d); }},
        {"setman0", [](auto c, auto d) { return sfpu::setman(c, d); }},
        {"setsgn0", [](auto c, auto d) { return sfpu::setsgn(0, 0, c, d); }},
        {"setsgn1", [](auto c, auto d) { return sfpu::setsgn(1, 1, c, d); }},
        {"absint", [](auto c, auto) { return sfpu::absolute(0, c); }},
        {"absfp", [](auto c, auto) { return sfpu::absolute(1, c); }},
        {"lz0", [](auto c, auto) { return sfpu::leading_zeros(0, c); }},
        {"lz4", [](auto c, auto) { return sfpu::leading_zeros(4, c); }},
        {"mov1", [](auto c, auto) { return sfpu::mov(1, c); }},
        {"divp2_add_001", [](auto c, auto) { return sfpu::divp2(1, 0x001, c); }},
        {"divp2_add_07f", [](auto c, auto) { return sfpu::divp2(1, 0x07F, c); }},
        {"divp2_add_f80", [](auto c, auto) { return sfpu::divp2(1, 0xF80, c); }},
        {"divp2_add_fff", [](auto c, auto) { return sfpu::divp2(1, 0xFFF, c); }},
        {"divp2_set_07f", [](auto c, auto) { return sfpu::divp2(0, 0x07F, c); }},
        {"iadd0", [](auto c, auto d) { return sfpu::iadd(0, 0, c, d); }},
        {"iadd2", [](auto c, auto d) { return sfpu::iadd(2, 0, c, d); }},
        {"iadd8", [](auto c, auto d) { return sfpu::iadd(8, 0, c, d); }},
        {"iadd10", [](auto c, auto d) { return sfpu::iadd(10, 0, c, d); }},
        {"iadd1", [](auto c, auto d) { return sfpu::iadd(1, 0x801, c, d); }},
        {"shft0", [](auto c, auto d) { return sfpu::shift(0, 0, c, d); }},
        {"shft1", [](auto c, auto d) { return sfpu::shift(1, 0xFFB, c, d); }},
        {"and", [](auto c, auto d) { return c & d; }},
        {"or", [](auto c, auto d) { return c | d; }},
        {"xor", [](auto c, auto d) { return c ^ d; }},
        {"not", [](auto c, auto) { return ~c; }},
        {"swap0_d", [](auto c, auto d) { return sfpu::swap(0, d, c).d; }},
        {"swap0_c", [](auto c, auto d) { return sfpu::swap(0, d, c).c; }},
        {"swap1_d", [](auto c, auto d) { return sfpu::swap(1, d, c).d; }},
        {"swap1_c", [](auto c, auto d) { return sfpu::swap(1, d, c).c; }},
        {"swap9_d", [](auto c, auto d) { return sfpu::swap(9, d, c).d; }},
        {"swap9_c", [](auto c, auto d) { return sfpu::swap(9, d, c).c; }},
    };
    return ops;
}

bool flag_after(const std::string& op, std::uint32_t result) {
    const int mode = std::stoi(op.substr(op.find_first_of("0123456789")));
    return op[0] == 'e' ? sfpu::flag_after_exexp(mode, result) : sfpu::flag_after_iadd(mode, result);
}

void check_bit_ops(Check& check) {
    const Array c = check.entry().array("x", 32), d = check.entry().array("y", c.data.size());
    const std::size_t n = c.data.size();
    for (const BitOp& op : bit_ops()) {
        const Words got = mapped(n, [&](std::size_t i) { return op.run(c.data[i], d.data[i]); });
        check.expect(op.name, 0, got);
        if (!check.entry().has(std::string("flags_") + op.name)) continue;
        Words flags(n / 32);
        for (std::size_t i = 0; i < n; ++i) flags[i / 32] |= std::uint32_t{flag_after(op.name, got[i])} << (i % 32);
        check.expect(std::string("flags_") + op.name, 0, flags);
    }
}

/// Index of lane `lane` in 4 Dst rows, for even (0) or odd (1) columns.
std::size_t dest_index(std::size_t parity, std::size_t lane) { return lane / 8 * 16 + 2 * (lane % 8) + parity; }

void check_load_store(Check& check) {
    using sfpu::Access;
    const Entry& e = check.entry();
    for (const auto& [name, access] : {std::pair{"fp16", Access::Fp16},
                                       {"bf16", Access::Bf16},
                                       {"fp32", Access::Fp32},
                                       {"sm32", Access::SignMagnitude},
                                       {"u16", Access::UInt16},
                                       {"i32", Access::Int32}}) {
        const std::string load = std::string("ld_") + name, store = std::string("st_") + name;
        if (e.has(load + "_dst")) {
            const Array dest = e.array(load + "_dst", 64);
            check.expect(load + "_lreg", 0, mapped(64, [&, a = access](std::size_t i) {
                             return sfpu::load(a, dest.data[dest_index(i / 32, i % 32)]);
                         }));
        }
        if (!e.has(store + "_lreg")) continue;
        const Array lregs = e.array(store + "_lreg", 64);
        Words dest(64);
        for (std::size_t i = 0; i < 64; ++i) dest[dest_index(i / 32, i % 32)] = sfpu::store(access, lregs.data[i]);
        check.expect(store + "_dst", 0, dest);
    }
}

}  // namespace

void check_sfpu(Check& check) {
    const Entry& e = check.entry();
    const std::string what = e.id().substr(e.id().find('/') + 1);
    if (what == "mad_mul_add") return check_mad(check);
    if (what == "muli_addi") return check_immediates(check);
    if (what == "lut8") return check_lut<3>(check, sfpu::lut8);
    if (what == "lut16_6entry") return check_lut<6>(check, sfpu::lut16);
    if (what == "stochrnd_nearest") return check_rounding(check);
    if (what == "cast") return check_cast(check);
    if (what == "bit_ops") return check_bit_ops(check);
    if (what == "load_store") return check_load_store(check);
    e.fail("sfpu entry '{}' is not known", what);
}

}  // namespace ttsim::impl::vectors
