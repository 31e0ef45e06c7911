#include "tools/ttsim/python_tools.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

namespace {

std::string this_program() {
    std::error_code failed;
    const fs::path path = fs::read_symlink("/proc/self/exe", failed);
    return failed ? "ttsim" : path.string();
}

/// The interpreter; puts the packages of a build tree on its path.
std::string interpreter() {
    // BUILD/release/bin/ttsim: the packages are BUILD/python, the environment of 'scripts/setup python' BUILD/venv
    const fs::path build = fs::path(this_program()).parent_path().parent_path().parent_path();
    std::error_code ignored;
    if (fs::exists(build / "python/ttsim", ignored)) {
        const char* before = std::getenv("PYTHONPATH");
        const std::string path = (build / "python").string() + (before && *before ? std::string(":") + before : "");
        ::setenv("PYTHONPATH", path.c_str(), 1);
    }
    if (const char* given = std::getenv("TTSIM_PYTHON"); given && *given) return given;
    if (fs::exists(build / "python/ttsim", ignored) && fs::exists(build / "venv/bin/python", ignored))
        return (build / "venv/bin/python").string();
    return "python3";
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> found;
    for (std::string& word : words) found.push_back(word.data());
    found.push_back(nullptr);
    return found;
}

/// Whether the interpreter finds the module. Nothing of it is executed but its parent packages.
bool has_module(const std::string& python, const std::string& module) {
    std::vector<std::string> words{
        python, "-P", "-c",
        fmt::format("import importlib.util, sys\ntry: sys.exit(importlib.util.find_spec('{}') is None)\n"
                    "except ImportError: sys.exit(1)",
                    module)};
    const pid_t child = ::fork();
    if (child < 0) fail_input({}, "cannot start {}: {}", python, std::strerror(errno));
    if (child == 0) {
        ::execvp(python.c_str(), pointers(words).data());
        ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void exec_python(const std::string& module, const std::vector<std::string>& arguments) {
    const std::string python = interpreter();
    if (!has_module(python, module))
        fail_input({},
                   "this command is part of the Python package, which {} lacks; install it ('pip install .' in the "
                   "sources), or name another interpreter in TTSIM_PYTHON",
                   python);
    ::setenv("TTSIM", this_program().c_str(), 1);
    std::vector<std::string> words{python, "-P", "-m", module};
    words.insert(words.end(), arguments.begin(), arguments.end());
    ::execvp(python.c_str(), pointers(words).data());
    fail_input({}, "cannot start {}: {}", python, std::strerror(errno));
}

}  // namespace ttsim::impl::cli
