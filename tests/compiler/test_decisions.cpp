// What decides (rounding, comparisons, whole quotients, places of maxima) as the chips compute it: exact for operands
// that the data format holds.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>

#include "compiler/files/model_files.hpp"
#include "compiler/files/result_folder.hpp"
#include "compiler/model/model_run.hpp"
#include "compiler/onnx/value_file.hpp"
#include "sim/run.hpp"
#include "tests/compiler/fresh_folder.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

constexpr std::int64_t rows = 32, cols = 64, block = 16;

struct Format {
    DataFormat df;
    int bits;  ///< of the significand that an element keeps on its way through the chip
};
constexpr Format formats[] = {
    {DataFormat::Float16_b, 8}, {DataFormat::Float16, 11}, {DataFormat::Float32, 8}, {DataFormat::Bfp8_b, 7}};

/// Numbers of so many bits around the steps, each in all elements that share an exponent.
Literal numbers(int bits, std::uint32_t seed) {
    Literal x(DType::F32, {rows, cols});
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < x.size(); i += block) {
        const auto significand = static_cast<double>(random() % (1U << bits));
        const double value = std::ldexp(significand, static_cast<int>(random() % 9) - 7) * (random() % 2 == 0 ? 1 : -1);
        for (std::int64_t k = 0; k < block; ++k) x.set(i + k, value);
    }
    return x;
}

Literal bytes(std::uint32_t seed, std::uint32_t least) {
    Literal x(DType::U8, {rows, cols});
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(least + random() % (256 - least)));
    return x;
}

/// The model's output "y", computed by the device alone unless the host may help.
Literal on_chip(const std::string& text, const Values& inputs, const char* device, DataFormat df, Numerics numerics,
                bool host_fallback = false) {
    const TempFolder folder;
    ModelFiles files;
    files.model = folder.path() + "/model.tg";
    std::ofstream(files.model) << text;
    files.out = folder.path() + "/out";
    CompileOptions options;
    options.device = device;
    options.default_df = df;
    options.host_fallback = host_fallback;
    for (const auto& [name, value] : inputs) {
        files.inputs[name] = folder.path() + "/" + name + ".npy";
        write_value_file(files.inputs[name], value);
    }
    compile_files(files, options);
    ModelRunOptions model;
    model.place = files.out;
    const auto run = [&](const HostSteps& steps, Entries entries, std::int64_t) {
        sim::RunOptions machine;
        machine.netlist = files.out + "/netlist.yaml";
        machine.inputs_dir = files.out;
        machine.device = device;
        machine.mode = sim::Mode::Functional;
        machine.numerics = numerics;
        machine.check = false;
        machine.host_values = std::make_shared<const Entries>(std::move(entries));
        Entries results;
        for (const BoundTensor& tensor : steps.from_device) results[tensor.queue].resize(1);
        machine.sink = [&](const std::string& queue, std::int64_t, Tensor value) {
            results.at(queue).at(0) = std::move(value);
        };
        sim::run(machine);
        return results;
    };
    const ModelRunReport report = run_model(read_folder(files.out), model, run);
    CHECK(report.pass());  // the model in float32 agrees as well
    return report.outputs.front().value;
}

void check_equal(const Literal& have, const std::function<double(std::int64_t)>& wanted) {
    for (std::int64_t i = 0; i < have.size(); ++i) {
        CAPTURE(i);
        REQUIRE(have.at(i) == wanted(i));
    }
}

template <class Check>
void on_both_chips(Check check) {
    for (const char* device : {"wh_n150", "gs_e150"})
        for (const Format& format : formats)
            for (const Numerics numerics : {Numerics::Real, Numerics::Exact, Numerics::Float32}) {
                CAPTURE(device, to_string(format.df), static_cast<int>(numerics));
                check(device, format, numerics);
            }
}

}  // namespace

