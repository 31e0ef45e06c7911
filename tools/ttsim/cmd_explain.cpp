// ttsim explain: prints how a netlist is mapped onto the chips.
#include <memory>

#include "generated/run_flags.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

void add_explain(CLI::App& app) {
    auto options = std::make_shared<sim::RunOptions>();
    CLI::App* command = app.add_subcommand("explain", "Print the plan of every graph: cores, buffers, pipes");
    add_netlist(*command, options->netlist);
    add_check_options(*command, {*options});
    command->footer(
        "Examples:\n"
        "  ttsim explain examples/matmul_gelu.yaml\n"
        "  ttsim explain encoder.yaml --arch wormhole_b0 | less");
    command->callback([options] {
        require_kind(InputKind::Netlist, options->netlist, "ttsim explain");
        print_text(sim::explain(*options));
    });
}

}  // namespace ttsim::impl::cli
