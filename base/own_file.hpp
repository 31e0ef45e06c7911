// Where ttsim is installed: its files are looked up beside the program or library that contains them.
#pragma once

#include <filesystem>

namespace ttsim::impl {

/// Path of the program or shared library that contains this code, with symbolic links resolved. Needs no /proc, which
/// root folders of chroot may lack. Empty if the system does not tell it.
const std::filesystem::path& own_file();

}  // namespace ttsim::impl
