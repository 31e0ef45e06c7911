#include "base/file_kind.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace ttsim::impl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_examined = std::size_t{1} << 20;

std::string read_start(const std::string& path, std::size_t bytes = max_examined) {
    std::ifstream in(path, std::ios::binary);
    std::string text(bytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

/// Checks the syntax without building a document.
class JsonPrefixParser : public nlohmann::json::json_sax_t {
public:
    explicit JsonPrefixParser(std::size_t size) : size_(size) {}
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
        cut_ = size_ == max_examined && at >= size_;
        return false;
    }
    bool cut() const { return cut_; }  ///< valid up to the end of the examined bytes

private:
    std::size_t size_;
    bool cut_ = false;
};

bool is_json(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || (text[first] != '{' && text[first] != '[')) return false;
    JsonPrefixParser start(text.size());
    return nlohmann::json::sax_parse(text, &start) || start.cut();
}

/// Whether a file of Perfetto starts as ttsim writes it: a packet (field 1) with compressed ones (field 50).
bool is_compressed_perfetto(const std::string& text) {
    constexpr std::string_view compressed = "\x92\x03";
    return text.starts_with('\n') && text.find(compressed) < 8;
}

/// Whether all lines have the same number of fields, at least two.
bool is_csv(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || text[first] == '{' || text[first] == '[') return false;  // JSON or YAML
    if (text.find('\0') != std::string::npos) return false;
    constexpr std::size_t lines = 8;
    std::vector<std::size_t> commas(1);
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size() && commas.size() <= lines; ++at) {
        if (text[at] == '"') quoted = !quoted;
        if (quoted) continue;
        if (text[at] == ',') ++commas.back();
        if (text[at] == '\n') commas.push_back(0);
    }
    // Drop the last count: its line is empty, beyond the limit, or truncated.
    if (at == max_examined || text[at - 1] == '\n') commas.pop_back();
    return !commas.empty() && commas.front() > 0 &&
           std::all_of(commas.begin(), commas.end(), [&](auto n) { return n == commas.front(); });
}

bool is_trace(const std::string& text) {
    constexpr std::size_t application_id_offset = 68;
    if (text.size() < 100 || text.compare(0, 16, std::string("SQLite format 3\0", 16)) != 0) return false;
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < 4; ++i) id = id << 8U | static_cast<unsigned char>(text[application_id_offset + i]);
    return id == static_cast<std::uint32_t>(trace_application_id);
}

bool is_part(const std::string& relative, const FolderKind& kind) {
    return std::any_of(kind.parts.begin(), kind.parts.end(), [&](std::string_view part) {
        if (part.ends_with("/**")) return relative.starts_with(part.substr(0, part.size() - 2));
        return fnmatch(std::string(part).c_str(), relative.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
    });
}

bool has_marks(const std::string& folder, const FolderKind& kind) {
    std::error_code failed;
    return std::all_of(kind.marks.begin(), kind.marks.end(),
                       [&](std::string_view mark) { return fs::exists(fs::path(folder) / mark, failed); });
}

}  // namespace

std::string_view to_string(FileKind kind) {
    switch (kind) {
        case FileKind::Json:
            return "JSON";
        case FileKind::Csv:
            return "a CSV table";
        case FileKind::Trace:
            return "a trace";
        case FileKind::Npy:
            return "a .npy array";
        case FileKind::Text:
            return "an empty file";
        case FileKind::Image:
            return "a device image";
        case FileKind::Report:
            return "a report";
        case FileKind::Screen:
            return "a screen of ttperf";
        case FileKind::Xlsx:
            return "a workbook";
        case FileKind::Any:
            return "a file";
    }
    return "";
}

bool looks_like(const std::string& path, FileKind kind) {
    if (kind == FileKind::Any) return true;
    constexpr std::string_view npy = "\x93NUMPY";
    const std::string text = read_start(path, kind == FileKind::Npy ? npy.size() : max_examined);
    if (text.empty()) return true;
    switch (kind) {
        case FileKind::Json:
            return is_json(text) || (path.ends_with(".gz") && text.starts_with("\x1f\x8b")) ||
                   (path.ends_with(".pftrace") && is_compressed_perfetto(text));
        case FileKind::Csv:
            return is_csv(text);
        case FileKind::Trace:
            return is_trace(text);
        case FileKind::Npy:
            return text == npy;
        case FileKind::Image:
            return text.starts_with("unzipped_tti/");  // the name of the first member
        case FileKind::Report:
            return text.starts_with("<!doctype html>") &&
                   text.find(R"(<meta name="generator" content="ttsim report">)") != std::string::npos;
        case FileKind::Screen:  // a head of names and values, titles, a line
            return (text.starts_with("Netlist: ") || text.starts_with("Epoch: ")) &&
                   text.find("\n===") != std::string::npos;
        case FileKind::Xlsx:
            return text.starts_with("PK\3\4") && text.find("[Content_Types].xml") != std::string::npos;
        case FileKind::Text:
        case FileKind::Any:
            break;
    }
    return false;
}

