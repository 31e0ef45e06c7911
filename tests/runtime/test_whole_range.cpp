// Functions of one element over all exponents of a format, on both chips, against the C library.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "tests/runtime/run_graph.hpp"

using namespace ttsim::impl;
using ir::Dims;
using ir::Literal;
using ir::Values;

namespace {

struct Range {
    GraphRun how;
    int low, high;    ///< exponents of its numbers
    double relative;  ///< error of a function
};

/// Bounds of 16 bits: a handful of steps, each rounded to 8 or 11 digits, their operands cut to as many.
const std::vector<Range>& ranges() {
    static const std::vector<Range> all = [] {
        std::vector<Range> made;
        for (const char* device : {"wh_n150", "gs_e150"}) {
            made.push_back({{device, DataFormat::Float32, Numerics::Float32, true}, -126, 127, 2e-5});
            made.push_back({{device, DataFormat::Float32, Numerics::Real, true}, -120, 120, 0.06});
            made.push_back({{device, DataFormat::Float16_b, Numerics::Real, true}, -120, 120, 0.06});
            made.push_back({{device, DataFormat::Float16, Numerics::Real, true}, -13, 14, 0.03});
        }
        return made;
    }();
    return all;
}

/// Both signs of 1.25 and 1.75 times every power of two from `low` to `high`.
std::vector<double> sweep(int low, int high) {
    std::vector<double> all;
    for (int e = low; e <= high; ++e)
        for (const double m : {1.25, -1.25, 1.75, -1.75}) all.push_back(std::ldexp(m, e));
    return all;
}

std::string text_of(const std::string& op, std::size_t size) {
    return fmt::format("%x = input : f32[1, {}]\n%y = {} %x\noutput \"y\" = %y\n", size, op);
}

std::string name_of(const Range& range) {
    return fmt::format("{} {} {}", range.how.device, to_string(range.how.format),
                       range.how.numerics == Numerics::Real ? "real" : "float32");
}

/// Of `op` at all numbers of a format that `takes` lets through.
void check(
    const std::string& op, const std::function<double(double)>& want,
    const std::function<bool(double)>& takes = [](double) { return true; }) {
    for (const Range& range : ranges()) {
        std::vector<double> x;
        for (const double v : sweep(range.low, range.high))
            if (takes(v)) x.push_back(v);
        const Dims dims{1, std::ssize(x)};
        const ir::Graph graph = ir::parse_graph(text_of(op, x.size()), "range");
        const Literal y = run_graph(graph, {{"x", floats_of(dims, x)}}, range.how).at("y");
        for (std::size_t i = 0; i < x.size(); ++i) {
            INFO(op << " of " << x[i] << ", " << name_of(range));
            const double wanted = want(x[i]), found = y.at(static_cast<std::int64_t>(i));
            const double least = std::ldexp(1.0, range.low + 8);  // below that digits are lost
            REQUIRE(std::fabs(found - wanted) <= range.relative * std::fabs(wanted) + least);
        }
    }
}

}  // namespace

TEST_CASE("The sign of a number of any size is its own") {
    const auto sign = [](double v) { return v > 0 ? 1.0 : -1.0; };
    for (const Range& range : ranges()) {
        const std::vector<double> x = sweep(range.low, range.high);
        const Dims dims{1, std::ssize(x)};
        // between ops of the device, too
        const ir::Graph graph = ir::parse_graph(
            fmt::format("%x = input : f32[1, {}]\n%half = constant [0.5] : f32[]\n%a = multiply %x, %half\n"
                        "%g = sign %a\n%y = exp %g\n%s = sign %x\noutput \"y\" = %y\noutput \"s\" = %s\n",
                        x.size()),
            "sign");
        const Values out = run_graph(graph, {{"x", floats_of(dims, x)}}, range.how);
        for (std::size_t i = 0; i < x.size(); ++i) {
            INFO(x[i] << ", " << name_of(range));
            REQUIRE(out.at("s").at(static_cast<std::int64_t>(i)) == sign(x[i]));
            if (i >= 4)
                REQUIRE(out.at("y").at(static_cast<std::int64_t>(i)) == Approx(std::exp(sign(x[i]))).epsilon(0.01));
        }
    }
}

