// ttsim-netlist: the subcommands of ttsim on netlists, without compiler, device images and pages. It needs half
// the objects of ttsim, so scripts/demo shows its first result with it. It is not installed.
#include "tools/ttsim/program.hpp"

int main(int argc, char** argv) {
    using namespace ttsim::impl::cli;
    const Program program{
        "ttsim-netlist",
        "Runs Tenstorrent Buda netlists, as ttsim does. ttsim also runs and compiles models, and writes\n"
        "pages; 'scripts/build release ttsim' builds it.",
        "Example:\n  ttsim-netlist run examples/bert_encoder.yaml"};
    return run_main([&] {
        return run_subcommand(program, netlist_subcommands(nullptr), std::vector<std::string>(argv, argv + argc));
    });
}
