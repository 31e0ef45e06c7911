// What ONNX ops give, by numbers that other programs (onnxruntime, ONNX's reference) gave for them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/host/host_program.hpp"
#include "compiler/host/reference.hpp"
#include "compiler/onnx/importer.hpp"
#include "compiler/onnx/read.hpp"
#include "tests/compiler/onnx_model.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;
using namespace std::string_literals;

namespace {

using Reals = std::vector<float>;

ir::Graph read_model(const Model& model) { return parse_onnx(model.bytes(), "m.onnx", {{}, {}, ""}); }

/// Output k of the model for its input x, in float32.
Literal value_of(const Model& model, const Reals& x, std::size_t k = 0) {
    const ir::Graph graph = read_model(model);
    std::optional<ir::Graph> plain = reference_graph(graph);
    REQUIRE(plain.has_value());
    Values inputs;
    for (const Node& node : graph.nodes)
        if (node.is_input()) {
            Literal value(node.type.dtype, node.type.dims);
            REQUIRE(value.size() == std::ssize(x));
            for (std::size_t i = 0; i < x.size(); ++i)
                value.set(static_cast<std::int64_t>(i), static_cast<double>(x[i]));
            inputs.emplace(node.origin, value);
        }
    const std::optional<Values> found = Reference(std::move(*plain), graph).outputs(inputs);
    REQUIRE(found.has_value());
    return found->at(graph.outputs.at(k).name);
}

void gives(const Model& model, const Reals& x, const Reals& wanted, std::size_t k = 0) {
    const Literal found = value_of(model, x, k);
    REQUIRE(found.size() == std::ssize(wanted));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        CHECK(found.at(static_cast<std::int64_t>(i)) == Approx(wanted[i]).margin(2e-6).epsilon(2e-5));
    }
}

/// A graph of one node, for the attributes of Loop, Scan and If.
onnx::GraphProto body_of(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    onnx::GraphProto body;
    body.set_name("body");
    for (const auto& name : inputs) body.add_input()->set_name(name);
    for (const auto& name : outputs) body.add_output()->set_name(name);
    return body;
}
void add_node(onnx::GraphProto& graph, const std::string& op, const std::vector<std::string>& in,
              const std::string& out) {
    auto& node = *graph.add_node();
    node.set_op_type(op);
    for (const auto& name : in) node.add_input(name);
    node.add_output(out);
}
void set_graph(Model& model, const std::string& name, const onnx::GraphProto& body) {
    auto& attribute = *model.node().add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = body;
}

/// Function Leak of domain 'mine': LeakyRelu with its attribute 'slope' as alpha.
onnx::FunctionProto& add_leak(Model& model) {
    auto& function = *model.proto().add_functions();
    function.set_name("Leak");
    function.set_domain("mine");
    function.add_input("a");
    function.add_output("b");
    function.add_attribute("slope");
    function.add_opset_import()->set_version(16);
    auto& node = *function.add_node();
    node.set_op_type("LeakyRelu");
    node.add_input("a");
    node.add_output("b");
    auto& attribute = *node.add_attribute();
    attribute.set_name("alpha");
    attribute.set_ref_attr_name("slope");
    attribute.set_type(onnx::AttributeProto::FLOAT);
    return function;
}

const Reals six{-2, -0.5F, 0, 0.25F, 1.5F, 3};

}  // namespace

TEST_CASE("activations and norms of newer opsets have their values") {
    gives(Model("Gelu", {6}, 1, 20), six, {-0.04550028F, -0.1542688F, 0, 0.1496766F, 1.399789F, 2.99595F});
    gives(Model("Gelu", {6}, 1, 20).attr("approximate", "tanh"), six,
          {-0.04540235F, -0.154286F, 0, 0.1496754F, 1.399572F, 2.996363F});
    gives(Model("Mish", {6}, 1, 18), six, {-0.2525015F, -0.2207438F, 0, 0.1695724F, 1.403378F, 2.986536F});
    gives(Model("Swish", {6}, 1, 24).real_attr("alpha", 1.5F), six,
          {-0.09485175F, -0.1604106F, 0, 0.1481667F, 1.356976F, 2.967039F});
    gives(Model("RMSNormalization", {2, 3}, 1, 23).real({1, 0.5F, 2}).real_attr("epsilon", 1e-5F), {1, 2, 3, -4, 0, 2},
          {0.4629095F, 0.4629095F, 2.777457F, -1.549192F, 0, 1.549192F});
}

TEST_CASE("pictures that get smaller average, and pads wrap more than once") {
    const auto smaller = [](const char* mode) {
        return Model("Resize", {1, 1, 1, 6}, 1, 18)
            .attr("mode", mode)
            .attr("antialias", 1)
            .none()
            .none()
            .whole({1, 1, 1, 3});
    };
    const Reals squares{0.25F, 1, 2.25F, 4, 6.25F, 9};
    gives(smaller("linear"), squares, {0.78125F, 3.25F, 7.34375F});
    gives(smaller("cubic"), squares, {0.5380859F, 3.044922F, 7.633789F});
    gives(Model("Pad", {1, 4}, 1, 19).attr("mode", "wrap").whole({0, 2, 0, 5}), {1, 2, 3, 4},
          {3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1});
}

