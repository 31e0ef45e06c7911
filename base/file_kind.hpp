// What an existing file or folder is, by its contents: writers replace only their own kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl {

enum class FileKind : std::uint8_t { Json, Csv, Trace, Npy, Text, Image, Report, Screen, Xlsx, Any };

/// "ttpf": the application id in the header of a trace, which tells it from other SQLite databases.
inline constexpr std::int32_t trace_application_id = 0x74747066;

/// "JSON", "a trace": for messages.
std::string_view to_string(FileKind kind);
/// Whether the start of the file is that of such a file. An empty file is of every kind, Text of no other. All are of
/// the kind Any: for programs that replace the files named in a call, without asking.
bool looks_like(const std::string& path, FileKind kind);

/// A folder that a command writes as a whole.
struct FolderKind {
    std::string_view name;                ///< "a compiled model"
    std::vector<std::string_view> marks;  ///< what such a folder surely has
    std::vector<std::string_view> parts;  ///< all it may have, as patterns: "inputs/*.npy"; "a/**": all below
};
const FolderKind& compiled_folder();      ///< of ttsim compile -o
const FolderKind& dump_folder();          ///< of ttsim run --dump-io
const FolderKind& unpacked_folder();      ///< of ttsim tti extract
const FolderKind& perf_results_folder();  ///< of ttsim export --perf-results
const FolderKind& visualizer_folder();    ///< of ttsim export --visualizer
const FolderKind& debuda_folder();        ///< of ttsim export --debuda
const FolderKind& reportify_folder();     ///< of ttsim compile --reportify

/// Whether a folder of its kind has such a file; `relative` is its path below the folder. Where the kind cannot be
/// told, whether a folder of some kind has.
bool is_folder_part(const std::string& folder, const std::string& relative);
/// "" when the folder is empty or of that kind and holds nothing else, or why it is not.
std::string folder_mismatch(const std::string& path, const FolderKind& kind);

}  // namespace ttsim::impl
