// --target-pcc: formats op by op, by measuring.
#include <fmt/format.h>

#include <algorithm>

#include <catch2/catch.hpp>

#include "compiler/formats/format_units.hpp"
#include "compiler/model/compile.hpp"
#include "compiler/model/model_run.hpp"
#include "runtime/measured_values.hpp"
#include "runtime/model.hpp"

using namespace ttsim::impl;
using ir::CompiledModel;
using ir::CompileOptions;

namespace {

std::string constant(const std::string& name, int rows, int cols, int seed) {
    std::string text = "%" + name + " = constant [";
    for (int i = 0; i < rows * cols; ++i)
        text += fmt::format("{}{}", i == 0 ? "" : ", ",
                            static_cast<double>((i * 7919 + seed * 104729) % 2003 - 1001) / 4096.0);
    return text + fmt::format("] : f32[{}, {}]\n", rows, cols);
}

/// Layers of 64 x 64; `last`: what follows them.
ir::Graph layers(int count, const std::string& last) {
    std::string text = "%x = input : f32[64, 64]\n", from = "x";
    for (int k = 0; k < count; ++k) {
        text += constant(fmt::format("w{}", k), 64, 64, k);
        text += fmt::format("%p{0} = matmul %{1}, %w{0}\n%r{0} = gelu %p{0}\n", k, from);
        from = fmt::format("r{}", k);
    }
    return ir::parse_graph(text + fmt::format(fmt::runtime(last), from), "layers.tg");
}

CompileOptions asking(double pcc, const std::string& device = "wh_n150") {
    CompileOptions options;
    options.device = device;
    options.target = {.pcc = pcc,
                      .trials = 24,
                      .measure = runtime::measured_values,
                      .cycles = runtime::measured_cycles,
                      .progress = {}};
    return options;
}

double cycles(const CompiledModel& model) { return runtime::measured_cycles(model); }
double core_cycles(const CompiledModel& model) {
    double all = 0;
    for (const ir::OpFormat& op : model.report.formats->ops) all += op.cycles;
    return all;
}

}  // namespace

TEST_CASE("a target is reached with no more accuracy than it takes") {
    const ir::Graph graph = layers(4, "output \"y\" = %{}\n");
    for (const char* device : {"wh_n150", "gs_e150"}) {
        const CompiledModel loose = compile(graph, asking(0.98, device)),
                            tight = compile(graph, asking(0.9999, device));
        REQUIRE(loose.report.formats);
        REQUIRE(tight.report.formats);
        CHECK(loose.report.formats->reached());
        CHECK(tight.report.formats->reached());
        // of all cores, each op on its best grid: in a model this small schedules decide over the time of the whole
        CHECK(core_cycles(loose) <= core_cycles(tight));
        CompileOptions plain;
        plain.device = device;
        CHECK(cycles(tight) <= cycles(compile(graph, plain)));
        // what is said was reached is what a run gives
        const ir::Measured again = runtime::measured_values(tight, {tight.inputs, false, false});
        const ir::Measured exact = runtime::measured_values(tight, {tight.inputs, true, false});
        CHECK(again.outputs.at("y").size() == exact.outputs.at("y").size());
        CHECK(again.alone.empty());
    }
}

TEST_CASE("a search for formats is deterministic, and so are its rules") {
    const ir::Graph graph = layers(3, "output \"y\" = %{}\n");
    const CompiledModel first = compile(graph, asking(0.999)), second = compile(graph, asking(0.999));
    CHECK(equal(first, second));
    CHECK(first.report.formats->trials == second.report.formats->trials);
    CHECK(first.report.formats->trials <= 24);
    CompileOptions options;
    options.rules = ir::parse_format_rules(ir::rules_text(first.report.formats->rules), "rules").rules;
    CHECK(equal(compile(graph, options), first));
}

TEST_CASE("the result is at least as fast as every preset that reaches the target, and presets can be written") {
    const ir::Graph graph = layers(4, "output \"y\" = %{}\n");
    const bool any_family = GENERATE(false, true);
    CompileOptions wanted = asking(0.999);
    wanted.target->any_family = any_family;
    const CompiledModel found = compile(graph, wanted);
    const ir::Values inputs = found.inputs;
    const ir::Literal exact = runtime::measured_values(found, {inputs, true, false}).outputs.at("y");
    const std::vector<ir::FormatPreset> presets = ir::format_presets(DataFormat::Float16_b, any_family);
    CHECK(presets.size() == (any_family ? 5 : 4));
    int reach = 0;
    for (const ir::FormatPreset& preset : presets) {
        CompileOptions options;
        options.default_df = preset.default_df;
        options.rules = preset.rules;
        const CompiledModel model = compile(graph, options);
        const ir::FormatRules read = ir::parse_format_rules(ir::rules_text({preset.rules, preset.default_df}), "rules");
        CHECK(read.default_df == preset.default_df);
        options.rules = read.rules;
        CHECK(equal(compile(graph, options), model));
        const ir::Literal have = runtime::measured_values(model, {inputs, false, false}).outputs.at("y");
        if (ir::agreement(have, exact).pcc < 0.9991) continue;  // the reference has unrounded constants
        ++reach;
        CHECK(cycles(found) <= cycles(model));
    }
    CHECK(reach > 0);
    const auto a_format = [](const ir::FormatRule& rule) {
        return std::all_of(rule.inputs.begin(), rule.inputs.end(),
                           [](const auto& input) { return info(input.second.df).family == FormatFamily::A; });
    };
    for (const ir::FormatPreset& preset : ir::format_presets(DataFormat::Float16, false))
        CHECK(std::all_of(preset.rules.begin(), preset.rules.end(), a_format));
}

TEST_CASE("several samples are measured, and the first is the one stored with the model") {
    const ir::Graph graph = layers(2, "output \"y\" = %{}\n");
    ir::Literal samples(ir::DType::F32, {3, 64, 64});
    for (std::int64_t i = 0; i < samples.size(); ++i) samples.set(i, static_cast<double>(i % 97) / 97.0 - 0.5);
    CompileOptions options = asking(0.99);
    options.inputs.emplace("x", samples);
    const CompiledModel model = compile(graph, options);
    CHECK(model.report.formats->samples == 3);
    CHECK(model.inputs.at("x").dims() == ir::Dims{64, 64});
}

TEST_CASE("a target that no formats reach is said to be so, with the op that loses it") {
    // a difference of what is nearly equal: what 16 bits round away is all there is
    const ir::Graph graph = layers(1,
                                   "%c = constant [1000] : f32[]\n%big = add %{}, %c\n"
                                   "%y = subtract %big, %c\noutput \"y\" = %y\n");
    CompileOptions options = asking(0.999, "gs_e150");
    const CompiledModel model = compile(graph, options);
    CHECK_FALSE(model.report.formats->reached());
    CHECK_FALSE(model.report.formats->first_below.empty());
}
