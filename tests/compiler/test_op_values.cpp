// Constant folding of ops, compared with their definition.
#include <algorithm>
#include <catch2/catch.hpp>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op_table.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

Literal counted(DType dtype, const Dims& dims) {
    Literal literal(dtype, dims);
    for (std::int64_t i = 0; i < literal.size(); ++i) literal.set(i, static_cast<double>(i * i % 97 + 1));
    return literal;
}

/// The last axes of `dims`, those of `ones` of size 1.
Dims part_of(const Dims& dims, std::size_t rank, unsigned ones) {
    Dims part(dims.end() - static_cast<std::ptrdiff_t>(rank), dims.end());
    for (std::size_t i = 0; i < rank; ++i)
        if (ones >> i & 1) part[i] = 1;
    return part;
}

/// Where an operand of these dims has element `i` of a result.
std::int64_t place_in(const Dims& in, const Dims& out, std::int64_t i) {
    std::int64_t place = 0, step = 1;
    for (std::size_t k = 0; k < out.size(); ++k) {
        const std::int64_t wide = out[out.size() - 1 - k], at = i % wide;
        i /= wide;
        if (k >= in.size()) break;
        const std::int64_t has = in[in.size() - 1 - k];
        place += has == 1 ? 0 : at * step;
        step *= has;
    }
    return place;
}

Literal evaluated(OpId op, const Type& type, std::vector<const Literal*> in, Attrs attrs = {}) {
    Node node;
    node.op = op;
    node.name = "y";
    node.type = type;
    node.attrs = std::move(attrs);
    return find_op(op)->eval(node, in);
}

}  // namespace

TEST_CASE("a difference of constants, for all broadcasts of four axes") {
    const Dims all{2, 3, 4, 5};
    for (std::size_t rank_a = 0; rank_a <= 4; ++rank_a)
        for (unsigned ones_a = 0; ones_a < 1U << rank_a; ++ones_a)
            for (unsigned ones_b = 0; ones_b < 16; ++ones_b) {
                const Literal a = counted(DType::F32, part_of(all, rank_a, ones_a)),
                              b = counted(ones_b % 2 ? DType::F32 : DType::BF16, part_of(all, 4, ones_b));
                Dims out = b.dims();
                for (std::size_t k = 0; k < rank_a; ++k)
                    out[4 - rank_a + k] = std::max(out[4 - rank_a + k], a.dims()[k]);
                const Literal y = evaluated(op::subtract, {DType::F32, out, {}}, {&a, &b});
                for (std::int64_t i = 0; i < y.size(); ++i)
                    REQUIRE(y.at(i) == a.at(place_in(a.dims(), out, i)) - b.at(place_in(b.dims(), out, i)));
            }
}

TEST_CASE("a transposition of a constant, in all orders of four axes, more of one than are moved at a time") {
    std::vector<std::int64_t> perm{0, 1, 2, 3};
    const Literal x = counted(DType::F32, {3, 37, 1, 18});
    const Dims steps = strides(x.dims());
    do {
        Dims out;
        for (const std::int64_t axis : perm) out.push_back(x.dims()[static_cast<std::size_t>(axis)]);
        const Literal y = evaluated(op::transpose, {DType::F32, out, {}}, {&x}, {attr::perm(perm)});
        for (std::int64_t i = 0; i < y.size(); ++i) {
            std::int64_t rest = i, from = 0;
            for (std::size_t k = 4; k-- > 0; rest /= out[k])
                from += rest % out[k] * steps[static_cast<std::size_t>(perm[k])];
            REQUIRE(y.at(i) == x.at(from));
        }
    } while (std::next_permutation(perm.begin(), perm.end()));
}
