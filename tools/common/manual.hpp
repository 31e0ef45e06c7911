// Generates man pages and completion (bash, zsh, fish) of a tool from its command line definitions.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// The man page of `app`, or of one of its subcommands, as roff.
std::string man_page(const CLI::App& app);
/// A completion script for bash: subcommands, options, the words that an option accepts, else files.
std::string bash_completion(const CLI::App& app);

/// The same for zsh and fish.
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

/// Words to complete for an option whose help names only their kind, such as "--device" with the names of products;
/// tools add their own before they parse.
std::map<std::string, std::function<std::vector<std::string>()>>& completion_values();

/// FOLDER/man/TOOL.1, FOLDER/man/TOOL-SUBCOMMAND.1 ..., FOLDER/completion/TOOL, FOLDER/zsh/_TOOL,
/// FOLDER/fish/TOOL.fish. Throws Error(Input) if one cannot be written.
void write_manual(const CLI::App& app, const std::string& folder);

}  // namespace ttsim::impl::cli
