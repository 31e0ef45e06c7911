// Which columns and words fit on a screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace_report/sheet.hpp"

namespace ttsim::impl::cli {

/// Columns that are shown, and their widths.
struct Fitting {
    std::vector<std::size_t> columns, widths;
    bool more = false;  ///< some columns do not fit
};

/// The first column always. Unscrolled, important columns are chosen before others, and all stay in their order; else
/// all from the scroll position on.
Fitting fitting(const report::Sheet& sheet, std::size_t scrolled, std::size_t columns);

/// What a key does, for the last line. Where not all fit, those of a higher rank are left out.
struct KeyHint {
    std::string_view text;
    int rank = 0;
};
std::string fitting_hints(std::vector<KeyHint> hints, std::size_t columns);

/// The parts of a note, which are separated by "; ", that fit one after the other.
std::string fitting_note(const std::string& note, std::size_t columns);

}  // namespace ttsim::impl::cli
