// Models that ask for what cannot be: each is refused, and the message names the node, its op and what is wrong.
#include <onnx/messages.pb.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>

#include "compiler/ir/pass.hpp"
#include "compiler/onnx/read.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/onnx_model.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;
namespace fs = std::filesystem;
namespace onnx = ttsim::onnx;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

std::string refusal(const Model& model, const std::string& file = "m.onnx") {
    try {
        parse_onnx(model.bytes(), file, {{}, {}, fs::path(file).parent_path().string()});
    } catch (const Error& error) {
        CHECK((error.exit_code() == 2 || error.exit_code() == 4));
        return error.what();
    }
    return "it was taken";
}

void refused(const Model& model, const std::string& why) {
    CHECK_THAT(refusal(model), Catch::Contains("node 'n' (") && Catch::Contains(why));
}

}  // namespace

TEST_CASE("parts, positions and conditions that leave their axis are refused") {
    refused(Model("Split", {2, 3}, 2).attr("axis", 1).whole({-1, 4}), "a part of -1 of an axis of 3");
    refused(Model("Split", {2, 3}, 3).attr("axis", 1).whole({most, most, 5}), "of an axis of 3, of which 3 are left");
    refused(Model("Split", {2, 3}, 2).attr("axis", 1).whole({3, 1}),
            "a part of 1 of an axis of 3, of which 0 are left");
    refused(Model("Split", {2, 3}, 2).attr("axis", 1).whole({1, 1}), "the parts do not add up to 3");
    refused(Model("Split", {2, 3}, 2).attr("axis", 1).whole({1, 1, 1}), "3 parts for 2 outputs");
    refused(Model("Split", {2, 3}, 2, 11).attr("axis", 1).attr("split", Whole{-1, 4}), "a part of -1");
    refused(Model("Compress").attr("axis", 1).whole({0, 0, 0, 1}), "a condition [4] for an axis of 3");
    refused(Model("Compress").whole({0, 0, 0, 0, 0, 0, 1}), "a condition [7] for an axis of 6");
    refused(Model("Gather").whole({3}).attr("axis", 1), "index 3 of an axis of 3");
    refused(Model("Gather").whole({least}).attr("axis", 1), "of an axis of 3");
    refused(Model("Gather").real({1}), "indices of type f32");
    refused(Model("GatherElements").whole({0, 1, 2}, Whole{1, 3}), "index 2 of an axis of 2");
    refused(Model("GatherElements").whole({0, -3, 1}, Whole{1, 3}), "index -3 of an axis of 2");
    refused(Model("GatherND").whole({0, 3}), "index 3 of an axis of 3");
    refused(Model("GatherND").whole({0}).attr("batch_dims", most), "batch_dims is");
    refused(Model("ScatterND").whole({2}, Whole{1, 1}).real({1, 2, 3}, Whole{1, 3}), "index 2 of an axis of 2");
    refused(Model("ScatterND").whole({1}, Whole{1, 1}).real({1, 2, 3}, Whole{3, 1}),
            "updates [3, 1] for indices [1, 3]");
    refused(Model("ScatterElements").whole({5}, Whole{1, 1}).real({1}, Whole{1, 1}), "index 5 of an axis of 2");
    refused(Model("ScatterElements").whole({1, 0}, Whole{1, 2}).real({1, 2}, Whole{2, 1}), "updates [2, 1]");
    refused(Model("OneHot", {2}).whole({most}, Whole{}).real({0, 1}), "at most");
    refused(Model("OneHot", {2}).whole({3}, Whole{}).real({0, 1, 2}), "two elements");
}

