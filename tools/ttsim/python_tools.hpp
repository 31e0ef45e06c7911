// Starts commands of ttsim that are written in Python.
#pragma once

#include <string>
#include <vector>

namespace ttsim::impl::cli {

/// Replaces this process by `python -m MODULE ARGUMENTS`, with the interpreter of TTSIM_PYTHON, else that of the build
/// tree, else python3 of PATH. Its environment has TTSIM, the path of this program. The current folder is not on the
/// interpreter's path. Throws Error(Input) if the interpreter lacks the module, with what to install.
[[noreturn]] void exec_python(const std::string& module, const std::vector<std::string>& arguments);

}  // namespace ttsim::impl::cli
