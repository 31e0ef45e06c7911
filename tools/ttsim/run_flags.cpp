// The netlist of run, check, explain and debug.
#include "tools/common/input_kind.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

void add_netlist(CLI::App& command, std::string& netlist, bool folders) {
    command
        .add_option("netlist", netlist,
                    folders ? "Netlist file (YAML), or folder of a compiled model" : "Netlist file (YAML)")
        ->required()
        ->check(existing_path())
        ->type_name(folders ? "FILE|DIR" : "FILE");
}

}  // namespace ttsim::impl::cli
