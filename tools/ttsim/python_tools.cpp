#include "tools/ttsim/python_tools.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/own_file.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> found;
    for (std::string& word : words) found.push_back(word.data());
    found.push_back(nullptr);
    return found;
}

/// Exit code of a program that looks for a module; 127: it could not be started. Nothing of the module is executed but
/// its parent packages.
int find_module(const std::string& python, const std::string& module) {
    std::vector<std::string> words{
        python, "-P", "-c",
        fmt::format("import importlib.util, sys\ntry: sys.exit(importlib.util.find_spec('{}') is None)\n"
                    "except ImportError: sys.exit(1)",
                    module)};
    const pid_t child = ::fork();
    if (child < 0) return 127;
    if (child == 0) {
        ::execvp(python.c_str(), pointers(words).data());
        ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::string python_interpreter(const std::string& environment) {
    // BUILD/release/bin/ttsim: the packages are BUILD/python
    const fs::path build = own_file().parent_path().parent_path().parent_path();
    std::error_code ignored;
    const bool in_build_tree = fs::exists(build / "python/ttsim/__init__.py", ignored);
    if (in_build_tree) {
        const char* before = std::getenv("PYTHONPATH");
        const std::string path = (build / "python").string() + (before && *before ? std::string(":") + before : "");
        ::setenv("PYTHONPATH", path.c_str(), 1);
    }
    if (const char* given = std::getenv("TTSIM_PYTHON"); given && *given) return given;
    const fs::path own = build / environment / "bin/python";
    return in_build_tree && fs::exists(own, ignored) ? own.string() : "python3";
}

void exec_python(const std::string& module, const std::vector<std::string>& arguments) {
    const std::string python = python_interpreter();
    const int found = find_module(python, module);
    if (found == 127)
        fail_input({}, "cannot start '{}': set TTSIM_PYTHON to a Python 3.11 or later that has the package ttsim",
                   python);
    if (found != 0)
        fail_input({},
                   "this command is part of the Python package, which '{}' does not have; install it ('pip install .' "
                   "in the sources), or set TTSIM_PYTHON to a Python that has it",
                   python);
    ::setenv("TTSIM", own_file().empty() ? "ttsim" : own_file().c_str(), 1);
    std::vector<std::string> words{python, "-P", "-m", module};
    words.insert(words.end(), arguments.begin(), arguments.end());
    ::execvp(python.c_str(), pointers(words).data());
    fail_input({}, "cannot start '{}': {}", python, std::strerror(errno));
}

}  // namespace ttsim::impl::cli
