// Files of options in YAML: --options FILE and --print-options of a command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// How a value of a file becomes words of the command line. NegativeFlag: of an option that is true by default, whose
/// flag sets it to false. SignedFlag: of a flag with a negative form.
enum class ValueKind { One, List, Map, Flag, SignedFlag, NegativeFlag };

/// An option of a command, as the schema declares it.
struct OptionInfo {
    std::string key, flag;  ///< flag "": only programs set the option
    std::string group;
    ValueKind kind;
    std::string help, default_text;  ///< default_text "": none
    bool no_effect;                  ///< it does not change results
};

/// Adds --options and --print-options to a command that has all options of `table`; call it after they were added. Both
/// are kept by reference. Options of the command line win over those of the file. A file throws Error(Input) with its
/// line for an unknown key, a value that the option refuses, and a key that is there twice.
void add_options_file(CLI::App& command, const std::vector<OptionInfo>& table);

/// Whether the option changes no result, or is one of those that every command has.
bool changes_no_result(const std::vector<OptionInfo>& table, const std::string& flag);

}  // namespace ttsim::impl::cli
