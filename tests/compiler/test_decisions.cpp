// What decides (rounding, comparisons, whole quotients, places of maxima) as the chips compute it: exact for operands
// that the data format holds.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>

#include "compiler/host/model_run.hpp"
#include "compiler/model_files.hpp"
#include "compiler/onnx/value_file.hpp"
#include "sim/run.hpp"
#include "tests/compiler/fresh_folder.hpp"

using namespace tt;
using namespace tt::ir;

namespace {

constexpr std::int64_t rows = 32, cols = 64, block = 16;

struct Format {
    DataFormat df;
    int bits;  ///< of the significand that a datum keeps on its way through the chip
};
constexpr Format formats[] = {
    {DataFormat::Float16_b, 8}, {DataFormat::Float16, 11}, {DataFormat::Float32, 8}, {DataFormat::Bfp8_b, 7}};

/// Numbers of so many bits around the steps, each in all datums that share an exponent.
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

/// The model's output "y", computed by the device alone.
Literal on_chip(const std::string& text, const Values& inputs, const char* device, DataFormat df, Numerics numerics) {
    const TempFolder folder;
    ModelFiles files;
    files.model = folder.path() + "/model.tg";
    std::ofstream(files.model) << text;
    files.out = folder.path() + "/out";
    CompileOptions options;
    options.device = device;
    options.default_df = df;
    options.host_fallback = false;
    for (const auto& [name, value] : inputs) {
        files.inputs[name] = folder.path() + "/" + name + ".npy";
        write_value_file(files.inputs[name], value);
    }
    compile_files(files, options);
    ModelRunOptions model;
    model.folder = files.out;
    const auto run = [&](const HostSteps& steps, Entries entries, std::int64_t) {
        sim::RunOptions machine;
        machine.netlist = files.out + "/netlist.yaml";
        machine.inputs_dir = files.out;
        machine.device = device;
        machine.mode = sim::Mode::Functional;
        machine.numerics = numerics;
        machine.check = false;
        machine.host_values = std::move(entries);
        Entries results;
        for (const BoundTensor& tensor : steps.from_device) results[tensor.queue].resize(1);
        machine.sink = [&](const std::string& queue, std::int64_t, Tensor value) {
            results.at(queue).at(0) = std::move(value);
        };
        sim::run(machine);
        return results;
    };
    const ModelRunReport report = run_model(model, run);
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
