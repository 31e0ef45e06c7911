#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/page/page.hpp"
#include "base/deflate.hpp"
#include "base/read_file.hpp"
#include "isa/config_dir.hpp"

namespace ttsim::impl::report {

namespace fs = std::filesystem;

static constexpr std::string_view data_marker = "@TTSIM_PAGE_DATA@";

std::string page_template() {
    constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
    std::vector<std::string> tried;
    // share/ttsim/configs of an installation, configs/ of the sources
    for (const std::string& folder : config_dirs())
        for (const char* file : {"report.html", "build/web/report.html"}) {
            const fs::path path = fs::path(folder).parent_path() / file;
            std::error_code missing;
            if (fs::is_regular_file(path, missing)) return read_file(path.string(), most_bytes);
            tried.push_back(path.string());
        }
    fail_input({},
               "the page of 'ttsim report' has not been built: run 'scripts/web' in the sources, which needs nodejs "
               "and npm; looked for {}",
               fmt::join(tried, ", "));
}

namespace {

using Json = nlohmann::ordered_json;

/// Parts of a run, and of its trace, that the page decodes when a page that shows them is opened.
constexpr std::array run_sections{"netlist", "ops", "queues", "epochs", "passes"};
constexpr std::array trace_sections{"ops", "resources", "cores", "series", "loads", "work", "routes"};

std::string compressed(const Json& json) {
    // names of files and queues may be invalid UTF-8
    return base64(zlib_compress(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

/// A list of objects as {"keys": [...], "rows": [[...], ...]}, null where an object does not have a key, since long
/// lists would repeat each key.
Json as_columns(const Json& list) {
    Json keys = Json::array(), rows = Json::array();
    std::map<std::string, std::size_t> column;
    for (const Json& one : list)
        for (const auto& [key, value] : one.items())
            if (column.try_emplace(key, keys.size()).second) keys.push_back(key);
    for (const Json& one : list) {
        Json row(keys.size(), nullptr);
        for (const auto& [key, value] : one.items()) row[column.at(key)] = value;
        rows.push_back(std::move(row));
    }
    return {{"keys", std::move(keys)}, {"rows", std::move(rows)}};
}

/// Moves these parts of an object to the sections; {"section": N} takes their place.
template <std::size_t N>
void move_sections(Json& object, const std::array<const char*, N>& names, std::vector<std::string>& sections) {
    for (const char* name : names) {
        const auto part = object.find(name);
        if (part == object.end()) continue;
        const bool objects = part->is_array() &&
                             std::all_of(part->begin(), part->end(), [](const Json& one) { return one.is_object(); });
        sections.push_back(compressed(objects ? as_columns(*part) : *part));
        *part = {{"section", sections.size()}};
    }
}

}  // namespace

std::string page_html(const std::string& page, nlohmann::ordered_json data) {
    const std::size_t at = page.find(data_marker);
    if (at == std::string::npos || page.find(data_marker, at + 1) != std::string::npos)
        fail_input({},
                   "the page of 'ttsim report' has no unique marker {} for its data; build it again with 'scripts/web'",
                   data_marker);
    std::vector<std::string> sections;
    if (const auto runs = data.find("runs"); runs != data.end())
        for (Json& run : *runs) {
            move_sections(run, run_sections, sections);
            if (const auto trace = run.find("trace"); trace != run.end())
                move_sections(*trace, trace_sections, sections);
        }
    sections.insert(sections.begin(), compressed(data));
    return fmt::format("{}{}{}", page.substr(0, at), fmt::join(sections, "\n"), page.substr(at + data_marker.size()));
}

}  // namespace ttsim::impl::report