TEST_CASE("a mask of infinities keeps its triangle, and zeros elsewhere") {
    const float far = -INFINITY;
    const auto mask = [&](std::int64_t upper) {
        return Model("Trilu", {1}, 1, 14)
            .without()
            .real(Reals(9, far), Whole{3, 3})
            .whole({1}, Whole{})
            .attr("upper", upper);
    };
    gives(mask(1), {0}, {0, far, far, 0, 0, far, 0, 0, 0});
    gives(mask(0), {0}, {far, far, 0, far, far, far, far, far, far});
}

TEST_CASE("the host sorts and scatters as ONNX defines") {
    const Model most = Model("TopK", {2, 4}, 2).whole({3}).attr("axis", 1);
    gives(most, {3, 1, 3, 2, 0, -1, 5, 5}, {3, 3, 2, 5, 5, 0});
    gives(most, {3, 1, 3, 2, 0, -1, 5, 5}, {0, 2, 3, 2, 3, 0}, 1);
    const ir::Graph both = read_model(most);
    CHECK(std::count_if(both.nodes.begin(), both.nodes.end(), [](const Node& n) { return n.op == op::top_k; }) == 1);
    gives(Model("TopK", {2, 4}, 2).whole({2}).attr("axis", 1).attr("largest", 0), {3, 1, 3, 2, 0, -1, 5, 5},
          {1, 2, -1, 0});
    gives(Model("ScatterElements", {2, 3}, 1, 18)
              .whole({0, 1, 1}, Whole{1, 3})
              .real({10, 20, 30}, Whole{1, 3})
              .attr("reduction", "add"),
          {1, 2, 3, 4, 5, 6}, {11, 2, 3, 4, 25, 36});
    gives(Model("ScatterND", {3, 2}, 1, 18)
              .whole({2, 0, 2}, Whole{3, 1})
              .real({1, 1, 2, 2, 3, 3}, Whole{3, 2})
              .attr("reduction", "mul"),
          {1, 2, 3, 4, 5, 6}, {2, 4, 3, 4, 15, 18});
    gives(Model("GatherElements", {2, 3}).whole({2, -3}, Whole{1, 2}).attr("axis", 1), {1, 2, 3, 4, 5, 6}, {3, 1});
    // integers stay whole: what is looked up by them may be another table
    CHECK(value_of(Model("GatherElements", {1, 4})
                       .without()
                       .whole({7, 300, 9}, Whole{1, 3})
                       .whole({1, 0}, Whole{1, 2})
                       .attr("axis", 1),
                   {1, 2, 3, 4})
              .dtype() == DType::I64);
    gives(Model("GatherElements", {1, 4})
              .without()
              .whole({7, 300, 9}, Whole{1, 3})
              .whole({1, 0}, Whole{1, 2})
              .attr("axis", 1),
          {1, 2, 3, 4}, {300, 7});
    gives(Model("ReverseSequence", {2, 3}).whole({2, 3}).attr("batch_axis", 0).attr("time_axis", 1), {1, 2, 3, 4, 5, 6},
          {2, 1, 3, 6, 5, 4});
    gives(Model("ReverseSequence", {2, 3}).whole({2, 2}).attr("batch_axis", 0).attr("time_axis", 1), {1, 2, 3, 4, 5, 6},
          {2, 1, 3, 5, 4, 6});
    gives(Model("CumProd", {4}, 1, 26).whole({0}, Whole{}).attr("exclusive", 1), {2, 3, 4, 5}, {1, 2, 6, 24});
}

TEST_CASE("pictures are sampled with every mode and padding") {
    const auto sampled = [](const char* mode, const char* padding) {
        return Model("GridSample", {1, 1, 3, 3}, 1, 20)
            .attr("mode", mode)
            .attr("padding_mode", padding)
            .real({-1, -1, 0.3F, 0.2F, 1.2F, -0.4F, -0.6F, 1.7F}, Whole{1, 2, 2, 2});
    };
    const Reals x{1, 2, 3, 4, 5, 6, 7, 8, 9};
    gives(sampled("linear", "zeros"), x, {0.25F, 6.35F, 0.84F, 0});
    gives(sampled("linear", "border"), x, {1, 6.35F, 4.2F, 7.1F});
    gives(sampled("linear", "reflection"), x, {1, 6.35F, 4.2F, 5.45F});
    gives(sampled("nearest", "reflection"), x, {1, 5, 3, 4});
    gives(sampled("cubic", "zeros"), x, {0.0625F, 7.751702F, 0.7784634F, -0.6265252F});
    gives(sampled("cubic", "border"), x, {0.625F, 6.71365F, 3.972F, 7.07525F});
    gives(sampled("cubic", "border").attr("align_corners", 1), x, {1, 6.20525F, 4.608F, 7.45775F});
    gives(sampled("linear", "zeros").attr("align_corners", 1), x, {1, 5.9F, 3.84F, 2.22F});
}