TEST_CASE("recurrent layers whose operands do not fit each other are refused") {
    const auto layer = [](const Whole& w, const Whole& r) {
        const auto zeros = [](const Whole& dims) { return std::vector<float>(static_cast<std::size_t>(count(dims))); };
        Model model("GRU", {2, 1, 3}, 2, 14);
        model.real(zeros(w), w).real(zeros(r), r);
        return model;
    };
    CHECK(refusal(layer({1, 12, 3}, {1, 12, 4})) == "it was taken");
    refused(layer({1, 8, 3}, {1, 12, 4}),
            "its matrices are f32[1, 8, 3] and f32[1, 12, 4]; they must be for 1 directions of 3 gates of 4");
    refused(layer({12, 3}, {1, 12, 4}), "operand 1 has rank 2; it needs 3");
    refused(layer({1, 12, 3}, {1, 12, 4}).attr("direction", "bidirectional"), "2 directions of 3 gates");
    refused(layer({1, 12, 3}, {1, 12, 4}).attr("direction", "sideways"), "direction");
    refused(layer({1, 12, 3}, {1, 12, 4}).real({0, 0}), "operand 3 is f32[2]; it must be [1, 24]");
    refused(layer({1, 12, 3}, {1, 12, 4}).none().whole({2, 2}), "2 lengths for 1 samples");
    refused(layer({1, 12, 3}, {1, 12, 4}).none().none().real({0, 0, 0}), "operand 5 is f32[3]; it must be [1, 1, 4]");
    refused(Model("RNN").real({0}).real({0}), "needs 3");
}

TEST_CASE("operands and attributes of opsets from 18 on give the right shapes") {
    const auto shapes = [](const Model& model) {
        const ir::Graph graph = parse_onnx(model.bytes(), "m.onnx", {{}, {}, ""});
        std::vector<Dims> all;
        for (const Output& output : graph.outputs) all.push_back(graph.type(output.value).dims);
        return all;
    };
    using All = std::vector<Dims>;
    CHECK(shapes(Model("Split", {2, 7}, 3, 18).attr("axis", 1).attr("num_outputs", 3)) == All{{2, 3}, {2, 3}, {2, 1}});
    CHECK(shapes(Model("Pad", {2, 3}, 1, 18).whole({1, 2}).none().whole({1})) == All{{2, 6}});
    CHECK(shapes(Model("ReduceMax", {2, 3}, 1, 18).whole({1})) == All{{2, 1}});
    const auto resized = [] { return Model("Resize", {1, 1, 2, 3}, 1, 18).attr("axes", Whole{2, 3}).none().none(); };
    CHECK(shapes(resized().whole({8, 6})) == All{{1, 1, 8, 6}});
    CHECK(shapes(resized().whole({8, 6}).attr("keep_aspect_ratio_policy", "not_larger")) == All{{1, 1, 4, 6}});
    // a second window would begin behind the input
    const auto pool = Model("MaxPool", {1, 1, 2, 2}).attr("kernel_shape", Whole{1, 1}).attr("strides", Whole{2, 2});
    CHECK(shapes(Model(pool).attr("ceil_mode", 1)) == All{{1, 1, 1, 1}});
}

TEST_CASE("invalid orders of axes are refused") {
    refused(Model("Transpose").attr("perm", Whole{0, 0}), "perm [0, 0] is not a permutation of 2 axes");
    refused(Model("Transpose").attr("perm", Whole{0}), "perm [0] is not a permutation of 2 axes");
    refused(Model("Transpose").attr("perm", Whole{0, 1, 2}), "perm [0, 1, 2] is not a permutation of 2 axes");
    refused(Model("Transpose").attr("perm", Whole{}), "perm [] is not a permutation of 2 axes");
    refused(Model("Squeeze", {1, 3}).whole({0, 0}), "axis 0 is given twice");
    refused(Model("Unsqueeze").whole({0, -4}), "axis 0 is given twice");
    refused(Model("Unsqueeze").whole({least}), "axis -9223372036854775808 of a tensor of rank 3");
    refused(Model("ReduceMean").attr("axes", Whole{0, -2}), "axis 0 is given twice");
    refused(Model("Slice").whole({0, 1}).whole({1, 2}).whole({1, -1}), "axis 1 is given twice");
    refused(Model("CumSum").whole({2}, Whole{}), "axis 2 of a tensor of rank 2");
    refused(Model("Concat").real({1, 2, 3}, Whole{1, 3}).attr("axis", 1), "they must differ in axis 1 only");
}

