// Gradients of every rule against central differences of the ops' own values.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "base/error.hpp"
#include "compiler/autograd/autograd.hpp"
#include "compiler/autograd/gradients.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

Literal random_literal(const Dims& dims, double low, double high, unsigned seed) {
    std::mt19937 random(seed);
    Literal literal(DType::F32, dims);
    for (std::int64_t i = 0; i < literal.size(); ++i) {
        const double value = low + (high - low) * static_cast<double>(random() >> 5) / (1 << 27);
        literal.set(i, std::round(value * 64) / 64 + seed % 2 / 128.0);  // two operands differ by at least 1 / 128
    }
    return literal;
}

using Inputs = std::map<std::string, Literal>;

/// sum(weights * y): what the gradient with the incoming gradients `weights` belongs to.
double loss(const ir::Graph& forward, const Inputs& inputs, const Inputs& weights) {
    double sum = 0;
    for (const auto& [name, y] : evaluate(forward, inputs))
        for (std::int64_t i = 0; i < y.size(); ++i) sum += y.at(i) * weights.at("loss_" + name).at(i);
    return sum;
}

/// Compares the gradients by all inputs of a graph text with central differences.
void check_gradients(const std::string& text, double low, double high, const std::set<std::string>& constant = {}) {
    INFO(text);
    const ir::Graph forward = parse_graph(text, "test.tg");
    AutogradRequest request;
    Inputs inputs, weights;
    unsigned seed = 1;
    for (const Node& node : forward.nodes) {
        if (!node.is_input()) continue;
        inputs.emplace(node.name, random_literal(node.type.dims, low, high, ++seed));
        if (!constant.contains(node.name)) request.wrt.insert(node.name);
    }
    for (const Output& output : forward.outputs)
        weights.emplace("loss_" + output.name, random_literal(forward.type(output.value).dims, 0.5, 1.5, ++seed));
    ir::Graph graph = forward;
    const Gradients gradients = differentiate(graph, request);
    graph.outputs.clear();
    for (const auto& [name, value] : gradients.of) graph.outputs.push_back({name, value, {}});
    graph.verify();
    Inputs all = inputs;
    all.insert(weights.begin(), weights.end());
    const auto have = evaluate(graph, all);
    REQUIRE(have.size() == request.wrt.size());
    for (const auto& [name, gradient] : have) {
        REQUIRE(gradient.dims() == inputs.at(name).dims());
        for (std::int64_t i = 0; i < gradient.size(); ++i) {
            const double step = 1.0 / 512;
            Inputs moved = inputs;
            const double at = moved.at(name).at(i);
            moved.at(name).set(i, at + step);
            const double above = loss(forward, moved, weights);
            moved.at(name).set(i, at - step);
            const double below = loss(forward, moved, weights);
            INFO(name << "[" << i << "] at " << at);
            const double want = (above - below) / (2 * step);
            REQUIRE(gradient.at(i) == Approx(want).margin(2e-3).epsilon(5e-3));
        }
    }
}

std::string of_one(const std::string& op) {
    return "%x = input : f32[2, 3, 4]\n%y = " + op + " : f32[2, 3, 4]\noutput \"y\" = %y\n";
}

}  // namespace

TEST_CASE("the gradient of each elementwise op of one operand") {
    for (const char* op : {"nop", "exp", "log", "sqrt", "reciprocal", "sigmoid", "tanh", "sine", "cosine", "abs",
                           "square", "gelu", "gelu_erf", "erf", "relu", "neg", "softplus", "atan", "asinh"})
        check_gradients(of_one(std::string(op) + " %x"), 0.3, 1.5);
    for (const char* op : {"exp", "sigmoid", "tanh", "sine", "cosine", "square", "gelu", "gelu_erf", "erf", "neg",
                           "softplus", "atan", "asinh"})
        check_gradients(of_one(std::string(op) + " %x"), -1.5, 1.5);
    for (const char* op : {"abs", "relu", "lrelu", "elu", "reciprocal"})
        check_gradients(of_one(std::string(op) + " %x"), -1.5, -0.3);
    check_gradients(of_one("lrelu %x {slope = 0.2}"), -1.5, -0.3);
    check_gradients(of_one("elu %x {alpha = 0.5}"), 0.3, 1.0);
    check_gradients(of_one("relu_max %x {threshold = 1.0}"), 0.2, 0.8);
    check_gradients(of_one("relu_max %x {threshold = 0.1}"), 0.2, 0.8);
    check_gradients(of_one("acosh %x"), 1.5, 2.5);
    check_gradients(of_one("atanh %x"), -0.8, 0.8);
}