TEST_CASE("boxes, places of maxima and small matrices have their values") {
    Reals line(16);
    for (std::size_t k = 0; k < line.size(); ++k) line[k] = static_cast<float>(k);
    gives(Model("RoiAlign", {1, 1, 4, 4}, 1, 18)
              .real({0.5F, 0.5F, 3, 2.5F}, Whole{1, 4})
              .whole({0})
              .attr("output_height", 2)
              .attr("output_width", 2)
              .attr("sampling_ratio", 2),
          line, {2.625F, 3.875F, 6.625F, 7.875F});
    const Model pool = Model("MaxPool", {1, 1, 2, 4}, 2).attr("kernel_shape", Whole{2, 2}).attr("strides", Whole{2, 2});
    gives(pool, {1, 5, 2, 0, 3, 4, 8, 7}, {5, 8});
    gives(pool, {1, 5, 2, 0, 3, 4, 8, 7}, {1, 6}, 1);
    gives(Model("Det", {2, 2}), {2, 1, 5, 3.5F}, {2});
    gives(Model("LpPool", {1, 1, 4}, 1, 18).attr("kernel_shape", Whole{2}).attr("p", 2), {1, -2, 3, 4},
          {2.236068F, 3.605551F, 5});
    gives(Model("DFT", {1, 3, 1}, 1, 17).attr("onesided", 1).attr("axis", 1), {1, 2, 4}, {7, 0, -2, 1.732051F});
}

TEST_CASE("attention and rotary positions have their values") {
    gives(Model("Attention", {1, 2, 2}, 1, 23)
              .real({1, 2, 3, -1}, Whole{1, 2, 2})
              .real({1, 2, 5, 6}, Whole{1, 2, 2})
              .attr("q_num_heads", 1)
              .attr("kv_num_heads", 1)
              .attr("is_causal", 1),
          {1, 0, 0, 1}, {1, 2, 1.428167F, 2.428167F});
    gives(Model("RotaryEmbedding", {1, 1, 4}, 1, 23)
              .real({0.8F, 0.5F}, Whole{1, 1, 2})
              .real({0.6F, 0.25F}, Whole{1, 1, 2})
              .attr("num_heads", 1),
          {1, 2, 3, 4}, {-1, 0, 3, 2.5F});
}

TEST_CASE("ops of other domains have their values") {
    gives(Model("SkipLayerNormalization", {1, 1, 3}, 1, 18, "com.microsoft")
              .real({0.5F, 0, -1}, Whole{1, 1, 3})
              .real({1, 2, 0.5F})
              .real({0, 0.1F, 0.2F})
              .real_attr("epsilon", 1e-5F),
          {1, 2, 4}, {-1.069031F, -0.4345159F, 0.8681445F});
    const Model tree = Model("TreeEnsembleRegressor", {2, 1}, 1, 18, "ai.onnx.ml")
                           .attr("nodes_treeids", Whole{0, 0, 0})
                           .attr("nodes_nodeids", Whole{0, 1, 2})
                           .attr("nodes_featureids", Whole{0, 0, 0})
                           .attr("nodes_truenodeids", Whole{1, 0, 0})
                           .attr("nodes_falsenodeids", Whole{2, 0, 0})
                           .attr("target_treeids", Whole{0, 0})
                           .attr("target_nodeids", Whole{1, 2})
                           .attr("target_ids", Whole{0, 0})
                           .attr("n_targets", 1)
                           .floats_attr("nodes_values", {0.5F, 0, 0})
                           .floats_attr("target_weights", {3.5F, -2})
                           .words_attr("nodes_modes", {"BRANCH_LEQ", "LEAF", "LEAF"});
    gives(tree, {0.2F, 0.9F}, {3.5F, -2});
    gives(Model("Quant", {4}, 1, 13, "qonnx.custom_op.general")
              .real({0.5F}, Whole{})
              .real({0}, Whole{})
              .real({3}, Whole{})
              .attr("signed", 1),
          {-3, 0.3F, 0.7F, 9}, {-2, 0.5F, 0.5F, 1.5F});
}

