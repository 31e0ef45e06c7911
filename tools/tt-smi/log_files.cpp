#include "tools/tt-smi/log_files.hpp"

#include <fmt/chrono.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <ostream>

#include "analysis/smi/snapshot.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "tools/common/output.hpp"

namespace ttsim::impl::cli {

static std::string formatted(const char* form) {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    return fmt::format(fmt::runtime(form), fmt::localtime(now));
}

std::string time_now() { return formatted("{:%Y-%m-%d %H:%M:%S}"); }
std::string timestamp_for_name() { return formatted("{:%Y%m%d_%H%M%S}"); }

/// An unused path in ./tt-smi-logs.
static std::string unused_path(const std::string& name, const std::string& ending) {
    const std::filesystem::path folder = "tt-smi-logs";
    std::filesystem::path path = folder / (name + ending);
    for (int n = 2; std::filesystem::exists(path); ++n) path = folder / fmt::format("{}_{}{}", name, n, ending);
    return path.string();
}

static void make_folder(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error(Fault::Input, {folder.string(), 0, 0}, "cannot make the folder: " + failed.message());
}

std::string write_snapshot(const smi::Sample& sample, const std::string& file) {
    const std::string text = smi::snapshot(sample, time_now());
    if (file == "-") {
        print_text(text);
        return file;
    }
    const std::string path = file.empty() ? unused_path("tt-smi-snapshot_" + timestamp_for_name(), ".json") : file;
    if (file.empty()) make_folder("tt-smi-logs");
    OutputFile(path, FileKind::Json).write(text);
    return path;
}

std::string write_dump(const smi::Dump& dump, const std::string& folder) {
    const std::string path = folder.empty() ? unused_path("tt-smi-dump_" + timestamp_for_name(), "") : folder;
    make_folder(path);
    const std::filesystem::path base = std::filesystem::path(path) / "tt-smi-dump";
    write_new_file(base.string() + ".csv", FileKind::Csv, [&](std::ostream& out) { out << dump.csv(); });
    dump.write_xlsx(base.string() + ".xlsx");
    return path;
}

}  // namespace ttsim::impl::cli
