// Integers have the width of their type: in folding, on the host, in files, and where the device would round them.
#include <array>
#include <catch2/catch.hpp>
#include <limits>

#include "compiler/ir/integer_ranges.hpp"
#include "compiler/ir/integers.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/onnx/read.hpp"
#include "compiler/onnx/value_file.hpp"
#include "tests/compiler/onnx_model.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

constexpr std::array integer_types{DType::I8, DType::I16, DType::I32, DType::I64,
                                   DType::U8, DType::U16, DType::U32, DType::U64};

/// Both ends, numbers around 0, and a few in between.
std::vector<std::int64_t> samples(DType type) {
    std::vector<std::int64_t> found;
    for (const std::int64_t end : {least_of(type), most_of(type), std::int64_t{0}})
        for (const std::int64_t step : {-3, -2, -1, 0, 1, 2, 3}) found.push_back(integers::add(end, step, type));
    for (const std::int64_t v : {7, 10, 100, 12345, 123456789})
        found.push_back(wrapped(static_cast<std::uint64_t>(v), type));
    return found;
}

__extension__ using Wide = __int128;  // holds what two integers of 64 bits give

Wide exact(std::int64_t element, DType type) {
    return type == DType::U64 ? static_cast<Wide>(static_cast<std::uint64_t>(element)) : static_cast<Wide>(element);
}
std::int64_t modular(Wide value, DType type) { return wrapped(static_cast<std::uint64_t>(value), type); }

Literal vector_of(DType type, const std::vector<std::int64_t>& values) {
    Literal literal(type, {std::ssize(values)});
    for (std::int64_t i = 0; i < literal.size(); ++i) literal.set_integer(i, values[static_cast<std::size_t>(i)]);
    return literal;
}

Literal folded(OpId op, const std::vector<Literal>& operands, Attrs attrs = {}) {
    ir::Graph graph;
    Builder build(graph);
    std::vector<ValueId> ids;
    for (const Literal& operand : operands) ids.push_back(build.constant(operand));
    return *build.literal(build.add(op, ids, std::move(attrs)));
}

}  // namespace

TEST_CASE("sums, differences, products and quotients are modulo 2^n, as in 128 bits") {
    for (const DType type : integer_types)
        for (const std::int64_t a : samples(type))
            for (const std::int64_t b : samples(type)) {
                CAPTURE(to_string(type), a, b);
                const Wide x = exact(a, type), y = exact(b, type);
                CHECK(integers::add(a, b, type) == modular(x + y, type));
                CHECK(integers::subtract(a, b, type) == modular(x - y, type));
                CHECK(integers::multiply(a, b, type) ==
                      modular(static_cast<Wide>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)), type));
                CHECK(integers::less(a, b, type) == (x < y));
                CHECK(integers::divide(a, b, type) == (y == 0 ? 0 : modular(x / y, type)));
                CHECK(integers::remainder(a, b, type) == (y == 0 ? 0 : modular(x % y, type)));
                const Wide rest = y == 0 ? 0 : x % y;
                CHECK(integers::modulo(a, b, type) ==
                      modular(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest, type));
            }
}

TEST_CASE("constants of every integer type are computed with as the host does") {
    for (const DType type : integer_types) {
        const Literal a = vector_of(type, samples(type)),
                      b = vector_of(type, [&] {
                          auto turned = samples(type);
                          std::rotate(turned.begin(), turned.begin() + 5, turned.end());
                          return turned;
                      }());
        const auto check = [&](OpId op, auto f) {
            const Literal y = folded(op, {a, b});
            for (std::int64_t i = 0; i < y.size(); ++i) {
                CAPTURE(op.name(), to_string(type), a.integer(i), b.integer(i));
                CHECK(y.integer(i) == f(a.integer(i), b.integer(i), type));
            }
        };
        check(op::add, integers::add);
        check(op::subtract, integers::subtract);
        check(op::multiply, integers::multiply);
        check(op::divide, integers::divide);
        check(op::modulo, integers::modulo);
        check(op::maximum, integers::larger);
        check(op::minimum, integers::smaller);
        check(op::less, [](auto x, auto y, DType t) { return static_cast<std::int64_t>(integers::less(x, y, t)); });
        const Literal sums = folded(op::map_axis,
                                    {a,
                                     [&] {
                                         Literal ones(DType::F32, {1, a.size()});
                                         for (std::int64_t i = 0; i < a.size(); ++i) ones.set(i, 1);
                                         return ones;
                                     }()},
                                    {attr::axis(0)});
        std::int64_t sum = 0;
        for (const std::int64_t v : samples(type)) sum = integers::add(sum, v, type);
        CHECK(sums.integer(0) == sum);
        for (const DType to : integer_types) {
            const Literal cast = folded(op::cast, {a}, {attr::to(std::string(to_string(to)))});
            for (std::int64_t i = 0; i < a.size(); ++i)
                CHECK(cast.integer(i) == wrapped(static_cast<std::uint64_t>(a.integer(i)), to));
        }
    }
}