TEST_CASE("loops and scans are unrolled, with values of the enclosing graph") {
    // x becomes 2 x + w, three times; each result is gathered as well
    Model loop("Loop", {2}, 2);
    loop.without();
    loop.whole({3}, Whole{}).none().again().real({1, 10});
    loop.node().mutable_input()->RemoveLast();  // w is read from inside only
    onnx::GraphProto body = body_of({"turn", "go", "state"}, {"go", "next", "next"});
    add_node(body, "Add", {"state", "state"}, "twice");
    add_node(body, "Add", {"twice", "c2"}, "next");
    set_graph(loop, "body", body);
    gives(loop, {1, 2}, {15, 86});
    gives(loop, {1, 2}, {3, 14, 7, 38, 15, 86}, 1);

    Model scan("Scan", {3, 2}, 2);
    scan.without();
    scan.real({100, 200}).again().attr("num_scan_inputs", 1).attr("scan_input_directions", Whole{1});
    onnx::GraphProto sum = body_of({"total", "row"}, {"both", "both"});
    add_node(sum, "Add", {"total", "row"}, "both");
    set_graph(scan, "body", sum);
    gives(scan, {1, 2, 3, 4, 5, 6}, {109, 212});
    gives(scan, {1, 2, 3, 4, 5, 6}, {105, 206, 108, 210, 109, 212}, 1);

    // of opset 8: a batch in front, lengths before all operands, other names
    Model batch("Scan", {2, 3, 2}, 2, 8);
    batch.without();
    batch.none().real({100, 200, 300, 400}, Whole{2, 2}).again();
    batch.attr("num_scan_inputs", 1).attr("directions", Whole{1});
    set_graph(batch, "body", sum);
    gives(batch, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60}, {109, 212, 390, 520});
    gives(batch, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60},
          {105, 206, 108, 210, 109, 212, 350, 460, 380, 500, 390, 520}, 1);
}

TEST_CASE("a Scan that computes the distances of all rows is one op, not a loop") {
    const auto scan_of = [](const std::string& norm, bool root, bool turned) {
        Model scan("Scan", {3, 2}, 2);
        scan.without();
        scan.real({0, 0, 1, 1}, Whole{2, 2}).again().attr("num_scan_inputs", 1);
        onnx::GraphProto body = body_of({"rest", "row"}, {"same", "last"});
        add_node(body, "Identity", {"rest"}, "same");
        add_node(body, "Sub",
                 turned ? std::vector<std::string>{"row", "rest"} : std::vector<std::string>{"rest", "row"}, "apart");
        add_node(body, norm, {"apart"}, root ? "squares" : "passed");
        auto& axes = *body.mutable_node(2)->add_attribute();
        axes.set_name("axes");
        axes.set_type(onnx::AttributeProto::INTS);
        axes.add_ints(1);
        auto& keeps = *body.mutable_node(2)->add_attribute();
        keeps.set_name("keepdims");
        keeps.set_type(onnx::AttributeProto::INT);
        keeps.set_i(0);
        if (root) add_node(body, "Sqrt", {"squares"}, "passed");
        add_node(body, "Identity", {"passed"}, "last");
        set_graph(scan, "body", body);
        return scan;
    };
    const Reals x{3, 4, 1, 2, 0, 0}, squares{25, 13, 5, 1, 0, 2};
    Reals distances = squares;
    for (float& v : distances) v = std::sqrt(v);
    gives(scan_of("ReduceSumSquare", false, false), x, squares, 1);
    gives(scan_of("ReduceSumSquare", true, true), x, distances, 1);
    gives(scan_of("ReduceL2", false, false), x, distances, 1);
    const ir::Graph graph = read_model(scan_of("ReduceSumSquare", false, true));
    CHECK(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                        [](const Node& node) { return node.op == op::subtract; }) == 1);
}

TEST_CASE("a long signal's short-time spectra are a convolution, with the same values") {
    constexpr std::int64_t length = 64, step = 32, frames = 2100, all = (frames - 1) * step + length;
    Reals x(static_cast<std::size_t>(all)), window(length);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(0.01F * static_cast<float>(k * k % 1009));
    for (std::size_t k = 0; k < window.size(); ++k) window[k] = static_cast<float>(k % 7) / 7;
    Model model("STFT", {1, all, 1}, 1, 17);
    model.whole({step}, Whole{}).real(window).whole({length}, Whole{});
    const ir::Graph graph = read_model(model);
    CHECK(std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.op == op::conv; }));
    const Literal found = value_of(model, x);
    REQUIRE(found.dims() == Dims{1, frames, length / 2 + 1, 2});
    for (const std::int64_t frame : {0, 7, 2099})
        for (const std::int64_t f : {0, 5, 32}) {
            double real = 0, imaginary = 0;
            for (std::int64_t k = 0; k < length; ++k) {
                const double value = static_cast<double>(x[static_cast<std::size_t>(frame * step + k)]) *
                                     static_cast<double>(window[static_cast<std::size_t>(k)]);
                const double angle = 2 * 3.14159265358979 * static_cast<double>(f * k) / length;
                real += value * std::cos(angle);
                imaginary -= value * std::sin(angle);
            }
            const std::int64_t at = (frame * (length / 2 + 1) + f) * 2;
            CHECK(found.at(at) == Approx(real).margin(1e-4));
            CHECK(found.at(at + 1) == Approx(imaginary).margin(1e-4));
        }
}