TEST_CASE("sizes that overflow or would fill the memory are refused") {
    refused(Model("DepthToSpace", {1, 4, 2, 2}).attr("blocksize", std::int64_t{1} << 32), "blocksize is 4294967296");
    refused(Model("DepthToSpace", {1, 4, 2, 2}).attr("blocksize", 0), "blocksize is 0");
    refused(Model("SpaceToDepth", {1, 4, 2, 2}).attr("blocksize", least), "blocksize is -9223372036854775808");
    refused(Model("Reshape").whole({std::int64_t{1} << 32, std::int64_t{1} << 32}), "reshapes");
    refused(Model("Reshape", {0, 3}).attr("allowzero", 1).whole({0, most}), "more than 2^33 elements");
    refused(Model("Tile").whole({std::int64_t{1} << 62, 4}), "at most");
    refused(Model("Tile").whole({-1, 1}), "an axis would have -1 elements");
    refused(Model("Tile", {4, 4}).whole({1 << 24, 1 << 10}), "more than 2^33 elements");
    refused(Model("MaxPool", {1, 1, 4, 4})
                .attr("kernel_shape", Whole{1 << 20, 1 << 20})
                .attr("pads", Whole{1 << 19, 1 << 19, 1 << 19, 1 << 19}),
            "has a kernel of 1099511627776 elements; at most 65536 are allowed for an input of 16");
    refused(Model("Expand").whole({least, 3}), "an axis would have");
    refused(Model("Pad").whole({least, 0, 0, 0}), "an axis of");
    refused(Model("Pad").whole({0, 0, most, 0}), "an axis of 9223372036854775807");
    refused(Model("Pad", {0, 3}).whole({1, 0, 1, 0}).attr("mode", "edge"), "has nothing to take for axis 0");
    refused(Model("Pad").whole({1, 0, 1, 0}).attr("mode", "mirror"), "attribute mode is 'mirror'");
    refused(Model("ConstantOfShape").without().whole({std::int64_t{1} << 40}), "at most");
    refused(Model("ConstantOfShape").without().whole({0, most}), "at most");
    refused(Model("ConstantOfShape").without().whole({-2, -2}), "a dimension is -2");
    refused(Model("Range").without().real({0}, Whole{}).real({NAN}, Whole{}).real({1}, Whole{}), "nan numbers");
    refused(Model("Range").without().whole({0}, Whole{}).whole({5}, Whole{}).whole({0}, Whole{}), "delta is 0");
    refused(Model("Range").without().whole({0}, Whole{}).whole({most}, Whole{}).whole({1}, Whole{}), "at most");
    refused(Model("Slice").whole({0}).whole({1}).whole({0}).whole({0}), "a step is 0");
    refused(Model("LRN", {1, 3, 2, 2}).attr("size", least), "size is");
    refused(Model("Resize", {1, 1, 2, 2}).none().real({1, 1, 1e30F, 1}), "at most");
    refused(Model("Resize", {1, 1, 0, 2}).none().real({1, 1, 2, 2}), "axis 2 has no elements");
    refused(Model("Resize", {1, 1, 2, 2})
                .real({0, 1})
                .real({1, 1, 2, 2})
                .attr("coordinate_transformation_mode", "tf_crop_and_resize"),
            "a region of 2 values for 4 axes");
    refused(Model("Resize", {1, 1, 2, 2}).none().real({1, 1, NAN, 2}), "nothing is left of axis 2");
    // the weights of what lies inside, 0.84375 + 0.09375 a, add up to nothing
    refused(Model("Resize", {1, 1, 2, 2})
                .none()
                .real({1, 1, 2, 1})
                .attr("mode", "cubic")
                .attr("exclude_outside", 1)
                .real_attr("cubic_coeff_a", -9.0F),
            "exclude_outside leaves no source for element 0 of axis 2");
    refused(Model("Upsample", {1, 1, 2, 2}, 1, 9).real({1, 1}), "2 sizes or scales for 4 axes of a tensor of rank 4");
}

