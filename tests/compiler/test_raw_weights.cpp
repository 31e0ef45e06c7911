// Weights that stay in the file of a model while its message is parsed.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>

#include "base/read_file.hpp"
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

/// Adds the constants to a value one after the other; the name of the sum.
std::string plus(onnx::GraphProto& graph, std::string last, std::initializer_list<std::string> constants) {
    for (const std::string& name : constants) {
        auto& node = *graph.add_node();
        node.set_op_type("Add");
        node.add_input(last);
        node.add_input(name);
        last = "with_" + name;
        node.add_output(last);
    }
    return last;
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
    graph.add_output()->set_name(plus(graph, "x", {"large", "small", "listed"}));
    return model;
}

constexpr std::int64_t many = 1 << 15;

/// As sum_of(), with a second large tensor of other values, before and after which are small ones.
onnx::ModelProto two_large() {
    onnx::ModelProto model = sum_of(many);
    onnx::GraphProto& graph = *model.mutable_graph();
    onnx::TensorProto other = weights("other", many, true);
    std::string data = other.raw_data();
    for (std::size_t i = 0; i < data.size(); i += sizeof(float)) data[i] = static_cast<char>(i / 4 % 101);
    other.set_raw_data(data);
    *graph.add_initializer() = weights("last", 1, true);
    *graph.add_initializer() = other;
    graph.mutable_initializer()->SwapElements(0, 1);  // a small one is first
    graph.mutable_output(0)->set_name(plus(graph, graph.output(0).name(), {"other", "last"}));
    return model;
}

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

TEST_CASE("every initializer has its own data, wherever it lies in the file") {
    const onnx::ModelProto model = two_large();
    const std::string bytes = model.SerializeAsString();
    const auto split = split_model(bytes);
    REQUIRE(split);
    REQUIRE(static_cast<int>(split->data.size()) == model.graph().initializer_size());
    for (std::size_t k = 0; k < split->data.size(); ++k) {
        const std::string& own = model.graph().initializer(static_cast<int>(k)).raw_data();
        CHECK((split->data[k].empty() ? own.size() < many : split->data[k] == own));
    }
    const TempFolder folder;
    const ir::Graph read = read_onnx(written(bytes, folder.path() + "/model.onnx"), {});
    CHECK(equal(parse_onnx(bytes, "model", {}), read));
    std::vector<LiteralPtr> large;
    for (const Node& node : read.nodes)
        if (node.literal && node.literal->size() == many) large.push_back(node.literal);
    REQUIRE(large.size() == 3);
    for (const LiteralPtr& literal : large) CHECK(literal->at(0) == 0);
    CHECK(std::count_if(large.begin(), large.end(), [](const LiteralPtr& l) { return l->at(14) == 2; }) == 2);
}

TEST_CASE("a file that is cut short is refused as its bytes are, wherever it ends") {
    const std::string bytes = two_large().SerializeAsString();
    const TempFolder folder;
    const std::string file = folder.path() + "/model.onnx";
    const auto refusal = [](const auto& read) -> std::string {
        try {
            read();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    for (std::size_t size = 1; size < bytes.size(); size += size < 300 ? 1 : 4'999) {
        CAPTURE(size);
        const std::string part = bytes.substr(0, size);
        const std::string of_file = refusal([&] { read_onnx(written(part, file), {}); });
        CHECK(of_file == refusal([&] { parse_onnx(part, file, {}); }));
        CHECK(of_file != "");
    }
}

TEST_CASE("the bytes of a file end where it ends, and forgetting some leaves the others") {
    const TempFolder folder;
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += static_cast<char>('a' + i % 23);
    const InputFile in(written(text, folder.path() + "/file"), 1 << 20);
    CHECK(FileBytes(in.descriptor(), in.size()).bytes() == text);
    CHECK(FileBytes(in.descriptor(), 1000).bytes() == std::string_view(text).substr(0, 1000));
    CHECK(FileBytes(in.descriptor(), in.size() + 20'000).bytes() == text);  // it was longer when it was measured
    CHECK(FileBytes(in.descriptor(), 0).bytes().empty());
    for (const auto& [first, size] : {std::pair<std::size_t, std::size_t>{0, 50'000},
                                      {1, 49'998},
                                      {4'096, 8'192},
                                      {4'097, 8'190},
                                      {100, 50},
                                      {8'191, 2},
                                      {45'055, 4'945}}) {
        const FileBytes bytes(in.descriptor(), in.size());
        forget(bytes.bytes().substr(first, size));
        CHECK(bytes.bytes().substr(0, first) == std::string_view(text).substr(0, first));
        CHECK(bytes.bytes().substr(first + size) == std::string_view(text).substr(first + size));
    }
}

TEST_CASE("a message is not split if it is cut off, or has no large data") {
    const std::string bytes = sum_of(many).SerializeAsString();
    for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{40}, std::size_t{1}})
        CHECK_FALSE(split_model(bytes.substr(0, size)));
    CHECK_FALSE(split_model(sum_of(2).SerializeAsString()));
    onnx::ModelProto broken;  // its graph ends within an initializer
    broken.GetReflection()->MutableUnknownFields(&broken)->AddLengthDelimited(
        7, sum_of(many).graph().SerializeAsString() + "\x2a\x7f");
    CHECK_FALSE(split_model(broken.SerializeAsString()));
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
