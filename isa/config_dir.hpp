// Finds configuration files. A file is read from the first of these folders that has it:
// 1. the folder passed to set_config_dir()
// 2. the folder named by the environment variable TTSIM_CONFIG_DIR
// 3. ../share/ttsim/configs of an installation, relative to the program or shared library of this code
// 4. configs/ of the source tree
// So folder 1 or 2 needs only the new files: chips/NAME/, or a products.yaml with own boards.
#pragma once

#include <string>
#include <vector>

namespace ttsim::impl {

/// Sets the first folder for the whole process; "" resets it. Throws Error(Input) if the folder does not exist. Files
/// read earlier remain known by their path.
void set_config_dir(const std::string& folder);

/// The existing folders in this order. Throws Error(Input) if TTSIM_CONFIG_DIR names a missing folder, or if no folder
/// is found; the message lists the folders tried.
std::vector<std::string> config_dirs();

/// The path of a file such as "edges.yaml" in the first folder that has it. Throws Error(Input) listing all folders
/// tried.
std::string config_file(const std::string& name);
/// The paths in all folders that have the file, in order; may be empty.
std::vector<std::string> config_files(const std::string& name);

}  // namespace ttsim::impl
