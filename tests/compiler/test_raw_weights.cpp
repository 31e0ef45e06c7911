// Weights that stay in the file of a model while its message is parsed.
#include <catch2/catch.hpp>

#include <fstream>

#include "compiler/onnx/raw_weights.hpp"
#include "compiler/onnx/read.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/onnx_model.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

onnx::TensorProto weights(const std::string& name, std::int64_t size, bool raw) {
    onnx::TensorProto tensor;
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(size);
    std::vector<float> values(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 7;
    if (raw)
        tensor.set_raw_data(values.data(), values.size() * sizeof(float));
    else
        tensor.mutable_float_data()->Assign(values.begin(), values.end());
    return tensor;
}

/// y = x + large + small + listed.
onnx::ModelProto sum_of(std::int64_t size) {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    onnx::GraphProto& graph = *model.mutable_graph();
    auto& x = *graph.add_input();
    x.set_name("x");
    auto& type = *x.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_value(size);
    *graph.add_initializer() = weights("large", size, true);
    *graph.add_initializer() = weights("small", 1, true);
    *graph.add_initializer() = weights("listed", size, false);
    std::string last = "x";
    for (const std::string name : {"large", "small", "listed"}) {
        auto& node = *graph.add_node();
        node.set_op_type("Add");
        node.add_input(last);
        node.add_input(name);
        last = "with_" + name;
        node.add_output(last);
    }
    graph.add_output()->set_name(last);
    return model;
}

constexpr std::int64_t many = 1 << 15;

std::string written(const std::string& bytes, const std::string& file) {
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
}

}  // namespace

TEST_CASE("large raw data of initializers is taken out of the message, other data stays") {
    const std::string bytes = sum_of(many).SerializeAsString();
    const auto split = split_model(bytes);
    REQUIRE(split);
    REQUIRE(split->data.size() == 3);
    CHECK(split->data[0].size() == many * sizeof(float));
    CHECK(split->data[1].empty());
    CHECK(split->data[2].empty());
    onnx::ModelProto model, whole = sum_of(many);
    REQUIRE(model.ParseFromString(split->message));
    CHECK(split->data[0] == whole.graph().initializer(0).raw_data());
    whole.mutable_graph()->mutable_initializer(0)->clear_raw_data();
    CHECK(model.SerializeAsString() == whole.SerializeAsString());
}

TEST_CASE("a file gives the graph that its bytes give") {
    const TempFolder folder;
    const std::string bytes = sum_of(many).SerializeAsString();
    const ir::Graph parsed = parse_onnx(bytes, "model", {});
    const ir::Graph read = read_onnx(written(bytes, folder.path() + "/model.onnx"), {});
    CHECK(equal(parsed, read));
    CHECK(parsed.nodes.size() == read.nodes.size());
}

TEST_CASE("a message is not split if it is cut off, or has no large data") {
    const std::string bytes = sum_of(many).SerializeAsString();
    for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{40}, std::size_t{1}})
        CHECK_FALSE(split_model(bytes.substr(0, size)));
    CHECK_FALSE(split_model(sum_of(2).SerializeAsString()));
    CHECK_FALSE(split_model(""));
    CHECK_FALSE(split_model(std::string(20, '\xff')));
}

TEST_CASE("data of the wrong size is refused with the tensor's name") {
    onnx::ModelProto model = sum_of(many);
    model.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->pop_back();
    const TempFolder folder;
    const std::string file = written(model.SerializeAsString(), folder.path() + "/model.onnx");
    CHECK_THROWS_WITH(read_onnx(file, {}), Catch::Contains("'large' has 131071 bytes of data; its shape needs 131072"));
}

TEST_CASE("of several raw data of a tensor the last counts, as for protobuf") {
    onnx::ModelProto model = sum_of(many);
    onnx::TensorProto first = weights("large", many, true);
    const std::string one = first.SerializeAsString();
    std::string twice = one;
    onnx::TensorProto only;
    only.set_raw_data(std::string(many * sizeof(float), '\0'));
    twice += only.SerializeAsString();
    REQUIRE(first.ParseFromString(twice));
    CHECK(first.raw_data() == only.raw_data());
    // the graph field once more, with a tensor of two data fields
    std::string graph;
    const auto add = [](std::string& to, char tag, const std::string& contents) {
        to.push_back(tag);
        for (std::size_t n = contents.size();; n >>= 7) {
            to.push_back(static_cast<char>(n < 128 ? n : (n & 127) | 128));
            if (n < 128) break;
        }
        to += contents;
    };
    add(graph, '\x2a', twice);  // initializer
    std::string bytes;
    add(bytes, '\x3a', graph);  // graph
    CHECK_FALSE(split_model(bytes));
}
