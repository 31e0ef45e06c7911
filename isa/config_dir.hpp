// Where configuration files are. A file is taken from the first of these folders that has it:
//   1. the one given to set_config_dir()
//   2. the one that the environment variable TTSIM_CONFIG_DIR names
//   3. ../share/ttsim/configs of an installation, seen from the program or shared library this code is in
//   4. configs/ of the sources it was built from
// So a folder of 1 or 2 needs to hold only what is new: chips/NAME/, or products.yaml with boards of its own.
#pragma once

#include <string>
#include <vector>

namespace ttsim::impl {

/// From now on, for the whole process; "" takes it back. Throws Error(Input) when there is no such folder.
/// What was read before stays known by its path.
void set_config_dir(const std::string& folder);

/// The folders there are, in this order. Throws Error(Input) when TTSIM_CONFIG_DIR names none, or when no folder is
/// found at all; the message says what was tried.
std::vector<std::string> config_dirs();

/// The path of a file such as "edges.yaml" in the first folder that has it. Throws Error(Input) naming all tried.
std::string config_file(const std::string& name);
/// The same of every folder that has it, in order; may be empty.
std::vector<std::string> config_files(const std::string& name);

}  // namespace ttsim::impl
