// Trains a layer on the simulated chip: y = x w should become the sum of each input.
#include <iostream>

#include <ttsim/trainer.hpp>

int main() {
    try {
        ttsim::Graph graph;
        const ttsim::Graph::Value x = graph.input("x", {1, 32});
        const ttsim::Graph::Value w = graph.constant("w", ttsim::Array({32, 1}, std::vector<float>(32, 0.0F)));
        graph.output("y", graph.add("matmul", {x, w}));

        ttsim::CompileOptions options;
        options.device = "wh_n150";
        options.training = true;
        options.learning_rate = 0.01;
        options.microbatch = 4;  // samples of one forward()
        ttsim::SessionOptions session;
        session.engine = ttsim::Engine::Functional;  // values, no clock
        ttsim::Trainer trainer(ttsim::compile(graph, options), session);
        for (int step = 0; step < 20; ++step) {
            ttsim::Array samples({4, 1, 32}, std::vector<float>(4 * 32));
            for (std::size_t i = 0; i < samples.floats.size(); ++i)
                samples.floats[i] = i / 32 == i % 4 ? 1.0F : 0.0F;  // of each sample other ones
            const ttsim::Array y = trainer.forward({{"x", samples}}).at("y");
            ttsim::Array gradient({4, 1, 1}, std::vector<float>(4));
            double loss = 0;
            for (std::size_t n = 0; n < 4; ++n) {
                const float error = y.floats[n] - 8;  // each sample has 8 ones
                loss += error * error;
                gradient.floats[n] = 2 * error;
            }
            if (step % 5 == 0) std::cout << "step " << step << ": loss " << loss << "\n";
            trainer.backward({{"y", gradient}}, true);
            trainer.step();
        }
        std::cout << "w[0] is " << trainer.parameter("w").floats.front() << "\n";
    } catch (const ttsim::Error& error) {
        std::cerr << error.what() << "\n";
        return error.exit_code();
    }
}
