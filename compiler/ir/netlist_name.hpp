// Names of a model as names of a netlist.
#pragma once

#include <string>
#include <string_view>

namespace tt::ir {

/// Letters, digits and underscores. A key of YAML ends at 1024 characters and the name of a file at 255, and both take
/// affixes still: what is longer is cut.
inline std::string netlist_name(std::string_view text) {
    constexpr std::size_t longest = 160;
    std::string clean(text.substr(0, longest));
    for (char& c : clean) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!plain) c = '_';
    }
    return clean;
}

}  // namespace tt::ir