TEST_CASE("windows without a position are refused") {
    const Whole picture{1, 2, 4, 4};
    const auto conv = [&] { return Model("Conv", picture).real(std::vector<float>(36), Whole{2, 2, 3, 3}); };
    const auto pool = [&] { return Model("MaxPool", picture); };
    const std::string least_one = "kernel, stride and dilation must be 1 or more";
    refused(conv().attr("strides", Whole{0, 1}), least_one);
    refused(conv().attr("dilations", Whole{1, -1}), least_one);
    refused(conv().attr("strides", Whole{most, 1}), "is too large");
    refused(conv().attr("dilations", Whole{most, 1}), "is too large");
    refused(conv().attr("group", 0), "0 groups");
    refused(conv().attr("group", most), "groups");
    refused(conv().attr("group", least), "groups");
    refused(conv().attr("pads", Whole{most, 0, most, 0}), "has a pad of 9223372036854775807");
    refused(conv().attr("pads", Whole{-1, 0, 0, 0}), "has a pad of -1");
    refused(conv().attr("pads", Whole{1}), "has 1 pads; it needs 4");
    refused(conv().attr("auto_pad", "SOME"), "has auto_pad 'SOME'");
    refused(conv().attr("kernel_shape", Whole{2, 2}), "kernel_shape [2, 2] with weights [2, 2, 3, 3]");
    refused(conv().real({1, 2, 3}), "2 output channels and a bias");
    refused(pool().attr("kernel_shape", Whole{0, 2}), least_one);
    refused(pool().attr("kernel_shape", Whole{most, 2}), "is too large");
    refused(pool(), "with a kernel of rank 0");
    refused(Model("ConvTranspose", picture)
                .real(std::vector<float>(36), Whole{2, 2, 3, 3})
                .attr("output_padding", Whole{most, 0}),
            "has an output padding of");
    refused(Model("QLinearConv", {4})
                .real({1, 2})
                .real({1, 2})
                .real({1})
                .real({1, 2})
                .real({1, 2})
                .real({1, 2})
                .real({1, 2}),
            "it needs 3 or more");
    refused(Model("BatchNormalization", picture).real({1}).real({1}).real({1}).real({1}), "each of the 2 channels");
}

TEST_CASE("attributes of another type than the op's are refused") {
    refused(Model("Softmax").attr("axis", "1"), "attribute axis has the type STRING; it must be INT");
    refused(Model("Transpose").attr("perm", 1), "attribute perm has the type INT; it must be INTS");
    refused(Model("Einsum").attr("equation", "0i->i"), "'0i->i' is not an equation");
    refused(Model("Einsum").attr("equation", "i>j->ij"), "is not an equation");
}

TEST_CASE("tensors whose data is not there are refused before anything is allocated") {
    Model none("Add");
    none.constant({std::int64_t{1} << 33}).set_data_type(onnx::TensorProto::FLOAT);
    CHECK_THAT(refusal(none), Catch::Contains("tensor 'c1' has the dimensions [8589934592]"));
    Model large("Add");
    large.constant({std::int64_t{1} << 30}).set_data_type(onnx::TensorProto::FLOAT);
    CHECK_THAT(refusal(large), Catch::Contains("tensor 'c1' has 0 values; its shape needs 1073741824"));
    Model empty("Add");
    empty.constant({0, most, most}).set_data_type(onnx::TensorProto::FLOAT);
    CHECK_THAT(refusal(empty), Catch::Contains("has the dimensions"));
}

TEST_CASE("numbers that their element type does not have, and names given twice, are refused") {
    Model model("Add");
    auto& tensor = model.constant({2});
    tensor.set_data_type(onnx::TensorProto::UINT8);
    tensor.add_int32_data(255);
    tensor.add_int32_data(256);
    CHECK_THAT(refusal(model), Catch::Contains("tensor 'c1' has the value 256, which is not of type u8"));
    Model twice("Relu");
    *twice.graph().add_node() = twice.node();
    CHECK_THAT(refusal(twice), Catch::Contains("node 'n' (Relu) defines 'y0', which is defined before"));
}

TEST_CASE("many large constants of a few bytes are refused") {
    Model model("ConstantOfShape");
    model.without().whole({1 << 24});
    for (int k = 1; k < 40; ++k) {
        auto& node = *model.graph().add_node();
        node = model.node();
        node.set_output(0, "z" + std::to_string(k));
    }
    CHECK_THAT(refusal(model), Catch::Contains("the constants derived from the model"));
}