TEST_CASE("rounding is exact in the formats of the chips") {
    on_both_chips([](const char* device, const Format& format, Numerics numerics) {
        const Literal x = numbers(format.bits, 1);
        const auto result = [&](const std::string& op) {
            const std::string text = "%x = input : f32[32, 64]\n%y = " + op + " %x\noutput \"y\" = %y\n";
            return on_chip(text, {{"x", x}}, device, format.df, numerics);
        };
        check_equal(result("round"), [&](std::int64_t i) { return std::nearbyint(x.at(i)); });
        check_equal(result("floor"), [&](std::int64_t i) { return std::floor(x.at(i)); });
        check_equal(result("ceil"), [&](std::int64_t i) { return std::ceil(x.at(i)); });
        check_equal(result("truncate"), [&](std::int64_t i) { return std::trunc(x.at(i)); });
    });
}

TEST_CASE("comparisons are exact in the formats of the chips") {
    on_both_chips([](const char* device, const Format& format, Numerics numerics) {
        Literal x = numbers(format.bits, 2), y = numbers(format.bits, 3);
        for (std::int64_t i = 0; i < x.size() / 4; ++i) y.set(i, x.at(i));
        const auto result = [&](const std::string& op) {
            const std::string text = "%x = input : f32[32, 64]\n%input_y = input : f32[32, 64]\n%y = " + op +
                                     " %x, %input_y\noutput \"y\" = %y\n";
            return on_chip(text, {{"x", x}, {"input_y", y}}, device, format.df, numerics);
        };
        check_equal(result("equal"), [&](std::int64_t i) { return x.at(i) == y.at(i) ? 1 : 0; });
        check_equal(result("less"), [&](std::int64_t i) { return x.at(i) < y.at(i) ? 1 : 0; });
        check_equal(result("greater_equal"), [&](std::int64_t i) { return x.at(i) >= y.at(i) ? 1 : 0; });
    });
}

TEST_CASE("bytes are divided exactly in the formats of the chips") {
    on_both_chips([](const char* device, const Format& format, Numerics numerics) {
        const Literal a = bytes(4, 0), b = bytes(5, 1);
        const auto result = [&](const std::string& op) {
            const std::string text =
                "%a = input : u8[32, 64]\n%b = input : u8[32, 64]\n%y = " + op + " %a, %b\noutput \"y\" = %y\n";
            return on_chip(text, {{"a", a}, {"b", b}}, device, format.df, numerics);
        };
        check_equal(result("divide"), [&](std::int64_t i) { return std::trunc(a.at(i) / b.at(i)); });
        check_equal(result("modulo"), [&](std::int64_t i) { return std::fmod(a.at(i), b.at(i)); });
    });
}

TEST_CASE("places of maxima are exact in the formats of the chips") {
    on_both_chips([](const char* device, const Format& format, Numerics numerics) {
        const Literal x = numbers(format.bits, 6);
        const std::string text =
            "%x = input : f32[32, 64]\n%i = arg_max %x {axis = 1}\n%y = cast %i {to = \"u8\"}\noutput \"y\" = %y\n";
        const Literal y = on_chip(text, {{"x", x}}, device, format.df, numerics);
        check_equal(y, [&](std::int64_t i) {
            std::int64_t best = 0;
            for (std::int64_t k = 1; k < cols; ++k)
                if (x.at(i * cols + k) > x.at(i * cols + best)) best = k;
            return static_cast<double>(best);
        });
    });
}

namespace {

Literal some_bytes(const Dims& dims, std::uint32_t seed) {
    Literal x(DType::U8, dims);
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(random() % 256));
    return x;
}

/// Of the results of products of bytes, whose sums have up to 22 bits.
std::int64_t inner_product(const Literal& a, const Literal& b, std::int64_t row, std::int64_t column) {
    const std::int64_t k = a.dims()[1], n = b.dims()[1];
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < k; ++i)
        sum += (to_integer(a.at(row * k + i)) - 7) * (to_integer(b.at(i * n + column)) - 128);
    return sum;
}

const std::string centred_product =
    "%a = input : u8[8, 70]\n%b = input : u8[70, 20]\n"
    "%fa = cast %a {to = \"f32\"}\n%za = constant [7] : f32[]\n%ca = subtract %fa, %za\n"
    "%fb = cast %b {to = \"f32\"}\n%zb = constant [128] : f32[]\n%cb = subtract %fb, %zb\n"
    "%p = matmul %ca, %cb\n";

}  // namespace

