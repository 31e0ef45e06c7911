// ttsim python: a script of PyBuda, ttnn or tt_lib on the simulated chips, without installing packages of these names.
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/python_tools.hpp"

namespace ttsim::impl::cli {

void add_python(CLI::App& app) {
    auto script = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand(
        "python", "Run a Python script of PyBuda, ttnn or tt_lib on the simulated chips, without installing these");
    command->prefix_command();
    command->footer(
        "The script runs in python3, or in the program that TTSIM_PYTHON names.\n\n"
        "Example:\n"
        "  ttsim python train.py --epochs 3");
    command->add_option("SCRIPT", *script, "Script, followed by its arguments")->required()->option_text(" ");
    command->callback([script, command] {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(*script, ignored)) fail_input({*script, 0, 0}, "there is no such script");
        std::vector<std::string> words = command->remaining();
        words.insert(words.begin(), *script);
        exec_python("ttsim", words);
    });
}

}  // namespace ttsim::impl::cli
