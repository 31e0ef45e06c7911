// What the command of this process reads, so that no writer destroys it.
#pragma once

#include <string>

#include "base/file_kind.hpp"

namespace ttsim::impl {

/// A file or folder the command was told to read; others are not told from it by name but by device and inode.
/// Names of nothing are ignored.
void note_input(const std::string& path);
/// --force: files are replaced whatever they are, folders even with files of others in them.
void force_outputs(bool force);
/// Forgets both; for tests, which are many commands.
void forget_command();

/// Throws Error(Input) when the file exists and is an input or of another kind, unless forced.
void check_replaceable(const std::string& path, FileKind kind);
/// Throws Error(Input) when the folder exists and holds an input or is of another kind. Forcing helps a folder of the
/// kind that holds inputs or other files; a folder of another kind is never replaced.
void check_replaceable(const std::string& path, const FolderKind& kind);

}  // namespace ttsim::impl
