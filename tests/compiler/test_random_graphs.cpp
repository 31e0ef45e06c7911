#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "compiler/backend/edge_limits.hpp"
#include "compiler/files/model_files.hpp"
#include "compiler/files/result_folder.hpp"
#include "compiler/model/model_run.hpp"
#include "compiler/onnx/value_file.hpp"
#include "netlist/checks/validate.hpp"
#include "netlist/plan/stream_use.hpp"
#include "netlist/text/reader.hpp"
#include "sim/run.hpp"
#include "tests/compiler/fresh_folder.hpp"
#include "tests/compiler/random_graph.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

/// Runs the compiled folder; the values of the model's inputs go into `given`.
Values run_compiled(const std::string& out, const sim::RunOptions& options, Values& given) {
    ModelRunOptions model;
    model.place = out;
    const CompiledModel compiled = read_folder(out);
    given = compiled.inputs;
    const ModelProgram& forward = compiled.forward();
    const auto device = [&](const HostSteps& steps, Entries inputs, std::int64_t samples) {
        sim::RunOptions run = options;
        const Executes executes = fill_executes(steps.microbatch, samples, inputs);
        run.params[forward.executes] = executes.count;
        run.inputs_count = executes.inputs_count;
        run.host_values = std::make_shared<const Entries>(std::move(inputs));
        Entries results;
        for (const BoundTensor& tensor : steps.from_device)
            results[tensor.queue].resize(static_cast<std::size_t>(samples));
        run.sink = [&](const std::string& queue, std::int64_t entry, Tensor value) {
            if (entry < samples) results.at(queue).at(static_cast<std::size_t>(entry)) = std::move(value);
        };
        sim::run(run);
        return results;
    };
    Values outputs;
    for (const ModelOutput& output : run_model(compiled, model, device).outputs)
        outputs.emplace(output.name, output.value);
    return outputs;
}

/// Streams, phases and DRAM buffers of every op stay within what a core has, counted from the netlist alone.
void check_edges(const std::string& file) {
    const Netlist netlist = resolve(read_netlist(file));
    const Costs limits = read_edge_limits(0);
    const auto most = [&](Limit limit) { return limits[static_cast<std::size_t>(limit)]; };
    for (const ttsim::impl::Graph& graph : netlist.graphs) {
        std::map<std::string, std::int64_t> streams, phases_out;  // per producer
        for (const Op& op : graph.ops) {
            CAPTURE(op.name());
            std::int64_t phases_in = 0, buffers = 0;
            for (std::size_t k = 0; k < op.inputs.size(); ++k) {
                const Queue* queue = netlist.find_queue(op.inputs[k]);
                const auto producer = std::find_if(graph.ops.begin(), graph.ops.end(),
                                                   [&](const Op& other) { return other.name() == op.inputs[k]; });
                const StreamUse use = stream_use(op.cfg, k, op.tms[k], queue ? queue->blocking : producer->cfg.out);
                if (queue && queue->type == QueueType::Ram) continue;  // may be held
                phases_in += use.consumer_phases;
                if (queue) {
                    buffers += use.sources;
                } else {
                    streams[op.inputs[k]] += use.fan_out;
                    phases_out[op.inputs[k]] += use.producer_phases;
                }
            }
            REQUIRE(phases_in <= most(Limit::ConsumerPhases));
            REQUIRE(buffers <= most(Limit::DramInputs));
        }
        for (const auto& [producer, n] : streams) REQUIRE(n <= most(Limit::FanOut));
        for (const auto& [producer, n] : phases_out) REQUIRE(n <= most(Limit::ProducerPhases));
    }
}

/// With that way to cut; where none is allowed and one is needed, with the default.
void compile_with(const ModelFiles& files, CompileOptions& options, SelfCut cut) {
    options.schedule.self_cut = cut;
    try {
        compile_files(files, options);
    } catch (const Error& error) {
        if (cut != SelfCut::None || error.fault() != Fault::Unsupported) throw;
        options.schedule.self_cut = SelfCut::ConsumerOperandEdgesFirst;
        compile_files(files, options);
    }
}

