// Lists the devices, including a custom one, and runs a netlist on the custom one.
#include <iostream>

#include <ttsim/device.hpp>
#include <ttsim/session.hpp>

int main(int argc, char** argv) {
    if (argc != 3) return 2;  // NETLIST FOLDER; the folder has chips/tiny/chip.yaml
    try {
        ttsim::set_config_dir(argv[2]);
        for (const ttsim::DeviceInfo& device : ttsim::devices())
            std::cout << device.name << ": " << device.rows << "x" << device.columns << " cores\n";
        ttsim::RunOptions options;
        options.session.device = "tiny";
        options.session.engine = ttsim::Engine::Timing;
        std::cout << ttsim::run(argv[1], options).cycles << " cycles at tiny\n";
        ttsim::Session(ttsim::Netlist::from_text("devices: {arch: tiny}\nqueues: 3\n", "mine.yaml"));
    } catch (const ttsim::Error& error) {
        std::cout << error.what() << "\n";
        return error.line() == 2 ? 0 : error.exit_code();
    }
    return 1;
}
