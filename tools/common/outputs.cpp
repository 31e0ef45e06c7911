#include "tools/common/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/command_files.hpp"
#include "base/new_file.hpp"
#include "tools/common/output.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

Outputs::Outputs(CLI::App& command) : command_(command) {
    command.add_flag("--force", force_,
                     "Write results over inputs of the command and over files of another kind, which are refused "
                     "otherwise");
}

CLI::Option* Outputs::add(const std::string& flag, Output output, const std::string& help) {
    output.option =
        command_.add_option(flag, *output.path, help)->type_name(output.folder || output.of_files ? "DIR" : "FILE");
    outputs_.push_back(output);
    return output.option;
}

CLI::Option* Outputs::file(const std::string& flag, std::string& path, FileKind kind, const std::string& help) {
    return add(flag, {nullptr, &path, nullptr, kind, false, ""}, help);
}

CLI::Option* Outputs::folder(const std::string& flag, std::string& path, const FolderKind& kind,
                             const std::string& help) {
    return add(flag, {nullptr, &path, &kind, {}, false, ""}, help);
}

CLI::Option* Outputs::folder_or_file(const std::string& flag, std::string& path, const FolderKind& folder,
                                     FileKind file, const std::string& ending, const std::string& help) {
    return add(flag, {nullptr, &path, &folder, file, false, ending}, help)->type_name("DIR|FILE");
}

CLI::Option* Outputs::folder_of_files(const std::string& flag, std::string& path, const std::string& help) {
    return add(flag, {nullptr, &path, nullptr, {}, true, ""}, help);
}

void Outputs::claim() const {
    force_outputs(force_);
    for (const CLI::Option* option : command_.get_options()) {
        if (std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& o) { return o.option == option; }))
            continue;
        if (std::find(aliases_.begin(), aliases_.end(), option) != aliases_.end()) continue;
        for (const std::string& given : option->results()) {
            register_input(given);
            if (const std::size_t equals = given.rfind('='); equals != std::string::npos)
                register_input(given.substr(equals + 1));
        }
    }
    std::map<std::string, const Output*> named;
    for (const Output& output : outputs_) {
        if (output.path->empty()) continue;
        std::error_code failed;
        const fs::path whole = fs::weakly_canonical(followed(*output.path), failed);
        const bool device = fs::exists(whole, failed) && fs::is_other(whole, failed);
        if (const auto [before, fresh] = named.emplace(whole.string(), &output); !fresh && !device)
            throw CLI::ValidationError(
                output.option->get_name(),
                fmt::format("'{}' is also the value of {}", *output.path, before->second->option->get_name()));
        if (output.is_folder()) const NewFolder probe(*output.path, *output.folder);
        // devices and pipes pass; a writer that needs a regular file, such as that of a trace, refuses them itself
        if (!output.is_folder() && !output.of_files) const OutputFile probe(*output.path, output.file);
    }
}

}  // namespace ttsim::impl::cli
