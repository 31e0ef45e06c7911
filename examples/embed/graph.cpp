// Builds a model node by node, compiles it, and runs it with changed weights.
#include <iostream>

#include <ttsim/model.hpp>

int main() {
    try {
        ttsim::Graph graph;
        const ttsim::Graph::Value x = graph.input("x", {32, 64});
        const ttsim::Graph::Value w = graph.constant("w", ttsim::Array({64, 32}, std::vector<float>(64 * 32, 0.25F)));
        graph.output("y", graph.add("relu", {graph.add("matmul", {x, w})}));

        ttsim::Model model(ttsim::compile(graph));
        const ttsim::Arrays inputs{{"x", ttsim::Array({32, 64}, std::vector<float>(32 * 64, 1))}};
        std::cout << model.run(inputs).at("y").floats.front() << "\n";  // 64 x 0.25
        model.set_parameter("w", ttsim::Array({64, 32}, std::vector<float>(64 * 32, 0.5F)));
        std::cout << model.run(inputs).at("y").floats.front() << "\n";
        graph.add("matmul", {w, w});  // 64 x 32 and 64 x 32
    } catch (const ttsim::Error& error) {
        std::cout << error.what() << "\n";
        return error.kind() == ttsim::ErrorKind::Input ? 0 : error.exit_code();
    }
    return 1;
}