TEST_CASE("runs of integers are counted, with others between their items") {
    const auto counted = [](const std::string& mode, const Whole& lengths, std::int64_t skips) {
        Model model("TfIdfVectorizer", {2, 6}, 1, 9);
        model.attr("mode", mode).attr("min_gram_length", lengths[0]).attr("max_gram_length", lengths[1]);
        model.attr("max_skip_count", skips).attr("ngram_counts", Whole{0, 2}).attr("ngram_indexes", Whole{1, 0, 3, 2});
        model.attr("pool_int64s", Whole{7, 4, 4, 5, 5, 7});  // 7; 4; 4 5; 5 7
        if (mode != "TF") model.floats_attr("weights", {10, 20, 30, 40});
        model.proto().mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
            onnx::TensorProto::INT64);
        return model;
    };
    const Reals x{4, 5, 7, 4, 9, 5, 7, 7, 7, 7, 7, 7};
    gives(counted("TF", {1, 2}, 0), x, {2, 1, 1, 1, 0, 6, 0, 0});
    gives(counted("TF", {1, 2}, 1), x, {2, 1, 1, 2, 0, 6, 0, 0});  // 4 . 5; single ones once
    gives(counted("TF", {2, 2}, 1), x, {0, 0, 1, 2, 0, 0, 0, 0});
    gives(counted("IDF", {1, 1}, 0), x, {10, 20, 0, 0, 0, 20, 0, 0});
    gives(counted("TFIDF", {1, 2}, 1), x, {20, 20, 30, 80, 0, 120, 0, 0});
    gives(counted("TF", {2, 2}, std::numeric_limits<std::int64_t>::max()), x, {0, 0, 1, 3, 0, 0, 0, 0});
}

/// if (x) then_branch else exp(x), each a node.
static Model choice_of(const Whole& dims, const std::string& op, const std::vector<std::string>& operands) {
    Model model("If", dims, 1);
    add_node(model.graph(), "Cast", {"x"}, "yes");
    auto& to = *model.graph().mutable_node(1)->add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(onnx::TensorProto::BOOL);
    model.graph().mutable_node()->SwapElements(0, 1);
    auto& choice = *model.graph().mutable_node(1);
    choice.set_input(0, "yes");
    for (const std::string name : {"then_branch", "else_branch"}) {
        onnx::GraphProto branch = body_of({}, {"out"});
        add_node(branch, name == "then_branch" ? op : "Exp", name == "then_branch" ? operands : std::vector{"x"s},
                 "out");
        auto& attribute = *choice.add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::GRAPH);
        *attribute.mutable_g() = branch;
    }
    return model;
}

TEST_CASE("a condition of the run chooses between the results of both branches") {
    const Model model = choice_of({1}, "Neg", {"x"});
    gives(model, {1}, {-1});
    gives(model, {0}, {1});
}

TEST_CASE("a branch that shapes rule out is never taken, one that has no form refuses the model") {
    std::vector<std::string> notes;
    OnnxOptions options;
    options.notes = &notes;
    const Model impossible = choice_of({1, 1}, "MatMul", {"x", "w"});
    Model with_weight = impossible;
    auto& weight = *with_weight.graph().add_initializer();
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    weight.add_dims(3);
    weight.add_dims(1);
    for (int k = 0; k < 3; ++k) weight.add_float_data(1);
    gives(with_weight, {1}, {2.718282F});
    (void)parse_onnx(with_weight.bytes(), "m.onnx", options);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes.front(),
               Catch::Contains("(If): its else_branch is always taken") && Catch::Contains("1 columns by 3 rows"));
    CHECK_THROWS_WITH(parse_onnx(choice_of({1}, "StringConcat", {"x", "x"}).bytes(), "m.onnx", {}),
                      Catch::Contains("StringConcat"));
}

TEST_CASE("spectra of signals without an axis of parts") {
    Model model("STFT", {1, 4}, 1, 17);
    model.whole({2}, Whole{}).none().whole({2}, Whole{});
    gives(model, {1, 2, 3, 5}, {3, 0, -1, 0, 8, 0, -2, 0});
}

TEST_CASE("support vectors vote for classes, by pairs") {
    // three classes of one vector each, on a line at -1, 0 and 1
    Model model("SVMClassifier", {2, 1}, 2, 13, "ai.onnx.ml");
    model.attr("kernel_type", "LINEAR")
        .floats_attr("support_vectors", {-1, 0, 1})
        .attr("classlabels_ints", Whole{5, 6, 7});
    model.floats_attr("coefficients", {1, -1, -1, 1, 1, -1}).attr("vectors_per_class", Whole{1, 1, 1});
    model.floats_attr("rho", {-0.5F, 0, 0.5F}).floats_attr("kernel_params", {0, 0, 0});
    gives(model, {-2, 3}, {5, 7});
    gives(model, {-2, 3}, {1.5F, 4, 2.5F, -3.5F, -6, -2.5F}, 1);
    model.floats_attr("prob_a", {-1, -1, -1}).floats_attr("prob_b", {0, 0, 0});
    gives(model, {-2, 3}, {0.8055767F, 0.1796709F, 0.0147524F, 0.0022817F, 0.0756852F, 0.9220331F}, 1);
}