const FolderKind& compiled_folder() {
    static const FolderKind kind{
        "a compiled model",
        {"netlist.yaml", "manifest.json", "host_steps.json"},
        {"netlist.yaml", "manifest.json", "host_steps.json", "reference.tg", "*.npy", "passes", "passes/*.json"}};
    return kind;
}

const FolderKind& dump_folder() {
    static const FolderKind kind{"a dump of inputs and outputs",
                                 {"manifest.json", "inputs", "outputs"},
                                 {"manifest.json", "inputs", "outputs", "inputs/*.npy", "outputs/*.npy"}};
    return kind;
}

const FolderKind& unpacked_folder() {
    static const FolderKind kind{"an unpacked device image",
                                 {"unzipped_tti/device.json", "unzipped_tti/checksum.txt"},
                                 {"unzipped_tti", "unzipped_tti/**"}};
    return kind;
}

const FolderKind& perf_results_folder() {
    static const FolderKind kind{
        "performance results",
        {"perf_info_all_epochs.csv", "analyzer_results"},
        {"perf_info_all_epochs.csv", "perf_info_all_epochs.yaml", "graph_descriptor", "graph_descriptor/**",
         "queue_descriptor", "queue_descriptor/**", "metadata", "metadata/**", "host", "host/**", "device", "device/**",
         "analyzer_results", "analyzer_results/**"}};
    return kind;
}

const FolderKind& visualizer_folder() {
    static const FolderKind kind{"a memory report of ttnn-visualizer",
                                 {"db.sqlite", "config.json"},
                                 {"db.sqlite", "config.json", "cluster_descriptor.yaml"}};
    return kind;
}

const FolderKind& debuda_folder() {
    static const FolderKind kind{"a run for the original's debugger",
                                 {"runtime_data.yaml", "netlist.yaml"},
                                 {"runtime_data.yaml", "netlist.yaml", "temporal_epoch_*", "temporal_epoch_*/**"}};
    return kind;
}

const FolderKind& reportify_folder() {
    static const FolderKind kind{
        "a report of Reportify",
        {"summary.yaml", "buda_reports"},
        {"summary.yaml", "buda_reports", "buda_reports/**", "epoch_reports", "epoch_reports/**", "placement_reports",
         "placement_reports/**", "memory_reports", "memory_reports/**", "constraint_reports", "constraint_reports/**"}};
    return kind;
}

bool is_folder_part(const std::string& folder, const std::string& relative) {
    const FolderKind& compiled = compiled_folder();
    const FolderKind& dump = dump_folder();
    const bool has_compiled = has_marks(folder, compiled), has_dump = has_marks(folder, dump);
    const bool unknown = !has_compiled && !has_dump;
    return ((has_compiled || unknown) && is_part(relative, compiled)) ||
           ((has_dump || unknown) && is_part(relative, dump));
}

/// Returns "" if all files belong to the kind, the mismatch otherwise; nullopt if a file vanished during the check.
static std::optional<std::string> parts_mismatch(const std::string& path, const FolderKind& kind) {
    std::error_code failed;
    fs::recursive_directory_iterator at(path, failed), end;
    for (; !failed && at != end; at.increment(failed)) {
        const std::string relative = at->path().lexically_relative(path).string();
        const bool npy = at->path().extension() == ".npy";
        const fs::file_status status = at->symlink_status(failed);
        if (status.type() == fs::file_type::not_found) return std::nullopt;
        if (!is_part(relative, kind) || (!fs::is_regular_file(status) && (npy || !fs::is_directory(status))) ||
            (npy && !looks_like(at->path().string(), FileKind::Npy)))
            return fmt::format("'{}' is not one of its parts", relative);
    }
    if (failed == std::errc::no_such_file_or_directory) return std::nullopt;
    return failed ? failed.message() : "";
}

std::string folder_mismatch(const std::string& path, const FolderKind& kind) {
    std::error_code failed;
    if (fs::is_empty(path, failed) && !failed) return "";
    constexpr int max_attempts = 100;  // other processes may write or replace it meanwhile
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        const auto missing = std::find_if(kind.marks.begin(), kind.marks.end(), [&](std::string_view mark) {
            return !fs::exists(fs::path(path) / mark, failed);
        });
        if (missing != kind.marks.end()) return fmt::format("it has no '{}'", *missing);
        if (const std::optional<std::string> found = parts_mismatch(path, kind)) return *found;
    }
    return "other processes change it";
}

}  // namespace ttsim::impl