TEST_CASE("gradients of two operands are summed over broadcast axes") {
    const std::pair<const char*, const char*> shapes[] = {
        {"[2, 3, 4]", "[2, 3, 4]"}, {"[2, 3, 4]", "[4]"}, {"[2, 1, 4]", "[3, 1]"}, {"[1]", "[2, 3, 4]"}};
    for (const char* op : {"add", "subtract", "multiply", "divide", "maximum", "minimum", "power"})
        for (const auto& [a, b] : shapes) {
            const std::string out = std::string(a) == "[2, 1, 4]" || std::string(a) == "[1]" ? "[2, 3, 4]" : a;
            check_gradients(std::string("%a = input : f32") + a + "\n%b = input : f32" + b + "\n%y = " + op +
                                " %a, %b : f32" + out + "\noutput \"y\" = %y\n",
                            0.4, 1.6);
        }
}

TEST_CASE("gradients of products, for shared and broadcast batches") {
    const std::tuple<const char*, const char*, const char*> shapes[] = {
        {"[3, 4]", "[4, 5]", "[3, 5]"},          {"[2, 3, 4]", "[4, 5]", "[2, 3, 5]"},
        {"[2, 3, 4]", "[2, 4, 5]", "[2, 3, 5]"}, {"[2, 1, 3, 4]", "[3, 4, 2]", "[2, 3, 3, 2]"},
        {"[3, 4]", "[2, 4, 5]", "[2, 3, 5]"},
    };
    for (const auto& [a, b, y] : shapes)
        check_gradients(std::string("%a = input : f32") + a + "\n%b = input : f32" + b + "\n%y = matmul %a, %b : f32" +
                            y + "\noutput \"y\" = %y\n",
                        -1, 1);
}

TEST_CASE("gradients of moves") {
    check_gradients("%x = input : f32[2, 6]\n%y = reshape %x {dims = [3, 4]} : f32[3, 4]\noutput \"y\" = %y\n", -1, 1);
    check_gradients(
        "%x = input : f32[2, 3, 4]\n%y = transpose %x {perm = [2, 0, 1]} : f32[4, 2, 3]\noutput \"y\" = %y\n", -1, 1);
    check_gradients("%x = input : f32[2, 6]\n%y = hslice %x {n = 3} : f32[3, 2, 2]\noutput \"y\" = %y\n", -1, 1);
    check_gradients("%x = input : f32[3, 2, 2]\n%y = hstack %x {n = 3} : f32[2, 6]\noutput \"y\" = %y\n", -1, 1);
    check_gradients("%x = input : f32[2, 5, 3]\n%y = reduce_max %x {axis = 1} : f32[2, 1, 3]\noutput \"y\" = %y\n", -1,
                    1);
    check_gradients(
        "%x = input : f32[2, 3]\n%m = constant [1.0, 0.5, 0.0, -1.0, 2.0, 0.25] : f32[2, 3]\n"
        "%y = map_axis %x, %m {axis = 1} : f32[2, 2]\noutput \"y\" = %y\n",
        -1, 1);
    check_gradients(
        "%x = input : f32[2, 4, 3]\n%m = constant [0, 1, 3, -1, 1, 1] : i64[2, 3]\n"
        "%y = gather_rows %x, %m : f32[2, 2, 3, 3]\noutput \"y\" = %y\n",
        -1, 1);
    check_gradients(
        "%x = input : f32[2, 2, 3, 3]\n%m = constant [0, 1, 3, -1, 1, 1] : i64[2, 3]\n"
        "%y = scatter_rows %x, %m {rows = 4} : f32[2, 4, 3]\noutput \"y\" = %y\n",
        -1, 1);
}