TEST_CASE("loops of zero iterations keep their states and gather empty tensors") {
    Model loop("Loop", {2}, 2);
    loop.without();
    loop.whole({0}, Whole{}).none().again();
    onnx::GraphProto body = body_of({"turn", "go", "state"}, {"go", "next", "next"});
    add_node(body, "Add", {"state", "state"}, "next");
    set_graph(loop, "body", body);
    gives(loop, {1, 2}, {1, 2});
    CHECK(value_of(loop, {1, 2}, 1).dims() == Dims{0, 2});
    Model scan("Scan", {0, 2}, 2);
    scan.without();
    scan.real({100, 200}).again().attr("num_scan_inputs", 1);
    onnx::GraphProto sum = body_of({"total", "row"}, {"both", "both"});
    add_node(sum, "Add", {"total", "row"}, "both");
    set_graph(scan, "body", sum);
    gives(scan, {}, {100, 200});
    CHECK(value_of(scan, {}, 1).dims() == Dims{0, 2});
    gives(Model("ReduceProd", {0, 3}).attr("axes", Whole{0}), {}, {1, 1, 1});
    gives(Model("ReduceSum", {0, 2}, 1, 11).attr("axes", Whole{0}), {}, {0, 0});
}

TEST_CASE("a model of another domain's ops alone need not import ONNX's own") {
    Model model("ZipMap", {1, 2}, 1, 13, "ai.onnx.ml");
    model.proto().clear_opset_import();
    model.proto().add_opset_import()->set_domain("ai.onnx.ml");
    gives(model, {0.25F, 0.75F}, {0.25F, 0.75F});
    Model own("Relu");
    own.proto().clear_opset_import();
    own.proto().add_opset_import()->set_domain("ai.onnx.ml");
    CHECK_THROWS_WITH(parse_onnx(own.bytes(), "m.onnx", {{}, {}, ""}), Catch::Contains("it uses opset 0 of ONNX"));
}

TEST_CASE("a constant of more numbers than are made takes no memory where it is only broadcast") {
    const std::int64_t many = std::int64_t{1} << 27;
    Model model("ConstantOfShape", {many});
    model.without().whole({many});
    auto& sum = *model.graph().add_node();
    sum.set_op_type("Add");
    sum.add_input("x");
    sum.add_input("y0");
    sum.add_output("sum");
    model.graph().mutable_output(0)->set_name("sum");
    const ir::Graph graph = parse_onnx(model.bytes(), "m.onnx", {{}, {}, ""});
    for (const Node& node : graph.nodes)
        if (node.is_constant()) CHECK(node.literal->size() == 1);
    CHECK(graph.type(graph.outputs[0].value).dims == Dims{many});
}

TEST_CASE("functions of the model are inlined with the attributes of the call") {
    Model model("Leak", {2}, 1, 13, "mine");
    model.real_attr("slope", 0.5F);
    add_leak(model);
    gives(model, {-4, 3}, {-2, 3});
}

TEST_CASE("a map of classes to scores, one a sample, is the table of scores") {
    gives(Model("ZipMap", {2, 2}, 1, 13, "ai.onnx.ml"), {0.25F, 0.75F, 1, 0}, {0.25F, 0.75F, 1, 0});
}

TEST_CASE("unsupported ops are refused with a remedy") {
    const auto refusal = [](const Model& model) -> std::string {
        try {
            parse_onnx(model.bytes(), "m.onnx", {{}, {}, ""});
        } catch (const Error& error) {
            CHECK(error.exit_code() == 4);
            return error.what();
        }
        return "it was taken";
    };
    Model top("TopK", {1}, 2);
    top.again();
    CHECK_THAT(refusal(top), Catch::Contains("operand 1 is an input") && Catch::Contains("--constant"));
    CHECK_THAT(refusal(Model("RandomNormalLike")), Catch::Contains("it generates random numbers"));
    CHECK_THAT(refusal(Model("DictVectorizer", {1, 2}, 1, 13, "ai.onnx.ml")), Catch::Contains("it works on maps"));
}

TEST_CASE("linear attention adds products of keys and values to a state, corrected where its attributes ask for it") {
    const auto attention = [](const std::string& rule) {
        Model model("LinearAttention", {1, 2, 2}, 2, 27);
        model.again().again();
        return model.attr("update_rule", rule)
            .attr("q_num_heads", std::int64_t{1})
            .attr("kv_num_heads", std::int64_t{1})
            .real_attr("scale", 1);
    };
    gives(attention("linear"), {1, 0, 1, 1}, {1, 0, 3, 2});
    gives(attention("linear"), {1, 0, 1, 1}, {2, 1, 1, 1}, 1);
    Model corrected = attention("delta");
    corrected.none().none().real({1, 1}, Whole{1, 2, 1});
    gives(corrected, {1, 0, 1, 1}, {1, 0, 1, 2});
    Model fading = attention("gated");
    fading.none().real({0, std::log(0.5F)}, Whole{1, 2, 1});
    gives(fading, {1, 0, 1, 1}, {1, 0, 2.5F, 2});
}

