// Rows that a mask covers as a whole: NaN behind a softmax, in every way that models ask for it.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/compiler/random_graph.hpp"
#include "tests/runtime/run_graph.hpp"

using namespace ttsim::impl;
using ir::DType;
using ir::Literal;
using ir::Values;

namespace {

const std::string head =
    "%s = input : f32[6, 10]\n%m = input : bool[6, 10]\n%bias = input : f32[6, 10]\n%v = input : f32[10, 4]\n"
    "%w = constant [0.5, -0.25, 1, 0, 0.5, 0.75, -1, 0.25, 0.5, 0.25, 1, 0, -0.5, 0.25, 0, 1, 0.5, -0.75, 0.25, 0, 1, "
    "0.5, 0.25, -0.5, 0, 1, -0.25, 0.5, 0.75, 0, 0.25, -1, 0.5, 0.25, 1, 0] : f32[6, 6]\n"
    "%far = constant [-inf] : f32[]\n%near = constant [inf] : f32[]\n%none = constant [0] : f32[]\n"
    "%seven = constant [7] : f32[]\n%true = constant [1] : f32[]\n"
    "%a = matmul %w, %s\n%t = where %m, %a, %far\n%p = softmax %t {axis = 1}\n%same = equal %p, %p\n"
    "%nan = not %same\n";

/// What follows; its output is y.
const std::vector<std::pair<const char*, std::string>>& spellings() {
    static const std::vector<std::pair<const char*, std::string>> all{
        {"IsNaN, 0", "%y = where %nan, %none, %p\n"},
        {"x == x", "%y = where %same, %p, %none\n"},
        {"Not(IsNaN)", "%nn = not %nan\n%y = where %nn, %p, %none\n"},
        {"7", "%y = where %nan, %seven, %p\n"},
        {"a tensor", "%y = where %nan, %a, %p\n"},
        {"IsNaN itself", "%y = cast %nan {to = \"f32\"}\n"},
        {"LogSoftmax",
         "%l = log_softmax %t {axis = 1}\n%is = equal %l, %l\n%miss = not %is\n"
         "%y = where %miss, %seven, %l\n"},
        {"spelled out",
         "%most = reduce_max %t {axis = 1}\n%d = subtract %t, %most\n%e = exp %d\n"
         "%ones = constant [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : f32[1, 10]\n"
         "%sum = map_axis %e, %ones {axis = 1}\n%q = divide %e, %sum\n%is = equal %q, %q\n"
         "%miss = not %is\n%y = where %miss, %none, %q\n"},
        {"torch's safe softmax",
         "%hid = equal %t, %far\n%seen = not %hid\n%n = cast %seen {to = \"f32\"}\n"
         "%any = reduce_max %n {axis = 1}\n%half = constant [0.5] : f32[]\n"
         "%blind = less %any, %half\n%y = where %blind, %none, %p\n"},
        {"a mask that is added",
         "%sum = add %a, %bias\n%q = softmax %sum {axis = 1}\n%is = equal %q, %q\n"
         "%miss = not %is\n%y = where %miss, %none, %q\n"},
        {"nan_to_num",
         "%up = equal %p, %near\n%p1 = where %up, %seven, %p\n%down = equal %p, %far\n"
         "%p2 = where %down, %seven, %p1\n%y = where %nan, %none, %p2\n"},
        {"behind the product",
         "%o = matmul %p, %v\n%is = equal %o, %o\n%miss = not %is\n"
         "%y = where %miss, %none, %o\n"},
        {"IsInf of masked scores",
         "%size = abs %t\n%largest = constant [3.4028234663852886e38] : f32[]\n"
         "%inf = greater %size, %largest\n%y = where %inf, %seven, %a\n"},
        {"scaled after the mask",
         "%two = constant [2] : f32[]\n%u = multiply %t, %two\n%q = softmax %u {axis = 1}\n"
         "%is = equal %q, %q\n%miss = not %is\n%y = where %miss, %none, %q\n"},
        {"another axis",
         "%q = softmax %t {axis = 0}\n%is = equal %q, %q\n%miss = not %is\n"
         "%y = where %miss, %none, %q\n"},
        {"nothing in its place", "%y = relu %p\n"},
        {"nothing in LogSoftmax' place", "%y = log_softmax %t {axis = 1}\n"},
    };
    return all;
}

Literal error_amplifying(const ir::Dims& dims, int seed) {
    Literal made(DType::F32, dims);
    for (std::int64_t k = 0; k < made.size(); ++k)
        made.set(k, static_cast<double>((k * 37 + 11 * seed) % 64 - 32) / 16);
    return made;
}

/// Rows 1 and 4 see nothing, the last column neither.
Values inputs() {
    Literal mask(DType::Bool, {6, 10}), bias(DType::F32, {6, 10});
    for (std::int64_t r = 0; r < 6; ++r)
        for (std::int64_t c = 0; c < 10; ++c) {
            const bool seen = r % 3 != 1 && c != 9 && (c <= r + 1 || (r + c) % 4 == 0);
            mask.set(r * 10 + c, seen ? 1 : 0);
            bias.set(r * 10 + c, seen ? 0 : -std::numeric_limits<double>::infinity());
        }
    return {{"s", error_amplifying({6, 10}, 1)}, {"m", mask}, {"bias", bias}, {"v", error_amplifying({10, 4}, 5)}};
}

bool is_close(double have, double want, double within) {
    if (std::isnan(want)) return std::isnan(have);
    if (std::isinf(want)) return have == want;
    return std::fabs(have - want) <= within * (1 + std::fabs(want));
}

}  // namespace

