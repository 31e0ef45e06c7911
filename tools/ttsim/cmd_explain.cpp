// ttsim explain: prints how a netlist is mapped onto the chips.
#include <memory>

#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

void add_explain(CLI::App& app) {
    auto flags = std::make_shared<RunFlags>();
    CLI::App* command = app.add_subcommand("explain", "Print the plan of every graph: cores, buffers, pipes");
    add_netlist_flags(*command, *flags);
    command->footer(
        "Examples:\n"
        "  ttsim explain examples/matmul_gelu.yaml\n"
        "  ttsim explain encoder.yaml --arch wormhole_b0 | less");
    command->callback([flags] {
        require_kind(InputKind::Netlist, flags->options.netlist, "ttsim explain");
        finish_netlist_flags(*flags);
        print_text(sim::explain(flags->options));
    });
}

}  // namespace ttsim::impl::cli