TEST_CASE("a bit cast keeps the bits in another type of the same size") {
    Model model("BitCast", {2}, 1, 26);
    model.attr("to", std::int64_t{onnx::TensorProto::INT32});
    CHECK(value_of(model, {1, -2}).integer_elements() == Whole{0x3F800000, std::int64_t{-0x40000000}});
}

TEST_CASE("recurrent layers take lengths known only at run time, in both directions") {
    Model model("RNN", {3, 2, 1}, 2, 14);
    model.real({1, 1}, Whole{2, 1, 1}).real({1, 1}, Whole{2, 1, 1}).none().attr("hidden_size", 1);
    model.attr("direction", std::string("bidirectional")).words_attr("activations", {"Relu", "Relu"});
    model.node().add_input("lengths");
    add_node(model.graph(), "ReduceMax", {"x"}, "most");
    auto& axes = *model.graph().mutable_node(1)->add_attribute();
    axes.set_name("axes");
    axes.set_type(onnx::AttributeProto::INTS);
    axes.add_ints(0);
    axes.add_ints(2);
    add_node(model.graph(), "Reshape", {"most", "two"}, "flat");
    model.graph().add_initializer()->set_name("two");
    model.graph().mutable_initializer(2)->set_data_type(onnx::TensorProto::INT64);
    model.graph().mutable_initializer(2)->add_dims(1);
    model.graph().mutable_initializer(2)->add_int64_data(2);
    add_node(model.graph(), "Cast", {"flat"}, "lengths");
    auto& to = *model.graph().mutable_node(3)->add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(onnx::TensorProto::INT64);
    for (int k = 0; k < 3; ++k) model.graph().mutable_node()->SwapElements(k, k + 1);  // in the order of their data
    const Reals x{1, 2, 0.5F, 1, -1, 3};  // [steps, batch, 1]; lengths 1 and 3
    gives(model, x, {1, 2, 1, 6, 0, 3, 0, 4, 0, 6, 0, 3});
    gives(model, x, {1, 6, 1, 6}, 1);
}

/// Output k of a model whose last nodes are read in the run, which the reader says.
Literal late_value(const Model& model, const Reals& x, std::size_t k = 0) {
    std::vector<std::string> notes;
    HostProgram program;
    program.graph = parse_onnx(model.bytes(), "m.onnx", {{}, {}, "", &notes});
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes.front(), Catch::Contains("whose result shapes depend on runtime values"));
    Literal given(DType::F32, program.graph.nodes.front().type.dims);
    given.floats() = x;
    return HostRun(program, {{"x", given}}).outputs().at(program.graph.outputs.at(k).name);
}

TEST_CASE("results of data-dependent size have the shape of the run") {
    const Model places("NonZero");
    CHECK(late_value(places, {0, 1, 0, 2, 0, 3}) == [] {
        Literal wanted = Literal::vector({0, 1, 1, 1, 0, 2});
        wanted.reshape({2, 3});
        return wanted;
    }());
    CHECK(late_value(places, {0, 0, 0, 0, 0, 0}).dims() == Dims{2, 0});
    CHECK(late_value(places, {1, 1, 1, 1, 1, 1}).dims() == Dims{2, 6});
    const Model different("Unique", {2, 3}, 4);
    CHECK(late_value(different, {2, 1, 1, 3, 4, 3}, 0).floats() == Reals{1, 2, 3, 4});
    CHECK(late_value(different, {2, 1, 1, 3, 4, 3}, 3).integer_elements() == Whole{2, 1, 2, 1});
}

TEST_CASE("nodes at the end of the model keep defaults of functions, and drop tool annotations") {
    Model model("NonZero", {4});
    onnx::GraphProto& graph = model.graph();
    model.node().set_output(0, "places");
    model.node().GetReflection()->MutableUnknownFields(&model.node())->AddLengthDelimited(9, "what made this node");
    add_node(graph, "CastLike", {"places", "x"}, "numbers");
    add_node(graph, "Leak", {"numbers"}, "y0");
    graph.mutable_node(2)->set_domain("mine");
    onnx::FunctionProto& function = add_leak(model);
    onnx::AttributeProto slope;
    slope.set_name("slope");
    slope.set_type(onnx::AttributeProto::FLOAT);
    slope.set_f(3);
    function.clear_attribute();
    function.GetReflection()->MutableUnknownFields(&function)->AddLengthDelimited(11, slope.SerializeAsString());
    function.mutable_node(0)->set_op_type("ThresholdedRelu");
    CHECK(late_value(model, {0, 0, 2, 1}).floats() == Reals{0, 0});
    slope.set_f(2);
    function.GetReflection()->MutableUnknownFields(&function)->AddLengthDelimited(11, slope.SerializeAsString());
    CHECK(late_value(model, {0, 0, 2, 1}).floats() == Reals{0, 3});
}

