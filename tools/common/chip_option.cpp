#include "tools/common/chip_option.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "tools/common/terminal.hpp"

namespace ttsim::impl::cli {

CLI::Option* add_chip_option(CLI::App& command, std::string& arch) {
    return command
        .add_option("--arch", arch,
                    "Chip, by name (see 'ttsim devices') or folder. Default: the chip with 'default: true'")
        ->option_text("CHIP");
}

const ChipParams& chosen_chip(const std::string& arch) {
    const ChipParams& params = arch.empty() ? default_chip() : chip(arch);
    for (const std::string& note : chip_notes(params))
        fmt::print(stderr, "{}\n", painted_message(fmt::format("note: {}", note)));
    return params;
}

}  // namespace ttsim::impl::cli
