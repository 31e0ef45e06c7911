// The option --arch of commands about one chip.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "isa/arch.hpp"

namespace ttsim::impl::cli {

/// Adds --arch; `arch` stays "" without it.
CLI::Option* add_chip_option(CLI::App& command, std::string& arch);
/// The chip of that option, or the default chip. Prints what its reports must state (chip_notes()) to standard error.
const ChipParams& chosen_chip(const std::string& arch);

}  // namespace ttsim::impl::cli