TEST_CASE("Comparisons hold for numbers of any size, on the device too") {
    for (const Range& range : ranges()) {
        GraphRun how = range.how;
        how.host_fallback = false;
        const std::vector<double> x = sweep(range.low + 2, range.high - 1);
        std::vector<double> shifted(x.begin() + 1, x.end());
        shifted.push_back(x.front());
        const Dims dims{1, std::ssize(x)};
        const ir::Graph graph = ir::parse_graph(
            fmt::format("%x = input : f32[1, {0}]\n%z = input : f32[1, {0}]\n%b = greater %x, %z\n"
                        "%y = cast %b {{to = \"f32\"}}\n%c = equal %x, %x\n%e = cast %c {{to = \"f32\"}}\n"
                        "%d = less_equal %x, %z\n%l = cast %d {{to = \"f32\"}}\n"
                        "output \"y\" = %y\noutput \"e\" = %e\noutput \"l\" = %l\n",
                        x.size()),
            "compare");
        const Values out = run_graph(graph, {{"x", floats_of(dims, x)}, {"z", floats_of(dims, shifted)}}, how);
        for (std::size_t i = 0; i < x.size(); ++i) {
            INFO(x[i] << " and " << shifted[i] << ", " << name_of(range));
            const auto at = static_cast<std::int64_t>(i);
            REQUIRE(out.at("y").at(at) == (x[i] > shifted[i] ? 1 : 0));
            REQUIRE(out.at("l").at(at) == (x[i] <= shifted[i] ? 1 : 0));
            REQUIRE(out.at("e").at(at) == 1);
        }
    }
}

TEST_CASE("Functions keep small numbers' digits and leave no range where their results do not") {
    check("erf", [](double v) { return std::erf(v); });
    check("atan", [](double v) { return std::atan(v); });
    check("asinh", [](double v) { return std::asinh(v); });
    check(
        "acosh", [](double v) { return std::acosh(v); }, [](double v) { return v >= 1.5; });
    check(
        "atanh", [](double v) { return std::atanh(v); }, [](double v) { return std::fabs(v) < 0.9; });
}

TEST_CASE("Rounding of large numbers leaves them as they are") {
    for (const char* op : {"floor", "ceil", "round", "truncate"})
        check(
            op, [](double v) { return v; }, [](double v) { return std::fabs(v) > 1 << 12; });
}

TEST_CASE("Powers of numbers of any sign") {
    const std::vector<double> base{-2, -1.5, 3, -4, 9, 5, 0, 0, 0, -2, 0.5, -1},
        exponent{2, 3, 0, -1, 0.5, 0, 0, 1.5, -1, -3, -2, 64};
    const Dims dims{1, 12};
    std::string row;
    for (const double e : exponent) row += fmt::format("{}{}", row.empty() ? "" : ", ", e);
    const std::string input = "%x = input : f32[1, 12]\n";
    const std::string computed = input + "%e = input : f32[1, 12]\n%y = power %x, %e\noutput \"y\" = %y\n";
    const std::string known =
        input + fmt::format("%e = constant [{}] : f32[1, 12]\n%y = power %x, %e\noutput \"y\" = %y\n", row);
    for (const Range& range : ranges())
        for (const bool fallback : {true, false})
            for (const std::string& text : {computed, known}) {
                GraphRun how = range.how;
                how.host_fallback = fallback;
                Values given{{"x", floats_of(dims, base)}};
                if (text == computed) given.emplace("e", floats_of(dims, exponent));
                const Literal y = run_graph(ir::parse_graph(text, "power"), given, how).at("y");
                for (std::size_t i = 0; i < base.size(); ++i) {
                    INFO(base[i] << " ^ " << exponent[i] << ", " << name_of(range) << (fallback ? "" : ", no host"));
                    const double want = std::pow(base[i], exponent[i]), have = y.at(static_cast<std::int64_t>(i));
                    if (std::isinf(want))
                        REQUIRE((fallback ? have == want : have > 1e3));  // the device has a large number for it
                    else
                        REQUIRE(have == Approx(want).epsilon(fallback ? 0.005 : 4 * range.relative).margin(1e-6));
                }
            }
}

TEST_CASE("A negative number to a fractional power is NaN, and roots of 0 are 0") {
    const ir::Graph graph = ir::parse_graph(
        "%x = input : f32[1, 4]\n%e = input : f32[1, 4]\n%y = power %x, %e\n%n = constant [0.2] : f32[]\n"
        "%a = relu %x\n%r = power %a, %n\noutput \"y\" = %y\noutput \"r\" = %r\n",
        "power");
    for (const Range& range : ranges()) {
        const Values out =
            run_graph(graph, {{"x", floats_of({1, 4}, {-2, -2, 0, 32})}, {"e", floats_of({1, 4}, {0.5, 2, 0.5, 0.2})}},
                      range.how);
        INFO(name_of(range));
        CHECK(std::isnan(out.at("y").at(0)));
        CHECK(out.at("y").at(1) == Approx(4).epsilon(0.01));
        CHECK(out.at("y").at(2) == 0);
        CHECK(out.at("r").at(2) == 0);
        CHECK(out.at("r").at(3) == Approx(2).epsilon(0.02));
    }
}
