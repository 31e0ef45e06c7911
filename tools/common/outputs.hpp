// The files and folders that one command writes, and --force.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/file_kind.hpp"

namespace ttsim::impl::cli {

/// Registers the outputs of a command. Every other file or folder on the command line is an input, which no output may
/// overwrite.
class Outputs {
public:
    /// Adds --force.
    explicit Outputs(CLI::App& command);
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;

    CLI::Option* file(const std::string& flag, std::string& path, FileKind kind, const std::string& help);
    CLI::Option* folder(const std::string& flag, std::string& path, const FolderKind& kind, const std::string& help);
    /// A file if its name ends in `ending`, else a folder.
    CLI::Option* folder_or_file(const std::string& flag, std::string& path, const FolderKind& folder, FileKind file,
                                const std::string& ending, const std::string& help);
    /// A folder that files are added to; its other files stay.
    CLI::Option* folder_of_files(const std::string& flag, std::string& path, const std::string& help);
    /// The value of this option is moved to the path of a registered output before claim(): it is not an input.
    void add_alias(CLI::Option* option) { aliases_.push_back(option); }

    /// To be called before any work: records the inputs, and refuses outputs that must not be written or that two flags
    /// name. Throws Error(Input) or CLI::ValidationError.
    void claim() const;

private:
    struct Output {
        CLI::Option* option;
        std::string* path;
        const FolderKind* folder;
        FileKind file;
        bool of_files;
        std::string file_ending;  ///< a path with this ending is a file, not a folder; "": never
        bool is_folder() const { return folder && (file_ending.empty() || !path->ends_with(file_ending)); }
    };
    CLI::Option* add(const std::string& flag, Output output, const std::string& help);

    CLI::App& command_;
    std::vector<Output> outputs_;
    std::vector<const CLI::Option*> aliases_;
    bool force_ = false;
};

}  // namespace ttsim::impl::cli