TEST_CASE("Fully masked rows have the values that the model computes from NaN") {
    for (const auto& [name, text] : spellings()) {
        const ir::Graph graph = ir::parse_graph(head + text + "output \"y\" = %y\n", "masked");
        const Values given = inputs();
        const Literal want = ir::evaluate(graph, given).at("y");
        for (const char* device : {"wh_n150", "gs_e150"})
            for (const DataFormat format : {DataFormat::Float32, DataFormat::Float16_b, DataFormat::Bfp8_b}) {
                const bool exact = format == DataFormat::Float32;
                const GraphRun how{device, format, exact ? Numerics::Float32 : Numerics::Real, true};
                const Literal have = run_graph(graph, given, how).at("y");
                for (std::int64_t i = 0; i < want.size(); ++i) {
                    INFO(name << ", " << device << ", " << to_string(format) << ", element " << i << ": " << have.at(i)
                              << ", wanted " << want.at(i));
                    REQUIRE(is_close(have.at(i), want.at(i), exact ? 1e-4 : 0.05));
                }
            }
    }
}

TEST_CASE("A mask of large finite numbers masks no row as a whole") {
    const std::string text =
        "%b = input : f32[6, 10]\n%sum = add %a, %b\n%q = softmax %sum {axis = 1}\n%is = equal %q, %q\n%miss = not "
        "%is\n"
        "%y = where %miss, %seven, %q\noutput \"y\" = %y\n";
    const ir::Graph graph = ir::parse_graph(head + text, "finite");
    for (const double least : {-1e4, -1e9, -3.4028234663852886e38}) {
        Values given = inputs();
        Literal bias = given.at("bias");
        for (std::int64_t i = 0; i < bias.size(); ++i)
            if (std::isinf(bias.at(i))) bias.set(i, least);
        given.insert_or_assign("b", bias);
        const Literal y = run_graph(graph, given, {"wh_n150", DataFormat::Float16_b, Numerics::Real, true}).at("y");
        INFO(least);
        double row = 0;
        for (std::int64_t c = 0; c < 10; ++c) row += y.at(10 + c);
        CHECK(row == Approx(1).epsilon(0.05));
        CHECK(y.at(9) < 1e-6);
    }
}
