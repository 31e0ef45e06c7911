// The files and folders that one command writes, and --force.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/file_kind.hpp"

namespace ttsim::impl::cli {

/// Whatever else on the command line names a file or folder is an input, which no output may destroy.
class Outputs {
public:
    /// Adds --force.
    explicit Outputs(CLI::App& command);
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;

    CLI::Option* file(const std::string& flag, std::string& path, FileKind kind, const std::string& help);
    CLI::Option* folder(const std::string& flag, std::string& path, const FolderKind& kind, const std::string& help);
    /// A file where its name ends in `ending`, else a folder.
    CLI::Option* folder_or_file(const std::string& flag, std::string& path, const FolderKind& folder, FileKind file,
                                const std::string& ending, const std::string& help);
    /// A folder that files are put into, beside what it has.
    CLI::Option* folder_of_files(const std::string& flag, std::string& path, const std::string& help);
    /// What this option is given is in the path of one of these by the time of claim().
    void stands_for(CLI::Option* option) { stand_ins_.push_back(option); }

    /// To be called before any work: notes the inputs and refuses outputs that must not be written or that two flags
    /// name. Throws Error(Input) or CLI::ValidationError.
    void claim() const;

private:
    struct Output {
        CLI::Option* option;
        std::string* path;
        const FolderKind* folder;
        FileKind file;
        bool of_files;
        std::string file_ending;  ///< a folder that is a file where its name ends so; "" = never
        bool is_folder() const { return folder && (file_ending.empty() || !path->ends_with(file_ending)); }
    };
    CLI::Option* add(const std::string& flag, Output output, const std::string& help);

    CLI::App& command_;
    std::vector<Output> outputs_;
    std::vector<const CLI::Option*> stand_ins_;
    bool force_ = false;
};

}  // namespace ttsim::impl::cli