TEST_CASE("sums of products of integers come out exactly at the end of a model") {
    on_both_chips([](const char* device, const Format& format, Numerics numerics) {
        const Literal a = some_bytes({8, 70}, 7), b = some_bytes({70, 20}, 8);
        const std::string text = centred_product + "%y = cast %p {to = \"i32\"}\noutput \"y\" = %y\n";
        const Literal y = on_chip(text, {{"a", a}, {"b", b}}, device, format.df, numerics, true);
        check_equal(y, [&](std::int64_t i) { return static_cast<double>(inner_product(a, b, i / 20, i % 20)); });
    });
}

TEST_CASE("a product of integers is quantized by its exact sums at the end of a model") {
    on_both_chips([](const char* device, const Format& format, Numerics numerics) {
        const Literal a = some_bytes({8, 70}, 9), b = some_bytes({70, 20}, 10);
        const std::string text = centred_product +
                                 "%s = constant [0.001] : f32[]\n%q = multiply %p, %s\n%r = round %q\n"
                                 "%y = cast %r {to = \"i32\"}\noutput \"y\" = %y\n";
        const Literal y = on_chip(text, {{"a", a}, {"b", b}}, device, format.df, numerics, true);
        check_equal(y, [&](std::int64_t i) {
            const auto sum = static_cast<float>(inner_product(a, b, i / 20, i % 20));
            return static_cast<double>(std::nearbyint(sum * 0.001F));
        });
    });
}

TEST_CASE("sums of a convolution of integers come out exactly at the end of a model") {
    // 6 channels in 2 groups, 4x4 kernels at stride 3, one row and column of padding before
    const Literal x = some_bytes({2, 6, 9, 9}, 11), w = some_bytes({4, 3, 4, 4}, 12);
    const std::string text =
        "%x = input : u8[2, 6, 9, 9]\n%w = input : u8[4, 3, 4, 4]\n"
        "%fx = cast %x {to = \"f32\"}\n%fw = cast %w {to = \"f32\"}\n"
        "%c = conv %fx, %fw {group = 2, strides = [3, 3], pads = [1, 1, 0, 0]}\n"
        "%y = cast %c {to = \"i32\"}\noutput \"y\" = %y\n";
    const auto sum = [&](std::int64_t at) {
        const std::int64_t n = at / 36, c = at / 9 % 4, row = at / 3 % 3 * 3 - 1, col = at % 3 * 3 - 1;
        double total = 0;
        for (std::int64_t k = 0; k < 3; ++k)
            for (std::int64_t r = std::max<std::int64_t>(0, -row); r < 4; ++r)
                for (std::int64_t q = std::max<std::int64_t>(0, -col); q < 4; ++q)
                    total += x.at(((n * 6 + c / 2 * 3 + k) * 9 + row + r) * 9 + col + q) *
                             w.at(((c * 3 + k) * 4 + r) * 4 + q);
        return total;
    };
    for (const Format& format : formats) {
        const Literal y = on_chip(text, {{"x", x}, {"w", w}}, "wh_n150", format.df, Numerics::Real, true);
        REQUIRE(y.size() == 72);
        check_equal(y, sum);
    }
}

namespace {

/// What compiling a model warns of.
std::vector<std::string> warnings(const std::string& text, DataFormat df, const char* device = "wh_n150",
                                  bool host_fallback = true) {
    CompileOptions options;
    options.device = device;
    options.host_fallback = host_fallback;
    options.default_df = df;
    std::vector<std::string> found;
    for (const std::string& note : compile(parse_graph(text, "model.tg"), options).report.notes)
        if (note.rfind("warning: ", 0) == 0) found.push_back(note);
    return found;
}

bool one_about(const std::vector<std::string>& found, const std::string& what) {
    CAPTURE(what, found);
    return found.size() == 1 && found.front().find(what) != std::string::npos;
}

/// Behind and before work that the host does not take.
std::string amid(const std::string& lines) {
    return "%x = input : f32[32, 300]\n%w = input : f32[300, 300]\n%h = matmul %x, %w\n" + lines +
           "%e = softmax %d {axis = 1}\noutput \"y\" = %e\n";
}

}  // namespace

