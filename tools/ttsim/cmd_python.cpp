// ttsim python: a script of PyBuda, ttnn or tt_lib on the simulated chips, without installing packages of these names.
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/python_tools.hpp"

namespace ttsim::impl::cli {

std::vector<std::string> take_python_arguments(std::vector<std::string>& words) {
    if (words.size() < 2) return {};
    std::size_t kept = words.size();
    if (words[1] == "sweep") kept = 2;
    if (words[1] == "python" && words.size() > 2 && !words[2].starts_with("-")) kept = 3;
    std::vector<std::string> arguments(words.begin() + static_cast<std::ptrdiff_t>(kept), words.end());
    words.resize(kept);
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
    command->callback([script, arguments = std::move(arguments)]() mutable {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(*script, ignored)) fail_input({*script, 0, 0}, "there is no such script");
        arguments.insert(arguments.begin(), *script);
        exec_python("ttsim", arguments);
    });
}

}  // namespace ttsim::impl::cli
