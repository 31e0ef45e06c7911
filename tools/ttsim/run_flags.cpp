// Flags shared by run, check and explain.
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "tools/common/input_kind.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

void add_netlist_flags(CLI::App& command, RunFlags& flags, bool folders) {
    sim::RunOptions& o = flags.options;
    command
        .add_option("netlist", o.netlist,
                    folders ? "Netlist file (YAML), or folder of a compiled model" : "Netlist file (YAML)")
        ->required()
        ->check(existing_path())
        ->type_name(folders ? "FILE|DIR" : "FILE");
    command
        .add_option("--arch", o.arch,
                    "Chip to run on, by name or folder. Default: the first chip listed in the netlist on which it "
                    "is valid")
        ->type_name("NAME");
    command
        .add_option("--device", o.device,
                    "Product (see 'ttsim devices'), SoC descriptor file, or folder of a custom chip. Default: the "
                    "unharvested chip")
        ->type_name("NAME|FILE");
    command
        .add_option("--cluster", o.cluster,
                    "Cluster descriptor: chips and their Ethernet links. Default: as many chips as the netlist uses, "
                    "in a mesh as square as possible")
        ->check(existing_file())
        ->type_name("FILE");
    command.add_option("--harvested-rows", o.harvested_rows, "Harvested NoC rows of every chip, such as 1,11")
        ->delimiter(',')
        ->check(in_range(0, 31))
        ->type_name("Y,...");
    command
        .add_option("--program", o.programs,
                    "Program to run; repeatable, run in the order given. Default: all, in file order")
        ->allow_extra_args(false)
        ->type_name("NAME");
    command
        .add_option(
            "--param", flags.params,
            "Value of a program parameter, such as p_loop_count=2; repeatable. Other values are chosen and printed")
        ->allow_extra_args(false)
        ->type_name("NAME=INT");
    command
        .add_option("--inputs-count", o.inputs_count,
                    "Maximum inputs per execute of a graph. Default: the graph's input_count")
        ->check(in_range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()))
        ->type_name("N");
}

std::pair<std::string, std::string> name_and_value(const std::string& flag, const std::string& text) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw CLI::ValidationError(flag, fmt::format("'{}' must be NAME=VALUE", text));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void finish_netlist_flags(RunFlags& flags) {
    for (const std::string& text : flags.params) {
        const std::size_t equals = text.find('=');
        std::int64_t value = 0;
        const char* const first = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(first, last, value);
        if (equals == 0 || first == last || error != std::errc() || end != last)
            throw CLI::ValidationError("--param",
                                       fmt::format("'{}' must be NAME=INTEGER, such as p_loop_count=2", text));
        const std::string name = text.substr(0, equals);
        if (!flags.options.params.emplace(name, value).second)
            throw CLI::ValidationError("--param", fmt::format("'{}' is given twice", name));
    }
}

}  // namespace ttsim::impl::cli
