// Runs a netlist file with generated inputs and checks its outputs, as `ttsim run` does.
#include <iostream>

#include <ttsim/session.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        const ttsim::RunReport report = ttsim::run(argv[1]);
        std::cout << report.cycles << " cycles on " << report.chip << "\n";
        for (const ttsim::OutputCheck& output : report.outputs)
            std::cout << output.queue << ": correlation " << output.pcc << "\n";
        return report.verdict == ttsim::Verdict::Pass ? 0 : 1;
    } catch (const ttsim::Error& error) {
        std::cerr << error.what() << "\n";
        return error.exit_code();
    }
}
