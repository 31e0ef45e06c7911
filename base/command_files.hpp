// Registers the input files of the running command, so that no writer overwrites them.
#pragma once

#include <string>

#include "base/file_kind.hpp"

namespace ttsim::impl {

/// Registers a file or folder as an input. It is identified by device and inode, not by name. Paths that do not exist
/// are ignored.
void register_input(const std::string& path);
/// --force: replace existing files of any kind, and folders even if they hold unrelated files.
void force_outputs(bool force);
/// Clears inputs and --force. Only for tests, which run several commands in one process.
void reset_command();

/// Throws Error(Input) if the file exists and is an input or of another kind, unless --force is set.
void check_replaceable(const std::string& path, FileKind kind);
/// Throws Error(Input) if the folder exists and holds an input, or is of another kind. With --force, a folder of this
/// kind may hold inputs or unrelated files. A folder of another kind is never replaced.
void check_replaceable(const std::string& path, const FolderKind& kind);

}  // namespace ttsim::impl