TEST_CASE("external data is read from regular files in the model's folder only") {
    const TempFolder folder;
    fs::create_directories(folder.path() + "/model/sub");
    const std::string base = folder.path() + "/model/";
    std::ofstream(folder.path() + "/far.bin", std::ios::binary) << std::string(12, '\0');
    std::ofstream(base + "near.bin", std::ios::binary) << std::string(12, '\0');
    fs::create_symlink("../far.bin", base + "link.bin");
    fs::create_symlink("near.bin", base + "fine.bin");
    fs::create_symlink("/dev/zero", base + "zero.bin");
    fs::create_directory_symlink("..", base + "up");
    const auto with = [&](const std::string& location, const std::string& offset = "", const std::string& length = "") {
        Model model("Add");
        auto& tensor = model.constant({3});
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        tensor.set_data_location(onnx::TensorProto::EXTERNAL);
        for (const auto& [key, value] : {std::pair{"location", location}, {"offset", offset}, {"length", length}}) {
            if (value.empty() && std::string(key) != "location") continue;
            auto& entry = *tensor.add_external_data();
            entry.set_key(key);
            entry.set_value(value);
        }
        return refusal(model, base + "m.onnx");
    };
    CHECK(with("near.bin") == "it was taken");
    {
        Model model("Add");
        auto& tensor = model.constant({3});
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        tensor.set_data_location(onnx::TensorProto::EXTERNAL);
        CHECK_THROWS_WITH(parse_onnx(model.bytes(), "memory", {}),
                          Catch::Contains("memory: error: tensor 'c1' has its data in a file"));
    }
    CHECK(with("fine.bin") == "it was taken");
    CHECK(with("near.bin", "0", "12") == "it was taken");
    for (const char* place : {"", ".", "sub"}) CHECK_THAT(with(place), Catch::Contains("which is not a regular file"));
    for (const char* place : {"link.bin", "up/far.bin", "zero.bin", "../far.bin", "/dev/zero", "sub/../near.bin"})
        CHECK_THAT(with(place), Catch::Contains("has its data outside the model's folder"));
    CHECK_THAT(with("nowhere.bin"), Catch::Contains("which cannot be read"));
    // another name of a file that lies anywhere; its only name is taken
    std::filesystem::create_hard_link(base + "near.bin", base + "other_name.bin");
    for (const char* name : {"near.bin", "other_name.bin"})
        CHECK_THAT(with(name), Catch::Contains("which has hard links"));
    std::filesystem::remove(base + "other_name.bin");
    CHECK(with("near.bin") == "it was taken");
    CHECK_THAT(with("near.bin", "9223372036854775807", "9223372036854775807"), Catch::Contains("which has 12"));
    CHECK_THAT(with("near.bin", "8", "12"), Catch::Contains("which has 12"));
    CHECK_THAT(with("near.bin", "4"), Catch::Contains("has 8 bytes of data in 'near.bin'; its shape needs 12"));
    for (const char* number : {"-1", "x", "12x", "99999999999999999999"})
        CHECK_THAT(with("near.bin", number), Catch::Contains("as the offset of its data"));
}

TEST_CASE("If nodes in one another are read as deep as a file can have them") {
    onnx::GraphProto inner = Model("Identity").graph();
    inner.clear_input();
    Model outer("Identity");
    std::string failure;
    for (int depth = 0; depth < 200; ++depth) {
        onnx::GraphProto around;
        auto& condition = *around.add_initializer();
        condition.set_name("if" + std::to_string(depth));
        condition.set_data_type(onnx::TensorProto::BOOL);
        condition.add_int32_data(1);
        auto& node = *around.add_node();
        node.set_name("n");
        node.set_op_type("If");
        node.add_input(condition.name());
        node.add_output("y0");
        for (const char* name : {"then_branch", "else_branch"}) {
            if (depth > 0 && std::string(name) == "else_branch") continue;  // or it doubles with each
            auto& a = *node.add_attribute();
            a.set_name(name);
            a.set_type(onnx::AttributeProto::GRAPH);
            *a.mutable_g() = inner;
        }
        around.add_output()->set_name("y0");
        inner = around;
    }
    *outer.graph().mutable_node() = inner.node();
    *outer.graph().mutable_initializer() = inner.initializer();
    CHECK_THAT(refusal(outer), Catch::Contains("it is not an ONNX model, or it is cut off"));
}
