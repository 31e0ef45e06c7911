#include <fmt/ranges.h>
#include <filesystem>
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

std::string page_html(const std::string& page, const nlohmann::ordered_json& data) {
    const std::size_t at = page.find(data_marker);
    if (at == std::string::npos || page.find(data_marker, at + 1) != std::string::npos)
        fail_input({},
                   "the page of 'ttsim report' has no unique marker {} for its data; build it again with 'scripts/web'",
                   data_marker);
    // names of files and queues may be invalid UTF-8
    const std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string html = page.substr(0, at);
    html += base64(zlib_compress(text));
    return html + page.substr(at + data_marker.size());
}

}  // namespace ttsim::impl::report
