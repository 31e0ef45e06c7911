// Text helpers shared by messages and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl {

/// The known name most similar to a wrong one, ignoring letter case; "" if there is none. Similar names differ by at
/// most one edit (insert, delete, replace a letter, swap neighbours) up to 3 letters, 3 edits from 12 letters on,
/// otherwise 2. A single name with a part that begins with `wrong` wins over a name two edits away: "n150" means
/// "wh_n150".
std::string nearest(std::string_view wrong, const std::vector<std::string>& known);

/// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

std::string to_lower(std::string_view text);

}  // namespace ttsim::impl