TEST_CASE("powers wrap around, and negative ones keep no fraction") {
    CHECK(integers::power(3, 5, DType::U8, DType::I64) == 243);
    CHECK(integers::power(3, 6, DType::U8, DType::I64) == 729 % 256);
    CHECK(integers::power(-2, 63, DType::I64, DType::I32) == least_of(DType::I64));
    CHECK(integers::power(2, -1, DType::I32, DType::I32) == 0);
    CHECK(integers::power(-1, -3, DType::I32, DType::I32) == -1);
}

TEST_CASE("floats become integers as x86 casts them") {
    const float none = std::numeric_limits<float>::quiet_NaN();
    CHECK(integer_of(300.7, DType::I8) == 44);
    CHECK(integer_of(-1.5, DType::U8) == 255);
    CHECK(integer_of(3e9, DType::I32) == least_of(DType::I32));
    CHECK(integer_of(static_cast<double>(none), DType::I32) == least_of(DType::I32));
    CHECK(integer_of(3e9, DType::U32) == 3000000000);
    CHECK(integer_of(1e30, DType::I64) == least_of(DType::I64));
    CHECK(static_cast<std::uint64_t>(integer_of(1.5e19, DType::U64)) == 15000000000000000000U);
    CHECK(to_float((std::int64_t{1} << 53) + 1, DType::I64) == 0x1p53F);
    CHECK(to_double(-1, DType::U64) == 0x1p64);
}

TEST_CASE("integers of 64 bits come back from a file as they were written") {
    for (const DType type : integer_types) {
        const Literal written = vector_of(type, samples(type));
        CHECK(parse_npy(npy_bytes(written), "v.npy") == written);
    }
    const Literal large = vector_of(DType::I64, {300, 7});
    CHECK_THROWS_WITH(fitted(large, {DType::U8, {2}, {}}, "v.npy", "x"),
                      Catch::Contains("v.npy") && Catch::Contains("300"));
    CHECK(fitted(vector_of(DType::I64, {200, 7}), {DType::U8, {2}, {}}, "v.npy", "x") ==
          vector_of(DType::U8, {200, 7}));
}

TEST_CASE("only ops on integers that the device cannot wrap around or hold go to the host") {
    const auto inexact = [](const std::string& lines, const std::string& op) {
        const ir::Graph graph = parse_graph(lines, "g.tg");
        const auto found = inexact_integer_ops(graph, integer_ranges(graph), 256);
        for (ValueId id = 0; id < graph.nodes.size(); ++id)
            if (graph.nodes[id].name == op) return static_cast<bool>(found[id]);
        throw std::runtime_error("no such op");
    };
    const std::string bytes = "%x = input : u8[4]\n%one = constant [1] : u8[]\n%half = constant [2] : u8[]\n";
    CHECK(inexact(bytes + "%y = add %x, %one : u8[4]\noutput \"y\" = %y\n", "y"));
    CHECK(!inexact(bytes + "%q = divide %x, %half : u8[4]\n%y = add %q, %one : u8[4]\noutput \"y\" = %y\n", "y"));
    CHECK(!inexact(bytes + "%y = maximum %x, %one : u8[4]\noutput \"y\" = %y\n", "y"));
    CHECK(inexact("%x = input : i8[4]\n%y = neg %x : i8[4]\noutput \"y\" = %y\n", "y"));
    const std::string words = "%x = input : i32[4]\n";
    CHECK(inexact(words + "%y = abs %x : i32[4]\noutput \"y\" = %y\n", "y"));
    CHECK(inexact(words + "%y = cast %x {to = \"i8\"} : i8[4]\noutput \"y\" = %y\n", "y"));
    CHECK(!inexact(words + "%y = cast %x {to = \"f32\"} : f32[4]\noutput \"y\" = %y\n", "y"));
    const std::string matrices = "%x = input : u8[4, 4]\n%w = input : u8[4, 4]\n";
    CHECK(inexact(matrices + "%y = matmul %x, %w : u8[4, 4]\noutput \"y\" = %y\n", "y"));
    CHECK(!inexact(matrices + "%a = cast %x {to = \"i32\"} : i32[4, 4]\n%b = cast %w {to = \"i32\"} : i32[4, 4]\n"
                              "%y = matmul %a, %b : i32[4, 4]\noutput \"y\" = %y\n",
                   "y"));
    const std::string floats = "%x = input : f32[4]\n";
    CHECK(!inexact(floats + "%y = cast %x {to = \"i32\"} : i32[4]\noutput \"y\" = %y\n", "y"));
    CHECK(inexact(floats + "%y = cast %x {to = \"u8\"} : u8[4]\noutput \"y\" = %y\n", "y"));
    CHECK(!inexact(
        floats + "%c = relu_max %x {threshold = 200} : f32[4]\n%y = cast %c {to = \"u8\"} : u8[4]\noutput \"y\" = %y\n",
        "y"));
    CHECK(!inexact(floats + "%y = add %x, %x : f32[4]\noutput \"y\" = %y\n", "y"));
}
