// The page of `ttsim report`: one JSON value (docs/report.md "Page data"), and the HTML file that carries it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/page/page_source.hpp"

namespace ttsim::impl::report {

/// What `page_version` says changes its meaning; the page refuses others.
inline constexpr int page_version = 3;

/// {"kind": "ttsim page data", "version": 2, "ttsim": ..., "runs": [...]}. Throws Error(Input) for a netlist that runs
/// on no machine, or a file that is none of a page.
nlohmann::ordered_json page_data(const std::vector<PageSource>& runs);

/// The page that scripts/web built, of an installation or of the sources. Throws Error(Input) when there is none.
std::string page_template();
/// The template with the data in it. Throws Error(Input) when it has no place for them.
std::string page_html(const std::string& page, const nlohmann::ordered_json& data);

}  // namespace ttsim::impl::report
