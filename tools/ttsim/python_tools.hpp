// Starts commands of ttsim that are written in Python.
#pragma once

#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// The Python to start: that of TTSIM_PYTHON, else of the build tree's environment `environment` ('scripts/setup'),
/// else python3 of PATH. In a build tree, PYTHONPATH of this process gets the tree's packages.
std::string python_interpreter(const std::string& environment = "venv");

/// Replaces this process by `python -m MODULE ARGUMENTS`. Its environment has TTSIM, the path of this program. The
/// current folder is not on the interpreter's path. Throws Error(Input) if the interpreter does not start or lacks the
/// module, with what to do.
[[noreturn]] void exec_python(const std::string& module, const std::vector<std::string>& arguments);

}  // namespace ttsim::impl::cli