TEST_CASE("gradients of gathered sums by the rows and by the weights, in one group and in several") {
    check_gradients(
        "%x = input : f32[2, 4, 3]\n%m = constant [0, 1, 3, -1, 1, 1] : i64[2, 3]\n%r = input : f32[2, 3, 5]\n"
        "%y = gather_sum %x, %m, %r : f32[2, 3, 5]\noutput \"y\" = %y\n",
        -1, 1);
    check_gradients(
        "%x = input : f32[2, 4, 4]\n%m = constant [0, 1, 3, -1, 1, 1] : i64[2, 3]\n%r = input : f32[2, 2, 6]\n"
        "%y = gather_sum %x, %m, %r {groups = 2} : f32[2, 3, 6]\noutput \"y\" = %y\n",
        -1, 1);
}

TEST_CASE("gradients of softmax and norms") {
    for (const char* op : {"layer_norm", "rms_norm"})
        for (const char* axis : {"1", "2"})
            check_gradients(std::string("%x = input : f32[2, 3, 4]\n%y = ") + op + " %x {axis = " + axis +
                                "} : f32[2, 3, 4]\noutput \"y\" = %y\n",
                            -1, 1);
    for (const char* op : {"softmax", "log_softmax"})
        check_gradients(
            std::string("%x = input : f32[2, 3, 4]\n%y = ") + op + " %x {axis = 2} : f32[2, 3, 4]\noutput \"y\" = %y\n",
            -1, 1);
    check_gradients(
        "%x = input : f32[2, 4]\n%f = input : f32[2, 1]\n%y = softmax %x, %f {axis = 1} : f32[2, 4]\n"
        "output \"y\" = %y\n",
        0.5, 1);
}

TEST_CASE("a value with several readers gets the sum of their gradients; unread tensors have none") {
    check_gradients(
        "%x = input : f32[2, 3]\n%a = exp %x : f32[2, 3]\n%b = multiply %a, %x : f32[2, 3]\n"
        "%c = add %b, %a : f32[2, 3]\noutput \"b\" = %b\noutput \"c\" = %c\n",
        -1, 1);
    ir::Graph graph =
        parse_graph("%x = input : f32[2]\n%z = input : f32[2]\n%y = exp %x : f32[2]\noutput \"y\" = %y\n", "test.tg");
    CHECK(differentiate(graph, {{"z", "x"}, {}}).of.size() == 1);
}

TEST_CASE("requests that autograd refuses") {
    const auto refused = [](const std::string& text, const AutogradRequest& request, const std::string& why) {
        ir::Graph graph = parse_graph(text, "test.tg");
        CHECK_THROWS_WITH(differentiate(graph, request), Catch::Contains(why));
    };
    const std::string one = "%x = input : f32[2]\n%y = exp %x : f32[2]\noutput \"y\" = %y\n";
    refused(one, {{"xx"}, {}}, "no input or constant of floats is called 'xx'; did you mean 'x'?");
    refused(one, {{"x"}, {"yy"}}, "no output is called 'yy'");
    refused("%x = input : f32[2]\n%z = input : f32[2]\n%y = exp %x : f32[2]\noutput \"y\" = %y\n", {{"z"}, {"y"}},
            "the loss 'y' depends on no tensor that is trained");
    refused("%x = input : f32[1, 2, 4, 4]\n%y = max_pool %x {kernel = [2, 2]} : f32[1, 2, 3, 3]\noutput \"y\" = %y\n",
            {{"x"}, {}}, "'y' (max_pool) has no gradient");
}
