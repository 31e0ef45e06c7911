// Conversion of names of a model into names of a netlist.
#pragma once

#include <string>
#include <string_view>

namespace ttsim::impl::ir {

/// Letters, digits and underscores. Longer names are cut: YAML keys are limited to 1024 characters and file names to
/// 255, and both get affixes.
inline std::string netlist_name(std::string_view text) {
    constexpr std::size_t longest = 160;
    std::string clean(text.substr(0, longest));
    for (char& c : clean) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!plain) c = '_';
    }
    return clean;
}

/// The same with dots, as other compilers for these chips name ops. The first character is not a digit.
inline std::string dotted_name(std::string_view text) {
    std::string clean = netlist_name(text);
    for (std::size_t n = 0; n < clean.size(); ++n)
        if (text[n] == '.') clean[n] = '.';
    return clean.empty() || clean[0] == '.' || (clean[0] >= '0' && clean[0] <= '9') ? "v" + clean : clean;
}

}  // namespace ttsim::impl::ir
