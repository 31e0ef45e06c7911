// The page of `ttsim report`: its data as one JSON value (docs/report.md "Page data"), and the HTML file that contains
// it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/page/page_source.hpp"

namespace ttsim::impl::report {

/// Version of the page data; the page rejects data of other versions.
inline constexpr int page_version = 5;

/// {"kind": "ttsim page data", "version": ..., "ttsim": ..., "runs": [...]}. Throws Error(Input) for a netlist that
/// runs on no machine, or an unsupported file.
nlohmann::ordered_json page_data(const std::vector<PageSource>& runs);

/// The page built by scripts/web, from the installation or the source tree. Throws Error(Input) when there is none.
std::string page_template();
/// Inserts the data into the template, large parts as sections of their own. Throws Error(Input) when it has no marker
/// for them.
std::string page_html(const std::string& page, nlohmann::ordered_json data);

}  // namespace ttsim::impl::report
