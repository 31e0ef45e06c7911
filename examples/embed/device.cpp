// Runs an op on buffers of a device, as programs do that call ops one by one.
#include <iostream>

#include <ttsim/device_session.hpp>

int main() {
    try {
        ttsim::Graph graph;
        const ttsim::Graph::Value a = graph.input("a", {32, 64});
        const ttsim::Graph::Value b = graph.input("b", {32, 64});
        graph.output("y", graph.add("add", {a, b}));

        ttsim::DeviceSession device("wh_n150");
        const std::int64_t add = device.add_program(ttsim::compile(graph));
        ttsim::BufferSpec tiles;  // of bfloat16, in DRAM
        tiles.shape = {32, 64};
        std::int64_t sum = device.write(tiles, ttsim::Array({32, 64}, std::vector<float>(32 * 64, 1)));
        for (int times = 0; times < 3; ++times) {
            const std::int64_t doubled = device.launch(add, {sum, sum}, {tiles}).front();
            device.free(sum);
            sum = doubled;
        }
        std::cout << device.read(sum).floats.front() << "\n";  // 2 x 2 x 2
        std::cout << device.program(add).launches << " launches of " << device.program(add).cycles << " cycles on "
                  << device.chip() << "\n";
        std::cout << device.memory(ttsim::DeviceMemory::Dram).used << " bytes in use\n";
        device.free(sum);
        (void)device.read(sum);
    } catch (const ttsim::Error& error) {
        std::cout << error.what() << "\n";
        return error.code() == "not-allocated" ? 0 : error.exit_code();
    }
    return 1;
}
