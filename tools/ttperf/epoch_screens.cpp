#include "tools/ttperf/epoch_screens.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "base/error.hpp"
#include "base/new_file.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

/// "bert.yaml" -> "bert". The name comes from the trace and may be anything; the result is one folder name.
static std::string folder_name(const std::string& netlist) {
    const std::string stem = fs::path(netlist).stem().string();
    return stem.empty() || stem == "." || stem == ".." ? "netlist" : stem;
}

void write_epoch_screens(const report::PerfView& view, const std::string& folder) {
    const fs::path place = fs::path(folder) / folder_name(view.data.run.netlist);
    std::error_code failed;
    fs::create_directories(place, failed);
    if (failed) fail_input({place.string(), 0, 0}, "cannot be created: {}", failed.message());
    const auto write = [&](const std::string& name, const report::Sheet& sheet) {
        write_new_file((place / name).string(), FileKind::Screen,
                       [&](std::ostream& out) { out << report::text(sheet); });
    };
    write("epoch_summary.txt", report::summary_sheet(view));
    for (std::size_t n = 0; n < view.stages.size(); ++n)
        write(fmt::format("epoch_{}_details.txt", n), report::epoch_sheet(view, n));
}

}  // namespace ttsim::impl::cli
