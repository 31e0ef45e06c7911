// An op that ttsim does not have, added from outside by its two records: bend(x) = x / (1 + tilt |x|), with an
// attribute that nothing else knows. It is read, checked, run, timed, compiled from ONNX and fused like those that are
// built in.
#include <onnx/messages.pb.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/ir/op_table.hpp"
#include "compiler/model/compile.hpp"
#include "compiler/onnx/read.hpp"
#include "compiler/ops/device.hpp"
#include "kernels/ops/sfpu_op.hpp"
#include "netlist/text/writer.hpp"
#include "runtime/model.hpp"
#include "sim/run.hpp"
#include "tests/netlist/small_netlist.hpp"

using namespace ttsim::impl;
namespace onnx = ttsim::onnx;

namespace {

// --- the op -------------------------------------------------------------------------------------------------------

constexpr AttrDef tilt{.name = "tilt",
                       .kind = AttrKind::Number,
                       .default_text = "1",
                       .meaning = "how much the magnitude bends the line",
                       .low = 0,
                       .high = 8};
constexpr AttrDef bend_attributes[] = {attr_vector, attr_approximate_mode, attr_sfpu_execution_thread, tilt};

constexpr OpDef bend_def =
    sfpu_op({.name = "bend",
             .summary = "x / (1 + tilt |x|)",
             .attributes = bend_attributes,
             .golden =
                 [](const OpConfig& op, std::span<const Tensor* const> in) {
                     const double by = attribute_number(op.attr, tilt);
                     return sfpu::golden_map(op, in, [by](double x) { return x / (1 + by * std::fabs(x)); });
                 },
             .block =
                 [](const BlockArgs& args) {
                     const auto by = static_cast<float>(attribute_number(args.op.attr, tilt));
                     sfpu::run_each(args, [by](float x) { return x / (1 + by * std::fabs(x)); });
                 },
             .range = [](const OpAttributes&, std::span<const ValueRange> in) -> ValueRange {
                 return {-in[0].most(), in[0].most()};
             },
             .chain_cycles = 2,
             .keeps_sign = true});

ir::Literal bend_value(const ir::Node& node, std::span<const ir::Literal* const> in) {
    OpAttributes attr;
    read_attributes(node, bend_def, attr);
    const double by = attribute_number(attr, tilt);
    ir::Literal out(node.type.dtype, node.type.dims);
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, in[0]->at(i) / (1 + by * std::fabs(in[0]->at(i))));
    return out;
}
constexpr ir::OpInfo bend_info{.name = "bend",
                               .level = ir::Level::Core,
                               .min_inputs = 1,
                               .max_inputs = 1,
                               .infer = ir::infer_elementwise,
                               .eval = bend_value,
                               .elementwise = true,
                               .onnx = "tests.ops.Bend"};

void add_bend() {
    static const bool once = [] {
        add_op(bend_def);
        ir::add_op(bend_info);
        return true;
    }();
    static_cast<void>(once);
}

// --- a netlist and a model with it --------------------------------------------------------------------------------

std::string netlist_with(const std::string& type, const std::string& attributes) {
    return test::with(test::with(test::small_netlist, "type: exp", "type: " + type), "{approximate_mode: true}",
                      "{" + attributes + "}");
}

sim::RunReport run(const std::string& text) {
    sim::RunOptions options;
    options.value = std::make_shared<const Netlist>(read_netlist_text(text, "n.yaml"));
    options.arch = "wormhole_b0";
    options.threads = 1;
    return sim::run(options);
}

std::uint64_t busy_cycles(const sim::RunReport& report) { return report.graphs.at(0).ops.at(0).busy_cycles; }

/// y = Bend(x), or with `chain` sqrt(|Bend(x)|); x is 32 x 64.
ir::Graph model(double by, bool chain) {
    onnx::ModelProto proto;
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(13);
    auto& own = *proto.add_opset_import();
    own.set_domain("tests.ops");
    own.set_version(1);
    onnx::GraphProto& graph = *proto.mutable_graph();
    auto& x = *graph.add_input();
    x.set_name("x");
    auto& type = *x.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t d : {32, 64}) type.mutable_shape()->add_dim()->set_dim_value(d);
    const auto add = [&](const char* op, const char* in, const char* out) -> onnx::NodeProto& {
        auto& node = *graph.add_node();
        node.set_op_type(op);
        node.set_name(out);
        node.add_input(in);
        node.add_output(out);
        return node;
    };
    auto& bend = add("Bend", "x", chain ? "a" : "y");
    bend.set_domain("tests.ops");
    if (by != 1) {
        auto& attribute = *bend.add_attribute();
        attribute.set_name("tilt");
        attribute.set_type(onnx::AttributeProto::FLOAT);
        attribute.set_f(static_cast<float>(by));
    }
    if (chain) {
        add("Abs", "a", "b");
        add("Sqrt", "b", "y");
    }
    graph.add_output()->set_name("y");
    return ir::parse_onnx(proto.SerializeAsString(), "bend.onnx", {});
}

