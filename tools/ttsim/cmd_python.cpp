// ttsim python: a script of PyBuda, ttnn or tt_lib on the simulated chips, without installing packages of these names.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace {

namespace fs = std::filesystem;

/// The package ttsim of the build tree that this program is in; "": it is installed, and Python finds its package.
std::string package_folder() {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path folder = program.parent_path() / ".." / ".." / "python";
    return fs::exists(folder / "ttsim" / "__init__.py", ignored) ? fs::canonical(folder, ignored).string() : "";
}

[[noreturn]] void run(const std::string& script, const std::vector<std::string>& arguments) {
    std::error_code ignored;
    if (!fs::is_regular_file(script, ignored)) fail_input({script, 0, 0}, "there is no such script");
    if (const std::string folder = package_folder(); !folder.empty()) {
        const char* others = std::getenv("PYTHONPATH");
        setenv("PYTHONPATH", (others && *others ? folder + ":" + others : folder).c_str(), 1);
    }
    const char* chosen = std::getenv("TTSIM_PYTHON");
    const std::string python = chosen && *chosen ? chosen : "python3";
    std::vector<std::string> words{python, "-m", "ttsim", script};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp(python.c_str(), argv.data());
    fail_input({}, "cannot start '{}': {}; set TTSIM_PYTHON to a Python 3.11 or later that has torch", python,
               std::strerror(errno));
}

}  // namespace

std::vector<std::string> take_script_arguments(std::vector<std::string>& words) {
    if (words.size() < 3 || words[1] != "python" || words[2].starts_with("-")) return {};
    std::vector<std::string> arguments(words.begin() + 3, words.end());
    words.resize(3);
    return arguments;
}

void add_python(CLI::App& app, std::vector<std::string> arguments) {
    auto script = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand(
        "python", "Run a Python script of PyBuda, ttnn or tt_lib on the simulated chips, without installing these");
    command->footer(
        "The script runs in python3, or in the program that TTSIM_PYTHON names.\n\n"
        "Example:\n"
        "  ttsim python train.py --epochs 3");
    command->add_option("SCRIPT", *script, "Script, followed by its arguments")->required()->option_text(" ");
    command->callback([script, arguments = std::move(arguments)] { run(*script, arguments); });
}

}  // namespace ttsim::impl::cli