TEST_CASE("a loop with a computed condition runs on the host, as long as the condition holds") {
    Model loop("Loop", {1}, 1);
    loop.without();
    loop.whole({3}, Whole{}).none().again();
    onnx::GraphProto body = body_of({"turn", "go", "state"}, {"more", "state"});
    add_node(body, "Cast", {"state"}, "more");
    auto& to = *body.mutable_node(0)->add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(onnx::TensorProto::BOOL);
    set_graph(loop, "body", body);
    CHECK(late_value(loop, {0}).floats() == Reals{0});
    CHECK(late_value(loop, {5}).floats() == Reals{5});

    // Composite ops have their values in the run too.
    onnx::GraphProto products = body_of({"turn", "go", "state"}, {"more", "state"});
    add_node(products, "Softmax", {"state"}, "share");
    *products.add_node() = body.node(0);
    products.mutable_node(1)->set_input(0, "share");
    *loop.node().mutable_attribute(0)->mutable_g() = products;
    CHECK(late_value(loop, {5}).floats() == Reals{5});
}

TEST_CASE("docs/onnx.md names every op that has a rule, and no other") {
    if (!std::filesystem::is_directory(TTSIM_DOCS)) return;
    std::ifstream in(std::string(TTSIM_DOCS) + "/onnx.md");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::vector<std::string> known = ops_with_rules();
    for (std::string name : known) {
        name = name.substr(name.rfind('.') + 1);
        CAPTURE(name);
        CHECK(text.find("`" + name + "`") != std::string::npos);
    }
    // the first column of its tables; the reader itself knows those that hold graphs
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| `")) continue;
        const std::string column = line.substr(0, line.find(" |", 2));
        for (std::size_t at = column.find('`'); at != std::string::npos;) {
            const std::size_t end = column.find('`', at + 1);
            const std::string name = column.substr(at + 1, end - at - 1);
            CAPTURE(name);
            CHECK((name == "If" || name == "Loop" || name == "Scan" ||
                   std::any_of(known.begin(), known.end(),
                               [&](const std::string& k) { return k.substr(k.rfind('.') + 1) == name; })));
            at = column.find('`', end + 1);
        }
    }
}

TEST_CASE("weights of 2, 4 and 8 bits are read as the numbers they are") {
    // x + dequantized weights; bytes and values by ml_dtypes
    const auto plus = [](int type, const std::string& bytes, const Whole& dims, const Reals& scale, const Whole& scales,
                         std::int64_t block) {
        Model model("Add", dims, 1, 21);
        auto& tensor = *model.graph().add_initializer();
        tensor.set_name("q");
        tensor.set_data_type(type);
        for (const std::int64_t d : dims) tensor.add_dims(d);
        tensor.set_raw_data(bytes);
        model.real(scale, scales);
        auto& sum = model.node();
        const std::string scale_name = sum.input(1);
        sum.set_input(1, "w");
        add_node(model.graph(), "DequantizeLinear", {"q", scale_name}, "w");
        auto& node = *model.graph().mutable_node(1);
        for (const auto& [name, value] : {std::pair{"axis", std::int64_t{0}}, std::pair{"block_size", block}}) {
            auto& attribute = *node.add_attribute();
            attribute.set_name(name);
            attribute.set_type(onnx::AttributeProto::INT);
            attribute.set_i(value);
        }
        model.graph().mutable_node()->SwapElements(0, 1);
        return model;
    };
    const Reals zeros(4);
    using namespace std::string_literals;
    gives(plus(22, "\x7f\x80"s, {4}, {1, 10}, {2}, 2), zeros, {-1, 7, 0, -80});
    gives(plus(21, "\xf1\x08"s, {4}, {2}, {}, 0), zeros, {2, 30, 16, 0});
    gives(plus(26, "\xe4"s, {4}, {1}, {}, 0), zeros, {0, 1, -2, -1});
    gives(plus(17, "\x01\x3a\xc5\x7b"s, {4}, {1}, {}, 0), zeros, {1.953125e-3F, 1.25F, -3.25F, 352});
    gives(plus(18, "\x01\x3a\xc5\xff"s, {4}, {1}, {}, 0), zeros, {9.765625e-4F, 0.625F, -1.625F, -240});
    gives(plus(19, "\x01\x3a\xc5\x7b"s, {4}, {1}, {}, 0), zeros, {1.52587891e-5F, 0.75F, -5, 57344});
    gives(plus(20, "\x01\x3a\xc5\xff"s, {4}, {1}, {}, 0), zeros, {7.62939453e-6F, 0.375F, -2.5F, -57344});
    gives(plus(23, "\xf1\x29"s, {4}, {1}, {}, 0), zeros, {0.5F, -6, -0.5F, 1});
}

TEST_CASE("numbers of bf16 are rounded to the nearest, ties to even") {
    Literal value(DType::BF16, {4});
    value.set(0, 1.00390625);  // halfway between 1 and the next
    value.set(1, 1.01171875);  // halfway above an odd one
    value.set(2, -3.1415926);
    value.set(3, std::numeric_limits<double>::infinity());
    CHECK(value.at(0) == 1);
    CHECK(value.at(1) == 1.015625);
    CHECK(value.at(2) == -3.140625);
    CHECK(std::isinf(value.at(3)));
}