ir::Literal ramp() {
    ir::Literal x(ir::DType::F32, {32, 64});
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(i % 129 - 64) / 32);
    return x;
}

/// The largest difference of the compiled model's result on the machine from `want`.
template <class F>
double distance(const ir::CompiledModel& compiled, F want) {
    runtime::ModelOptions options;
    options.session.threads = 1;
    runtime::Model on_device(compiled, options);
    const ir::Literal x = ramp(), y = on_device.run({{"x", x}}).at("y");
    double most = 0;
    for (std::int64_t i = 0; i < x.size(); ++i) most = std::max(most, std::fabs(y.at(i) - want(x.at(i))));
    return most;
}

}  // namespace

// --- what it does -------------------------------------------------------------------------------------------------

TEST_CASE("an op from outside is read with its attribute, written and checked") {
    add_bend();
    const Netlist netlist = read_netlist_text(netlist_with("bend", "tilt: 2.5, vector: r"), "n.yaml");
    CHECK(attribute_number(netlist.graphs[0].ops[0].cfg.attr, tilt) == 2.5);
    const std::string written = write_netlist(netlist);
    CHECK_THAT(written, Catch::Contains("attributes: {vector: r, tilt: 2.5}"));
    CHECK(equal(read_netlist_text(written, "n.yaml"), netlist));
    CHECK(test::complaints(netlist_with("bend", "tilt: 8")) == "");
    CHECK_THAT(test::complaints(netlist_with("bend", "tilt: 9")), Catch::Contains("'tilt' is 9; it must lie in 0..8"));
    CHECK_THAT(test::complaints(netlist_with("bend", "tild: 1")), Catch::Contains("did you mean 'tilt'?"));
    CHECK_THAT(test::complaints(netlist_with("bent", "tilt: 1")), Catch::Contains("did you mean 'bend'?"));
}

TEST_CASE("an op from outside runs in a netlist, right and in the time of its class") {
    add_bend();
    const sim::RunReport bent = run(netlist_with("bend", "tilt: 2")), copied = run(netlist_with("nop", "m_k: 0"));
    CHECK(bent.verdict() == sim::Verdict::Pass);
    CHECK(busy_cycles(bent) > busy_cycles(copied) + 100);  // the default number of instructions a tile
    const sim::RunReport gelu = run(netlist_with("gelu", "vector: rc"));
    CHECK(busy_cycles(bent) == Approx(static_cast<double>(busy_cycles(gelu))).epsilon(0.05));  // whose number that is
}

TEST_CASE("an op from outside compiles from a domain of its own, and its attribute comes along") {
    add_bend();
    const ir::CompiledModel compiled = ir::compile(model(2, false), {});
    CHECK_THAT(write_netlist(compiled.netlist), Catch::Contains("type: bend") && Catch::Contains("{tilt: 2}"));
    CHECK(distance(compiled, [](double x) { return x / (1 + 2 * std::fabs(x)); }) < 0.004);
}

TEST_CASE("an op from outside is fused with its neighbours") {
    add_bend();
    const ir::CompiledModel compiled = ir::compile(model(1, true), {});
    CHECK_THAT(write_netlist(compiled.netlist), Catch::Contains("type: fused_op") && Catch::Contains("{type: bend"));
    CHECK(distance(compiled, [](double x) { return std::sqrt(std::fabs(x) / (1 + std::fabs(x))); }) < 0.006);
}

TEST_CASE("a constant of an op from outside is folded") {
    add_bend();
    const ir::Graph graph = ir::parse_graph(
        "%c = constant [-3, 1] : f32[2]\n%b = bend %c {tilt = 1.0}\n%x = input : f32[2]\n%y = add %x, %b\n"
        "output \"y\" = %y\n",
        "folded.tg");
    const ir::CompileState state = ir::compile_until(graph, {}, "fold-constants");
    bool found = false;
    for (const ir::Node& node : state.graph.nodes)
        found = found || (node.is_constant() && node.literal->at(0) == -0.75 && node.literal->at(1) == 0.5);
    CHECK(found);
}

TEST_CASE("a name is given once") {
    add_bend();
    CHECK_THROWS_WITH(add_op(bend_def), Catch::Contains("there are two ops 'bend'"));
    CHECK_THROWS_WITH(ir::add_op(bend_info), Catch::Contains("there are two ops 'bend'"));
}