TEST_CASE("the host looks up by numbers that the format does not hold, where inputs decide") {
    Literal x(DType::F32, {32, 300}), w(DType::F32, {300, 64});
    std::mt19937 random(13);
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(random() % 100));
    for (std::int64_t i = 0; i < 32; ++i) x.set(i * 300 + 299 - 2 * i, 200);
    for (std::int64_t i = 0; i < w.size(); ++i) w.set(i, static_cast<double>(random() % 16));
    const std::string text =
        "%x = input : f32[32, 300]\n%w = input : f32[300, 64]\n%i = arg_max %x {axis = 1}\n"
        "%t = take %w, %i {axis = 0}\n%r = reshape %t {dims = [32, 64]}\n%y = multiply %r, %r\noutput \"y\" = %y\n";
    for (const Format& format : formats) {
        CAPTURE(to_string(format.df));
        CHECK(warnings(text, format.df).empty());
        const Literal y = on_chip(text, {{"x", x}, {"w", w}}, "wh_n150", format.df, Numerics::Float32, true);
        check_equal(y, [&](std::int64_t i) {
            const double v = w.at((299 - 2 * (i / 64)) * 64 + i % 64);
            return v * v;
        });
    }
}

TEST_CASE("integers inside a model that the format cannot represent are reported by the compiler") {
    const std::string places = amid("%i = arg_max %h {axis = 1}\n%f = cast %i {to = \"f32\"}\n%d = add %h, %f\n");
    const auto on_device = [](const std::string& text, DataFormat df, const char* device = "wh_n150") {
        return warnings(text, df, device, false);
    };
    CHECK(one_about(on_device(places, DataFormat::Float16_b), "'i' (arg_max) finds places up to 300"));
    CHECK(one_about(on_device(places, DataFormat::Bfp8_b), "Bfp8_b holds integers up to 128"));
    CHECK(one_about(on_device(places, DataFormat::Float32, "gs_e150"), "holds integers up to 256"));
    CHECK(on_device(places, DataFormat::Float32).empty());
    CHECK(on_device(places, DataFormat::Float16).empty());
    CHECK(warnings(places, DataFormat::Float16_b).empty());  // the host finds them

    const std::string look_up = amid(
        "%i = arg_max %h {axis = 1}\n%t = take %w, %i {axis = 0}\n%r = reshape %t {dims = [32, 300]}\n"
        "%d = add %h, %r\n");
    CHECK(warnings(look_up, DataFormat::Float16_b).empty());
    const std::vector<std::string> both = on_device(look_up, DataFormat::Float16_b);
    REQUIRE(both.size() == 2);
    CHECK(one_about({both[0]}, "finds places up to 300"));
    CHECK(one_about({both[1]}, "'t' (take) looks up by numbers up to 299"));
    CHECK(on_device(look_up, DataFormat::Float16).empty());

    const std::string compares = amid(
        "%c = constant [257] : f32[]\n%l = less %h, %c\n%f = cast %l {to = \"f32\"}\n"
        "%d = add %h, %f\n");
    CHECK(one_about(warnings(compares, DataFormat::Float16_b), "compares with integers up to 257"));
    CHECK(warnings(compares, DataFormat::Float16).empty());
}

TEST_CASE("sums of integer products inside a model are reported, with their bound") {
    const std::string text =
        "%x = input : f32[8, 40]\n%w = input : f32[40, 70]\n%h = matmul %x, %w\n%q = round %h\n"
        "%a = cast %q {to = \"u8\"}\n%b = input : u8[70, 20]\n%fa = cast %a {to = \"f32\"}\n"
        "%fb = cast %b {to = \"f32\"}\n%p = matmul %fa, %fb\n%e = softmax %p {axis = 1}\noutput \"y\" = %e\n";
    CHECK(one_about(warnings(text, DataFormat::Float16_b), "'p' (matmul) sums products of integers up to 4.55175e+06"));
    CHECK(one_about(warnings(text, DataFormat::Float16), "Float16 holds integers up to 2048"));

    // at the end of a model the host has them
    const std::string last =
        "%a = input : u8[8, 70]\n%b = input : u8[70, 20]\n%fa = cast %a {to = \"f32\"}\n"
        "%fb = cast %b {to = \"f32\"}\n%p = matmul %fa, %fb\n%y = cast %p {to = \"i32\"}\noutput \"y\" = %y\n";
    CHECK(warnings(last, DataFormat::Float16_b).empty());
}
