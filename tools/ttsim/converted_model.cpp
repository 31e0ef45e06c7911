#include "tools/ttsim/converted_model.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/ttsim/python_tools.hpp"
#include "tools/ttsim/temporary_folder.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

namespace {

std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The last line that says something.
std::string last_line(const std::string& text) {
    std::istringstream in(text);
    std::string last;
    for (std::string line; std::getline(in, line);)
        if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    return last;
}

std::vector<std::string> arguments(const Conversion& conversion, const std::string& python,
                                   const TemporaryFolder& folder) {
    // -P: no modules from the current folder, which may be a stranger's
    std::vector<std::string> words{python, "-P", "-m", "ttsim.convert", "-o", folder.file("model.onnx")};
    words.insert(words.end(), {"--error-file", folder.file("error.json")});
    for (const auto& [name, dims] : conversion.shapes)
        words.push_back(fmt::format("--shape={}={}", name, fmt::join(dims, ",")));
    if (!conversion.signature.empty()) words.push_back("--signature=" + conversion.signature);
    if (!conversion.output_names.empty())
        words.push_back(fmt::format("--output-names={}", fmt::join(conversion.output_names, ",")));
    words.insert(words.end(), {"--", conversion.model});
    return words;
}

/// Exit status of a program, whose output goes to `log`; -1: it could not be started.
int run_program(const std::vector<std::string>& words, const std::string& log) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return -1;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] void fail_conversion(const Conversion& conversion, const std::string& python, int status,
                                  const TemporaryFolder& folder) {
    const SourceLoc place{conversion.model, 0, 0};
    const std::string extra = extra_of(conversion.model);
    const auto told = nlohmann::json::parse(contents(folder.file("error.json")), nullptr, false);
    if (told.is_object()) {
        const std::string remedy = told.value("remedy", "");
        const std::string text = told.value("message", "") + (remedy.empty() ? "" : "; " + remedy);
        if (told.value("status", 2) == 4) fail_unsupported(place, "{}", text);
        fail_input(place, "{}", text);
    }
    const std::string said = last_line(contents(folder.file("log")));
    if (status == -1 || status == 127)
        fail_input(place,
                   "models of {} are converted by Python, and '{}' cannot be started; install Python 3.11, then: pip "
                   "install 'ttsim[{}]'",
                   framework_of(conversion.model), python, extra);
    if (said.find("No module named") != std::string::npos)
        fail_input(place,
                   "models of {} are converted by the Python package ttsim, which '{}' does not have; install it: pip "
                   "install 'ttsim[{}]', or set TTSIM_PYTHON to a Python that has it",
                   framework_of(conversion.model), python, extra);
    fail_input(place, "the conversion by '{} -m ttsim.convert' ended with status {}: {}", python, status, said);
}

}  // namespace

std::string convert_to_onnx(const Conversion& conversion) {
    const std::string python = python_interpreter("venv-frameworks");
    const TemporaryFolder folder;
    const int status = run_program(arguments(conversion, python, folder), folder.file("log"));
    std::string model = status == 0 ? contents(folder.file("model.onnx")) : "";
    if (model.empty()) fail_conversion(conversion, python, status, folder);
    return model;
}

}  // namespace ttsim::impl::cli