/// The netlist it became.
std::string check_graph(std::uint32_t seed, const ir::Graph& graph, Policy policy) {
    CAPTURE(seed);
    const TempFolder folder;
    const std::string model = folder.path() + "/model.tg";
    std::ofstream(model) << print_graph(graph);
    CAPTURE(print_graph(graph, 16));

    ModelFiles files;
    files.model = model;
    files.out = folder.path() + "/out";
    CompileOptions options;
    options.default_df = DataFormat::Float32;
    options.seed = seed;
    options.schedule.policy = policy;
    options.schedule.seed = seed;
    options.simulate = [](const EmittedModel& emitted, const CompileOptions&) {
        SimulatedRun ran;  // the fewest epochs
        for (const ttsim::impl::Graph& epoch : emitted.netlist.graphs)
            ran.epochs.push_back({1, std::vector<double>(epoch.ops.size(), 1)});
        ran.cycles = ran.latency_cycles = static_cast<double>(ran.epochs.size());
        return ran;
    };
    options.microbatch = 1 + seed % 2;
    const bool searches = policy == Policy::Balanced || policy == Policy::Simulated;
    if (searches && seed % 3 == 0) options.effort = 2;
    if (searches && options.microbatch == 1 && seed % 4 == 0) options.schedule.aim = Aim::Latency;
    constexpr std::array fusing{Fusing::Always, Fusing::IfProfitable, Fusing::Never};
    options.fuse_gelu = fusing[seed % fusing.size()];
    if (seed % 4 == 3) options.conv_fracture = 2;
    options.device = seed % 4 < 2 ? "wh_n150" : "gs_e150";
    compile_with(files, options,
                 *parse_self_cut(self_cut_names()[seed / policy_names().size() % self_cut_names().size()]));
    check_edges(files.out + "/netlist.yaml");

    sim::RunOptions run;
    run.netlist = files.out + "/netlist.yaml";
    run.inputs_dir = files.out;
    run.mode = seed % 3 == 0 ? sim::Mode::Full : sim::Mode::Functional;
    run.numerics = Numerics::Float32;
    run.check = false;
    run.threads = 1;
    Values given;
    const Values have = run_compiled(files.out, run, given);
    for (const Node& node : graph.nodes)  // one that nothing reads has no values
        if (node.is_input() && !given.count(node.name)) given.emplace(node.name, Literal(DType::F32, node.type.dims));
    const auto want = evaluate(graph, given);
    require_close(have, want);
    std::ifstream netlist(run.netlist);
    return {std::istreambuf_iterator<char>(netlist), {}};
}

void check_seed(std::uint32_t seed) {
    check_graph(seed, random_graph(seed), *parse_policy(policy_names()[seed % policy_names().size()]));
}

}  // namespace

TEST_CASE("random products and elementwise ops compute the same whether blocks go by rows or by columns") {
    std::size_t by_columns = 0;
    for (std::uint32_t seed = 1; seed <= 24; ++seed) {
        const std::string netlist = check_graph(seed, random_large_graph(seed), Policy::MinimizeGrid);
        std::size_t at = netlist.find("\ngraphs:");
        while ((at = netlist.find("ublock_order: c", at + 1)) != std::string::npos) ++by_columns;
    }
    CHECK(by_columns > 2);
}

TEST_CASE("a random graph on the machine agrees with the reference of its ops") {
    for (std::uint32_t seed = 1; seed <= 30; ++seed) check_seed(seed);
}

// Run by hand or at night: test_compiler "[nightly]"
TEST_CASE("500 random graphs on the machine agree with the reference of their ops", "[.][nightly]") {
    for (std::uint32_t seed = 1000; seed < 1500; ++seed) check_seed(seed);
}
