#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>

#include "compiler/host/host_program.hpp"
#include "compiler/host/host_rounding.hpp"
#include "compiler/host/host_steps.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/onnx/value_file.hpp"
#include "tests/compiler/fresh_folder.hpp"

using ttsim::impl::TempFolder;
using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

/// A look-up before the device, its sum with an input on the device, and two results: one as it is, one looked at.
ir::Graph model() {
    return parse_graph(R"(%ids = input : i64[3]
%x = input : f32[3, 2]
%unread = input : f32[4]
%table = constant [1, 2, 3, 4, 5, 6, 7, 8] : f32[4, 2]
%rows = take %table, %ids {axis = 0}
%turned = transpose %x {perm = [1, 0]}
%back = transpose %turned {perm = [1, 0]}
%sum = add %rows, %back
%last = reshape %sum {dims = [6]}
%best = arg_max %sum {axis = 1}
output "sum" = %sum
output "last" = %last
output "best" = %best
output "ids" = %ids
)",
                       "model");
}

void mark(ir::Graph& graph, const std::string& name) {
    for (Node& node : graph.nodes)
        if (node.name == name) node.set(attr::host, true);
}

Literal floats(Dims dims, std::vector<float> values) {
    Literal literal(DType::F32, std::move(dims));
    literal.floats() = std::move(values);
    return literal;
}

/// What the device's graph makes of its inputs, by the ops' own definitions.
Values device_results(const ir::Graph& graph, const Values& inputs) {
    std::vector<LiteralPtr> values;
    for (const Node& node : graph.nodes) {
        if (node.is_input()) {
            values.push_back(std::make_shared<Literal>(inputs.at(node.origin)));
        } else if (node.is_constant()) {
            values.push_back(node.literal);
        } else {
            std::vector<const Literal*> in;
            for (const Edge& edge : node.inputs) in.push_back(values[edge.value].get());
            values.push_back(std::make_shared<Literal>(find_op(node.op)->eval(node, in)));
        }
    }
    Values results;
    for (const Output& output : graph.outputs) results.emplace(output.name, *values[output.value]);
    return results;
}

void check_run(const HostProgram& program, const ir::Graph& device) {
    Literal ids(DType::I64, {3});
    ids.integer_elements() = {1, 3, -4};
    HostRun run(program, {{"ids", ids}, {"x", floats({3, 2}, {1, 0, 0, 0, 0, 0})}});
    run.set_results(1, device_results(device, run.device_inputs(1)));
    const Values outputs = run.outputs();
    REQUIRE(outputs.size() == 4);
    CHECK(outputs.at("sum") == floats({3, 2}, {4, 4, 7, 8, 1, 2}));
    CHECK(outputs.at("last") == floats({6}, {4, 4, 7, 8, 1, 2}));
    CHECK(outputs.at("best").integer_elements() == std::vector<std::int64_t>{0, 1, 1});
    CHECK(outputs.at("ids") == ids);
}

}  // namespace

TEST_CASE("the host's part and the remaining graph together compute the model") {
    ir::Graph graph = model();
    find_pass("mark-host")->run(graph, {});
    const HostProgram program = cut_host(graph, false);
    graph.verify();
    for (const Node& node : graph.nodes) CHECK((node.op != op::take && node.op != op::arg_max));
    check_run(program, graph);
}

TEST_CASE("a second cut from the remaining graph joins the first") {
    ir::Graph graph = model();
    find_pass("mark-host")->run(graph, {});
    HostProgram first = cut_host(graph, false);
    for (const char* name : {"turned", "back", "last"}) mark(graph, name);
    HostProgram second = cut_host(graph, false);
    graph.verify();
    for (const Node& node : graph.nodes) CHECK((node.op != op::transpose && node.op != op::reshape));
    const HostProgram both = join(std::move(first), std::move(second));
    both.graph.verify();
    check_run(both, graph);
}

TEST_CASE("values come back from a file as they were written, whatever their type") {
    const TempFolder folder;
    const std::string file = folder.path() + "/v.npy";
    for (const DType type : {DType::F32, DType::F64, DType::I8, DType::I16, DType::I32, DType::I64, DType::U8,
                             DType::U16, DType::U32, DType::U64, DType::Bool}) {
        CAPTURE(to_string(type));
        Literal values(type, {2, 3});
        for (std::int64_t i = 0; i < 6; ++i) values.set(i, static_cast<double>(i * 25));
        write_value_file(file, values);
        CHECK(read_value_file(file) == values);
    }
    Literal halves(DType::F16, {1});
    halves.set(0, 0.5);
    write_value_file(file, halves);
    CHECK(read_value_file(file).at(0) == 0.5);
    CHECK_THROWS_WITH(write_value_file(folder.path() + "/none/v.npy", halves), Catch::Contains("cannot be written"));
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/none"));
}

TEST_CASE("a tensor survives the way into a queue's entry and back") {
    for (const Dims& dims : {Dims{}, Dims{5}, Dims{3, 40}, Dims{2, 3, 4, 5}}) {
        Literal values(DType::I32, dims);
        for (std::int64_t i = 0; i < values.size(); ++i) values.set(i, static_cast<double>(i - 7));
        CHECK(from_entry(to_entry(values), {DType::I32, dims, {}}) == values);
    }
}

TEST_CASE("values pushed in 16 bits are rounded to the nearest, and stay finite") {
    const float lowest = std::numeric_limits<float>::lowest(), infinite = std::numeric_limits<float>::infinity();
    std::vector<float> values{1.0F, 1.00390625F, 1.01171875F, 1.005F, -1.005F, lowest, infinite, 0.0F};
    round_for_push(ttsim::impl::DataFormat::Float16_b, values);
    // 1/128 is the step above 1: half of it goes to the even neighbour
    CHECK(values == std::vector<float>{1.0F, 1.0F, 1.015625F, 1.0078125F, -1.0078125F, -3.38953139e38F,
                                       finite_infinity(ttsim::impl::DataFormat::Float16_b), 0.0F});
    CHECK(finite_infinity(ttsim::impl::DataFormat::Float16_b) == 0x1p124F);
    CHECK(finite_infinity(ttsim::impl::DataFormat::Float16) == 0x1p13F);
    std::vector<float> halves{1.0004F, 1.0006F};
    round_for_push(ttsim::impl::DataFormat::Float16, halves);
    CHECK(halves == std::vector<float>{1.0F, 1.0009765625F});
    std::vector<float> same{1.0004F};
    round_for_push(ttsim::impl::DataFormat::Bfp8_b, same);
    round_for_push(ttsim::impl::DataFormat::Float32, same);
    CHECK(same == std::vector<float>{1.0004F});
}

TEST_CASE("an entry of a queue may come in more slices and with more columns than the model's tensor") {
    ttsim::impl::Tensor entry(2, 32, 64);  // rows 0 to 31 and 32 to 63
    for (std::int64_t r = 0; r < 64; ++r) entry.slice(r / 32).row(r % 32)[1] = static_cast<float>(r);
    const Literal tensor = from_entry(entry, {DType::F32, {40, 2}, {}});
    for (std::int64_t r = 0; r < 40; ++r) CHECK(tensor.at(r * 2 + 1) == static_cast<double>(r));
    CHECK_THROWS_WITH(from_entry(entry, {DType::F32, {100, 2}, {}}), Catch::Contains("cannot hold f32[100, 2]"));
}
