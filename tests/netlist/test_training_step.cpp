#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "netlist/program/training_step.hpp"
#include "netlist/text/reader.hpp"

using namespace ttsim::impl;

namespace {

/// A step of training as PyBuda writes it. `saved`: the backward pass reads a value of the forward pass.
std::string step_of(const std::string& forward, const std::string& backward, const std::string& optimizer,
                    bool gradient, const std::string& programs) {
    constexpr const char* blocks = "grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], df: Float16_b";
    constexpr const char* op =
        "grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], in_df: [Float16_b, Float16_b], acc_df: Float16_b, "
        "out_df: Float16_b, intermed_df: Float16_b, ublock_order: r, buf_size_mb: 2, math_fidelity: HiFi3, "
        "untilize_output: "
        "false";
    std::string text = "devices: {arch: [grayskull]}\nqueues:\n";
    const auto queue = [&](const std::string& name, const std::string& input, const std::string& type, int entries) {
        text += fmt::format(
            "  {}: {{type: {}, input: {}, entries: {}, {}, target_device: 0, loc: dram, dram: [[0, 0x{:x}]]}}\n", name,
            type, input, entries, blocks, 0x10000000 + 0x100000 * text.size());
    };
    queue("x", "HOST", "queue", 4);
    queue("loss", "HOST", "queue", 4);
    queue("w", "update", "ram", 1);
    queue("lr", "HOST", "ram", 1);
    queue("kept", "layer", "queue", 4);
    queue("y", "layer", "queue", 4);
    queue("sum", "grad", "ram", 1);
    queue("dx", "back", "queue", 4);
    text += "graphs:\n";
    const auto graph = [&](const std::string& name, const std::string& ops) {
        text += fmt::format("  {}:\n    target_device: 0\n    input_count: 1\n{}", name, ops);
    };
    const auto line = [&](const std::string& name, const std::string& type, int row, const std::string& inputs,
                          const std::string& more = "") {
        return fmt::format("    {}: {{type: {}, grid_loc: [{}, 0], inputs: [{}], {}{}}}\n", name, type, row, inputs, op,
                           more);
    };
    graph(forward, line("layer", "multiply", 0, "x, w"));
    graph(backward, line("back", "multiply", 0, "loss, w") +
                        line("grad", "multiply", 1, "loss, kept", gradient ? ", gradient_op: true" : ""));
    graph(optimizer, line("scaled", "multiply", 0, "sum, lr") + line("update", "subtract", 1, "w, scaled"));
    return text + programs;
}

std::string programs_of(const std::string& a, const std::string& b, const std::string& c) {
    const auto program = [](const std::string& name, const std::string& graph) {
        return fmt::format("  - {}:\n    - execute: {{graph_name: {}, queue_settings: {{}}}}\n", name, graph);
    };
    return "programs:\n" + program("p0", a) + program("p1", b) + program("p2", c);
}

}  // namespace

TEST_CASE("forward, backward and optimizer graphs are found by what they do, whatever their names") {
    for (const auto& [f, b, o] : {std::array{"fwd_0", "bwd_1", "opt_2"}, std::array{"a", "b", "c"}}) {
        const TrainingStep step =
            training_step(read_netlist_text(step_of(f, b, o, true, programs_of(f, b, o)), "n.yaml"));
        CHECK(step.types == std::map<std::string, EpochType>{
                                {f, EpochType::Forward}, {b, EpochType::Backward}, {o, EpochType::Optimizer}});
        CHECK(step.saved_bytes == 4 * (2048 + 32));  // the queue 'kept', not 'y', which no graph reads
    }
}

TEST_CASE("a netlist without sums of gradients, or with graphs of one type, does not train") {
    const std::string plain = step_of("fwd_0", "bwd_1", "opt_2", false, programs_of("fwd_0", "bwd_1", "opt_2"));
    CHECK_FALSE(training_step(read_netlist_text(plain, "n.yaml")).any());
    std::string one = step_of("a", "b", "c", true, "");
    one.erase(one.find("  a:\n"), one.find("  b:\n") - one.find("  a:\n"));
    one.erase(one.find("  c:\n"));
    CHECK_FALSE(training_step(read_netlist_text(one, "n.yaml")).any());
}
