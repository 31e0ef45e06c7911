// Recognizes the kind of an existing file or folder by its contents. Writers replace only files of their own kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl {

enum class FileKind : std::uint8_t { Json, Csv, Trace, Npy, Text, Image, Report, Screen, Xlsx, Any };

/// "ttpf": the SQLite application id in the header of a trace; it distinguishes traces from other databases.
inline constexpr std::int32_t trace_application_id = 0x74747066;

/// The name of the kind in messages: "JSON", "a trace".
std::string_view to_string(FileKind kind);
/// Whether the start of the file matches the kind. An empty file matches every kind; only an empty file matches Text.
/// Every file matches Any, which is for programs that replace the files named in a call without asking.
bool looks_like(const std::string& path, FileKind kind);

/// A folder that a command writes completely.
struct FolderKind {
    std::string_view name;                ///< "a compiled model"
    std::vector<std::string_view> marks;  ///< files that every such folder has
    std::vector<std::string_view>
        parts;  ///< patterns of all files it may have: "inputs/*.npy"; "a/**" matches everything below a
};
const FolderKind& compiled_folder();      ///< of ttsim compile -o
const FolderKind& dump_folder();          ///< of ttsim run --dump-io
const FolderKind& unpacked_folder();      ///< of ttsim tti extract
const FolderKind& perf_results_folder();  ///< of ttsim export --perf-results
const FolderKind& visualizer_folder();    ///< of ttsim export --visualizer
const FolderKind& debuda_folder();        ///< of ttsim export --debuda
const FolderKind& reportify_folder();     ///< of ttsim compile --reportify

/// Whether `relative`, a path below the folder, belongs to a folder of its kind. If the kind is not recognized, whether
/// it belongs to a folder of any input kind.
bool is_folder_part(const std::string& folder, const std::string& relative);
/// Returns "" if the folder is empty, or is of that kind and holds nothing else; otherwise the reason.
std::string folder_mismatch(const std::string& path, const FolderKind& kind);

}  // namespace ttsim::impl
