// Pushes input values through a netlist, entry by entry.
#include <iostream>

#include <ttsim/session.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        const ttsim::Netlist netlist = ttsim::Netlist::from_file(argv[1]);
        ttsim::SessionOptions options;
        options.device = "wh_n150";
        ttsim::Session session(netlist, options);

        const ttsim::QueueInfo a = netlist.queue("a");
        for (int entry = 0; entry < 4; ++entry) {
            session.push("a", ttsim::Tensor(a.z, a.rows, a.columns, 1.5F));
            session.push("b", ttsim::Tensor(a.z, a.rows, a.columns, static_cast<float>(entry)));
        }
        session.run("run");
        for (int entry = 0; entry < 4; ++entry) {
            std::cout << session.get("y").at(0, 0, 0) << "\n";
            session.pop("y");
        }
        std::cout << session.now() << " cycles on " << session.chip() << "\n";
    } catch (const ttsim::Error& error) {
        std::cerr << error.what() << "\n";
        return error.exit_code();
    }
}
