#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/compile.hpp"
#include "netlist/manifest.hpp"
#include "netlist/npy.hpp"
#include "sim/run.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace tt;
using namespace tt::ir;

namespace {

/// The datums of a tensor as they lie in a queue's first entry.
Literal from_queue(const QueueArray& array, const Dims& dims, const std::vector<std::int64_t>& matrix) {
    Literal literal(DType::F32, dims);
    const Tensor& entry = array.entries.at(0);
    std::int64_t at = 0;
    for (std::int64_t z = 0; z < matrix[0]; ++z)
        for (std::int64_t r = 0; r < matrix[1]; ++r)
            for (std::int64_t c = 0; c < matrix[2]; ++c)
                literal.set(at++, static_cast<double>(
                                      entry.data[static_cast<std::size_t>((z * entry.rows + r) * entry.cols + c)]));
    return literal;
}

/// Name of the model's tensor -> values, read from queues as host_steps.json says.
std::map<std::string, Literal> read_tensors(const std::string& out, const char* which, const std::string& folder,
                                            const std::vector<ManifestEntry>& files) {
    std::ifstream in(out + "/host_steps.json");
    const nlohmann::json steps = nlohmann::json::parse(in);
    std::map<std::string, Literal> values;
    for (const auto& item : steps.at(which))
        for (const ManifestEntry& entry : files)
            if (entry.queue == item.at("queue").get<std::string>())
                values.emplace(item.at("name").get<std::string>(),
                               from_queue(read_npy(folder + "/" + entry.file, false), item.at("dims").get<Dims>(),
                                          item.at("matrix").get<std::vector<std::int64_t>>()));
    return values;
}

void check_seed(std::uint32_t seed) {
    CAPTURE(seed);
    const TempFolder folder;
    const ir::Graph graph = random_graph(seed);
    const std::string model = folder.path() + "/model.tg";
    std::ofstream(model) << print_graph(graph);
    CAPTURE(print_graph(graph, 16));

    CompileOptions options;
    options.model = model;
    options.out = folder.path() + "/out";
    options.default_df = DataFormat::Float32;
    options.seed = seed;
    options.policy = seed % 2 == 0 ? Policy::Balanced : Policy::MinimizeGrid;
    compile(options);

    sim::RunOptions run;
    run.netlist = options.out + "/netlist.yaml";
    run.inputs_dir = options.out;
    run.dump_dir = folder.path() + "/io";
    run.mode = seed % 3 == 0 ? sim::Mode::Full : sim::Mode::Functional;
    run.numerics = Numerics::Float32;
    run.check = false;
    run.threads = 1;
    sim::run(run);

    const auto inputs = read_tensors(options.out, "inputs", options.out, read_manifest(options.out).inputs);
    auto given = inputs;
    for (const Node& node : graph.nodes)  // one that nothing reads has no queue
        if (node.is_input() && !given.count(node.name)) given.emplace(node.name, Literal(DType::F32, node.type.dims));
    const auto want = evaluate(graph, given);
    const auto have = read_tensors(options.out, "outputs", run.dump_dir, read_manifest(run.dump_dir).outputs);
    REQUIRE(have.size() == want.size());
    for (const auto& [name, literal] : want) {
        CAPTURE(name);
        REQUIRE(have.at(name).dims() == literal.dims());
        for (std::int64_t i = 0; i < literal.size(); ++i) {
            CAPTURE(i);
            REQUIRE(std::fabs(have.at(name).at(i) - literal.at(i)) <= 1e-4 + 1e-4 * std::fabs(literal.at(i)));
        }
    }
}

}  // namespace

TEST_CASE("a random graph computes on the machine what its ops say") {
    for (std::uint32_t seed = 1; seed <= 30; ++seed) check_seed(seed);
}

// Run by hand or at night: test_compiler "[nightly]"
TEST_CASE("500 random graphs compute on the machine what their ops say", "[.][nightly]") {
    for (std::uint32_t seed = 1000; seed < 1500; ++seed) check_seed(seed);
}
