// Generates man pages and bash completion of a tool from its command line definitions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ttsim::impl::cli {

/// The man page of `app`, or of one of its subcommands, as roff.
std::string man_page(const CLI::App& app);
/// A completion script for bash: subcommands, options, the words that an option accepts, else files.
std::string bash_completion(const CLI::App& app);

/// FOLDER/man/TOOL.1, FOLDER/man/TOOL-SUBCOMMAND.1 ..., FOLDER/completion/TOOL. Throws Error(Input) if one cannot
/// be written.
void write_manual(const CLI::App& app, const std::string& folder);

}  // namespace ttsim::impl::cli
